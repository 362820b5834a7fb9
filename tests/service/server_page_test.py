"""The page of `tacit serve` in a real browser: models, keys and jobs of a client.

    server_page_test.py COMMAND EXAMPLES

Ends with status 77 (skipped) where Chromium, its driver or selenium is missing.
"""
import pathlib
import sys
import tempfile
import time
import unittest

import numpy

import tacit
from browser_driver import browser, require_browser
from service_process import Caller, Server, command

TACIT, EXAMPLES = sys.argv[1], pathlib.Path(sys.argv[2])
WAIT = 60  # seconds


class ServerPageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.scratch.name)
        command(TACIT, "compile", EXAMPLES / "digits" / "model.onnx", "--input-range", "0,16", "-o", folder / "digits")
        cls.server = Server(TACIT, [folder / "digits"], folder)
        cls.server.add_client("anna")
        cls.server.start()
        cls.browser = browser(folder / "profile")

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()
        cls.server.stop()
        cls.scratch.cleanup()

    def find(self, id):
        return self.browser.find_element("id", id)

    def test_the_page_of_the_server_shows_models_and_jobs(self):
        with tempfile.TemporaryDirectory() as folder:
            token, question = self.server.add_client("ben"), pathlib.Path(folder) / "question"
            client = tacit.Client(f"http://127.0.0.1:{self.server.port}", token=token)
            keys = tacit.keygen(client.model())
            client.upload_keys(keys)
            keys.encrypt(numpy.zeros((1, 64))).save(question)
            model = client.models()[0]["id"]
            job = Caller(self.server, token).submit(model, question.read_bytes(), wait=30)[1]
        self.assertEqual(job["state"], "done")
        self.browser.get(f"http://127.0.0.1:{self.server.port}/")
        self.assertIn(f"?service=http://127.0.0.1:{self.server.port}", self.find("demonstration").text)
        self.find("token").send_keys("tacit_" + "0" * 64)
        self.browser.find_element("css selector", "#access button").click()
        until = time.monotonic() + WAIT
        while "token" not in self.find("said").text and time.monotonic() < until:
            time.sleep(0.02)
        self.assertIn("token", self.find("said").text)
        self.assertFalse(self.find("content").is_displayed())
        self.find("token").clear()
        self.find("token").send_keys(token)
        self.browser.find_element("css selector", "#access button").click()
        until = time.monotonic() + WAIT
        while not self.find("content").is_displayed() and time.monotonic() < until:
            time.sleep(0.02)
        cells = {table: [cell.text for cell in self.browser.find_elements("css selector", f"#{table} td")] for table in ("models", "jobs")}
        self.assertEqual(cells["models"][:3], ["model.onnx", "ckks", "128 bits"])
        self.assertIn("ready", cells["models"][4])
        self.assertEqual(cells["jobs"][:3], [job["job"][:8], "model.onnx", "done"])
        self.assertEqual(len(cells["jobs"]), 6)


if __name__ == "__main__":
    require_browser()
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], warnings="ignore")
