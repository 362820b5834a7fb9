"""Requests whose end is in doubt: each is refused and ends its connection, so that no rest of it is another request.

    framing_test.py COMMAND
"""
import pathlib
import sys
import tempfile
import unittest

from service_process import Caller, Server, command, write_linear_model

TACIT = sys.argv[1]
NEXT = b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


class FramingTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.scratch.name)
        write_linear_model(folder / "linear.onnx")
        command(TACIT, "compile", folder / "linear.onnx", "--input-range", "-1,1", "-o", folder / "model")
        cls.server = Server(TACIT, [folder / "model"], folder)
        cls.token = cls.server.add_client("anna")
        cls.server.start()

    @classmethod
    def tearDownClass(cls):
        assert cls.server.stop() == 0
        cls.scratch.cleanup()

    def answers(self, request):
        """The answers to bytes, and how many there are, until the server closes."""
        with self.server.socket() as connection:
            connection.sendall(request)
            answer = b""
            try:
                while piece := connection.recv(65536):
                    answer += piece
            except ConnectionResetError:
                pass
            return answer, answer.count(b"HTTP/1.1 ")

    def requests(self, headers, body=b""):
        """The same headers for every method."""
        access = b"Host: x\r\nAuthorization: Bearer " + self.token.encode() + b"\r\n"
        model = b"0" * 64
        for line in (b"GET /health", b"GET /v1/models", b"HEAD /health", b"POST /v1/models/" + model + b"/evaluations",
                     b"PUT /v1/models/" + model + b"/keys", b"DELETE /v1/models/" + model + b"/keys", b"PATCH /x"):
            yield line + b" HTTP/1.1\r\n" + access + headers + b"\r\n" + body

    def closes(self, status, headers, body=b""):
        for request in self.requests(headers, body):
            with self.subTest(request[:30], headers=headers):
                answer, count = self.answers(request + NEXT)
                self.assertTrue(answer.startswith(b"HTTP/1.1 %d " % status), answer[:300])
                self.assertEqual(count, 1, answer)
                self.assertIn(b"\r\nConnection: close\r\n", answer)
                self.assertNotIn(b"Keep-Alive", answer)

    def test_what_is_well_formed_leaves_the_connection_open(self):
        with self.server.socket() as connection:
            connection.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n" + NEXT)
            answer = b""
            while piece := connection.recv(65536):
                answer += piece
        self.assertEqual(answer.count(b"HTTP/1.1 200 "), 2)

    def test_a_length_that_is_no_number_closes(self):
        for value in (b"%35", b"5x", b"+5", b"0x5", b"5, 5", b"-1", b"", b"99999999999999999999"):
            self.closes(400, b"Content-Length: " + value + b"\r\n")

    def test_a_length_that_is_stated_twice_closes(self):
        self.closes(400, b"Content-Length: 0\r\nContent-Length: 60\r\n")
        self.closes(400, b"Content-Length: 0\r\nContent-Length: 0\r\n")
        self.closes(400, b"Content-Length : 60\r\n")

    def test_a_transfer_encoding_closes(self):
        for value in (b"chunked", b"identity", b"xchunked", b""):
            self.closes(411, b"Transfer-Encoding: " + value + b"\r\n", b"0\r\n\r\n")

    def test_control_characters_and_folds_close(self):
        for header in (b"X: a\0b\r\n", b"X: a\rb\r\n", b"X: a\nContent-Length: 60\r\n", b"X: a\r\n Content-Length: 60\r\n"):
            self.closes(400, header)

    def test_an_encoding_closes(self):
        access = b"Host: x\r\n"
        for line in (b"GET /health", b"PUT /v1/models/x/keys"):
            answer, count = self.answers(line + b" HTTP/1.1\r\n" + access + b"Content-Encoding: gzip\r\nContent-Length: 0\r\n\r\n" + NEXT)
            self.assertTrue(answer.startswith(b"HTTP/1.1 415 "), answer[:200])
            self.assertEqual(count, 1)

    def test_a_missing_length_closes(self):
        request = b"PUT /v1/models/" + b"0" * 64 + b"/keys HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + self.token.encode() + b"\r\n\r\n"
        self.assertEqual(self.answers(request + NEXT)[1], 2, "no such model: 404, and the connection goes on")
        model = Caller(self.server, self.token).json("GET", "/v1/models")[1]["models"][0]["id"]
        answer, count = self.answers(request.replace(b"0" * 64, model.encode()) + NEXT)
        self.assertTrue(answer.startswith(b"HTTP/1.1 411 "), answer[:200])
        self.assertEqual(count, 1)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], warnings="ignore")
