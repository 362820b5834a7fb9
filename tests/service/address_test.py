"""Where `tacit serve` listens, and what it says of addresses that are none."""
import json
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

from service_process import REPLY, Server, command, write_linear_model

TACIT = sys.argv[1]


def refusal(folder, listen, *more):
    """The sentence that ends a server of no model."""
    done = subprocess.run([TACIT, "serve", folder / "none", "--tokens", folder / "tokens", "--state", folder / "state",
                           "--listen", listen, "--insecure-http", *more], check=False, capture_output=True, text=True, timeout=REPLY)
    assert done.returncode == 2, done
    return done.stderr


class AddressTest(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)

    def test_a_port_lies_between_0_and_65535(self):
        for listen in ("127.0.0.1:-1", "127.0.0.1:65536", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1", ":80"):
            with self.subTest(listen):
                self.assertEqual(refusal(self.folder, listen),
                                 f"tacit: --listen {listen} is no address; give HOST:PORT, like 127.0.0.1:8443\n")
        for listen in ("127.0.0.1:0", "127.0.0.1:1", "127.0.0.1:65535", "127.1.2.3:80", "localhost:80", "[::1]:80"):
            with self.subTest(listen):  # the folder of the model is what is missing
                self.assertNotIn("--listen", refusal(self.folder, listen))
                self.assertNotIn("--insecure-http", refusal(self.folder, listen))

    def test_brackets_around_a_host_are_not_part_of_it(self):
        for listen, host in (("[::]:80", "::"), ("[x]:80", "x"), ("[]:80", "[]"), ("[x:80", "[x"), ("x]:80", "x]"),
                             ("128.0.0.1:80", "128.0.0.1"), ("126.255.255.255:80", "126.255.255.255"), ("[::2]:80", "::2")):
            with self.subTest(listen):
                self.assertEqual(refusal(self.folder, listen),
                                 f"tacit: --insecure-http serves this machine alone, and {host} is reached from others: tokens "
                                 "would travel for everybody to read; listen at 127.0.0.1, or give --tls-cert and --tls-key\n")

    def test_what_is_missing_is_told(self):
        def sentence(*arguments):
            done = subprocess.run([TACIT, "serve", *arguments], check=False, capture_output=True, text=True, timeout=REPLY)
            self.assertEqual(done.returncode, 2)
            return done.stderr

        tokens = ["--tokens", self.folder / "tokens"]
        self.assertEqual(sentence(*tokens), "tacit: serve: name a folder that compile wrote, or a store\n")
        self.assertEqual(sentence("model", *tokens), "tacit: serve: name a folder for keys and jobs (--state)\n")
        self.assertEqual(sentence("model", *tokens, "--state", self.folder / "state"),
                         "tacit: serve: give a certificate and its key (--tls-cert, --tls-key), or --insecure-http for this "
                         "machine alone: tokens would travel for everybody to read\n")
        self.assertIn("--tls-cert requires --tls-key", sentence("model", *tokens, "--tls-cert", "c.pem"))
        self.assertIn("--tls-key requires --tls-cert", sentence("model", *tokens, "--tls-key", "k.pem"))

    def test_it_says_where_it_listens_and_what_it_found(self):
        write_linear_model(self.folder / "linear.onnx")
        command(TACIT, "compile", self.folder / "linear.onnx", "--input-range", "-1,1", "-o", self.folder / "model")
        Server(TACIT, [], self.folder).add_client("anna")
        hosts = ["127.0.0.1"]
        try:
            with socket.socket(socket.AF_INET6) as found:
                found.bind(("::1", 0))
            hosts.append("[::1]")
        except OSError:
            pass  # this machine has no such address
        for host in hosts:
            for form in ([], ["--json"]):
                with self.subTest(host, form=form):
                    process = subprocess.Popen(
                        [TACIT, "serve", self.folder / "model", "--listen", host + ":0", "--insecure-http", "--state",
                         self.folder / "state", "--tokens", self.folder / "tokens", *form],
                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
                    told = ""
                    while not told.endswith("}\n" if form else "\n"):
                        line = process.stdout.readline()
                        self.assertTrue(line, told)
                        told += line
                    process.send_signal(signal.SIGTERM)
                    self.assertEqual(process.wait(timeout=REPLY), 0)
                    process.stdout.close()
                    if form:
                        report = json.loads(told)
                        self.assertRegex(report["url"], "^http://" + re.escape(host) + ":[0-9]+$")
                        self.assertEqual(len(report["models"]), 1)
                        self.assertEqual(report["unfinished_jobs"], 0)
                    else:
                        self.assertRegex(told, "^  serving 1 model at http://" + re.escape(host) + ":[0-9]+, 0 jobs from before\n$")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], warnings="ignore")
