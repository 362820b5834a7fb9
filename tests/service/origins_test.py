"""Which pages may call a service from a browser: --allow-origin.

    origins_test.py COMMAND
"""
import http.client
import pathlib
import subprocess
import sys
import tempfile
import unittest

from service_process import REPLY, Server, command, write_linear_model

TACIT = sys.argv[1]
PAGES = ("https://example.org", "http://127.0.0.1:8000")
ASKED = {"Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "authorization,content-range"}


class OriginsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        write_linear_model(cls.folder / "linear.onnx")
        command(TACIT, "compile", cls.folder / "linear.onnx", "--input-range=-1,1", "-o", cls.folder / "linear")
        cls.server = Server(TACIT, [cls.folder / "linear"], cls.folder, "--allow-origin", PAGES[0], "--allow-origin", PAGES[1])
        cls.token = cls.server.add_client("anna")
        cls.server.start()
        cls.addClassCleanup(lambda: cls.server.stop())

    def request(self, method, headers, server=None):
        connection = http.client.HTTPConnection("127.0.0.1", (server or self.server).port, timeout=REPLY)
        connection.request(method, "/v1/models", headers=headers)
        response = connection.getresponse()
        response.read()
        connection.close()
        return response

    def test_preflights_of_named_origins_are_answered(self):
        for page in PAGES:
            found = self.request("OPTIONS", {"Origin": page, **ASKED})
            self.assertEqual(found.status, 204)
            self.assertEqual(found.getheader("Access-Control-Allow-Origin"), page)
            self.assertEqual(found.getheader("Access-Control-Allow-Methods"), "GET, PUT, POST, DELETE")
            self.assertEqual(found.getheader("Access-Control-Allow-Headers"), "Authorization, Content-Type, Content-Range")
            self.assertIsNone(found.getheader("Access-Control-Allow-Credentials"))
            self.assertEqual(found.getheader("Vary"), "Origin")

    def test_other_origins_are_refused(self):
        for page in ("http://localhost:8000", "null", "*", PAGES[0] + "/", PAGES[0].upper(), PAGES[1] + "0", "https://sub.example.org"):
            with self.subTest(page):
                foreign = self.request("OPTIONS", {"Origin": page, **ASKED})
                self.assertEqual(foreign.status, 403)
                for name in ("Access-Control-Allow-Origin", "Access-Control-Allow-Methods", "Access-Control-Allow-Headers"):
                    self.assertIsNone(foreign.getheader(name))
                read = self.request("GET", {"Origin": page, "Authorization": f"Bearer {self.token}"})
                self.assertIsNone(read.getheader("Access-Control-Allow-Origin"))
        self.assertEqual(self.request("OPTIONS", {"Origin": PAGES[0]}).status, 405)

    def test_a_page_may_read_answers_and_needs_a_token(self):
        read = self.request("GET", {"Origin": PAGES[0], "Authorization": f"Bearer {self.token}"})
        self.assertEqual(read.status, 200)
        self.assertEqual(read.getheader("Access-Control-Allow-Origin"), PAGES[0])
        self.assertEqual(read.getheader("Access-Control-Expose-Headers"), "Location, Retry-After")
        refused = self.request("GET", {"Origin": PAGES[0]})
        self.assertEqual((refused.status, refused.getheader("Access-Control-Allow-Origin")), (401, PAGES[0]))

    def test_without_the_option_no_page_is_answered(self):
        folder = self.folder / "closed"
        folder.mkdir()
        closed = Server(TACIT, [self.folder / "linear"], folder)
        closed.add_client("anna")
        closed.start()
        try:
            found = self.request("OPTIONS", {"Origin": PAGES[0], **ASKED}, closed)
            self.assertEqual(found.status, 405)
            self.assertIsNone(found.getheader("Access-Control-Allow-Origin"))
            self.assertIsNone(found.getheader("Vary"))
        finally:
            closed.stop()

    def test_bad_origins_are_refused_at_the_start(self):
        for origin, sentence in (
                ("*", "every page could call the service"),
                ("null", "every page could call the service"),
                ("example.org", "is no origin; give SCHEME://HOST"),
                ("https://example.org/page", "is no origin; give SCHEME://HOST"),
                ("http://example.org", "others could replace a page that comes without TLS"),
                ("https://EXAMPLE.org", "browsers write this origin as https://example.org; give that"),
                ("https://example.org:443", "browsers write this origin as https://example.org; give that"),
                ("https://example.org/", "browsers write this origin as https://example.org; give that")):
            done = subprocess.run(
                [TACIT, "serve", self.folder / "linear", "--listen", "127.0.0.1:0", "--insecure-http", "--state", self.folder / "s",
                 "--tokens", self.folder / "tokens", "--allow-origin", origin],
                check=False, capture_output=True, text=True, timeout=REPLY)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(f"--allow-origin {origin}", done.stderr)
            self.assertIn(sentence, " ".join(done.stderr.split()))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
