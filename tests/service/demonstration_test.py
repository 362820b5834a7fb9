"""The demonstration in a real browser: digits are drawn with a pointer, read by `tacit serve`, and shown.

    demonstration_test.py COMMAND EXAMPLES

Ends with status 77 (skipped) where Chromium, its driver or selenium is missing.
"""
import http.client
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

import numpy

import tacit
from browser_driver import DRAWN, browser, clear_scores, draw, require_browser, shown
from service_process import Caller, Server, command

TACIT, EXAMPLES = sys.argv[1], pathlib.Path(sys.argv[2])
WAIT = 60  # seconds


class Companion:
    """The program beside the browser."""

    def __init__(self, server, token):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tacit.demonstration", "--server", f"http://127.0.0.1:{server.port}", "--token", token],
            stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().split()[2]
        self.host, self.path = self.url.removeprefix("http://").split("/", 1)

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=WAIT)
        self.process.stdout.close()

    def ask(self, method, name, body=None, path=None, **headers):
        connection = http.client.HTTPConnection(self.host, timeout=WAIT)
        try:
            sent = {"Host": self.host, "Origin": f"http://{self.host}", "Content-Type": "application/json"}
            sent.update({header.replace("_", "-"): value for header, value in headers.items()})
            connection.request(method, f"/{self.path if path is None else path}{name}", body, sent)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()


class DemonstrationTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.scratch.name)
        command(TACIT, "compile", EXAMPLES / "digits" / "model.onnx", "--input-range", "0,16", "-o", folder / "digits")
        cls.server = Server(TACIT, [folder / "digits"], folder)
        cls.token = cls.server.add_client("anna")
        cls.server.start()
        token = folder / "anna.token"
        token.write_text(cls.token + "\n")
        token.chmod(0o600)
        cls.companion = Companion(cls.server, token)
        cls.browser = browser(folder / "profile")

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()
        cls.companion.stop()
        cls.server.stop()
        cls.scratch.cleanup()

    def find(self, id):
        return self.browser.find_element("id", id)

    def wait_for(self, what, said="said"):
        """What a function returns, once that is something."""
        until = time.monotonic() + WAIT
        while not (found := what()):
            self.assertLess(time.monotonic(), until, "the page shows nothing")
            self.assertEqual(self.find(said).text, "")
            time.sleep(0.02)
        return found

    def ask(self):
        """Clicks, and waits for the answer; returns the pixels that were encrypted."""
        self.browser.execute_script("delete document.getElementById('picture').dataset.pixels")
        begun = time.monotonic()
        self.find("ask").click()
        pixels = json.loads(self.wait_for(lambda: self.find("picture").get_attribute("data-pixels")))
        self.assertLess(time.monotonic() - begun, 10)
        return pixels

    def test_reads_what_is_drawn(self):
        self.browser.get(self.companion.url)
        self.wait_for(lambda: self.find("model").text)
        self.assertIn("ckks, 128-bit security", self.find("model").text)
        self.assertIn(f"127.0.0.1:{self.server.port}", self.find("server").text)
        self.assertFalse(self.find("ask").is_enabled())
        for digit, strokes in DRAWN.items():
            with self.subTest(digit):
                self.find("clear").click()
                draw(self.browser, strokes)
                pixels = self.ask()
                expected = clear_scores(pixels)
                rows = self.browser.find_elements("css selector", "#scores tr")
                scores = [float(row.get_attribute("data-score")) for row in rows]
                self.assertEqual(len(scores), 10)
                self.assertLess(abs(scores - expected).max(), 1e-3)
                self.assertEqual([row.get_attribute("class") for row in rows].index("best"), expected.argmax())
                self.assertEqual(expected.argmax(), digit)
                bars = [row.find_element("css selector", ".bar div").rect["width"] for row in rows]
                self.assertEqual(bars.index(max(bars)), digit)
                self.assertGreater(max(bars), 50)
                wide, high, greys = shown(self.browser, "picture")
                self.assertEqual((wide, high), (8, 8))
                self.assertLess(abs(greys - (255 - numpy.array(pixels) * 255 / 16)).max(), 1)
        wide, high, noise = shown(self.browser, "noise")
        total = int(self.find("bytes").text.split(" ")[0].replace(",", ""))
        self.assertGreater(total, 100000)
        self.assertTrue(total <= wide * high < total + 2 * wide, (wide, high))
        # As often as another is every byte that is not the top one of a number, which is below 4, nor of the last row's rest.
        counts = numpy.bincount(noise, minlength=256)[4:255]
        self.assertLess(abs(counts / counts.mean() - 1).max(), 0.3)
        self.ask()
        again = shown(self.browser, "noise")[2]
        self.assertEqual(len(again), len(noise))
        self.assertLess((again == noise).mean(), 0.1)
        severe = [entry for entry in self.browser.get_log("browser") if entry["level"] == "SEVERE"]
        self.assertEqual([entry for entry in severe if "favicon" not in entry["message"]], [])

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
        self.assertIn(f"python3 -m tacit.demonstration --server http://127.0.0.1:{self.server.port} --token",
                      self.find("demonstration").text)
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

    def test_keys_that_the_server_has_forgotten_are_sent_again(self):
        caller, body = Caller(self.server, self.token), json.dumps({"pixels": [8] * 64})
        model = caller.json("GET", "/v1/models")[1]["models"][0]["id"]
        self.assertEqual(caller.json("DELETE", f"/v1/models/{model}/keys")[0], 200)
        status, answer = self.companion.ask("POST", "read", body)
        self.assertEqual(status, 200, answer)
        self.assertLess(abs(json.loads(answer)["scores"] - clear_scores([8] * 64)).max(), 1e-3)
        self.assertEqual(caller.json("GET", f"/v1/models/{model}/keys")[1]["state"], "ready")

    def test_the_companion_serves_its_page_alone(self):
        pixels = json.dumps({"pixels": [0] * 64})
        self.assertEqual(self.companion.ask("POST", "read", pixels)[0], 200)
        page = b"".join(self.companion.ask("GET", name)[1] for name in ("", "page.js", "page.css", "model"))
        self.assertIn(b"<canvas", page)
        self.assertNotIn(self.token.encode(), page)
        for status, method, name, body, more in (
                (421, "GET", "", None, {"Host": "attacker.example"}),
                (421, "POST", "read", pixels, {"Host": f"attacker.example:{self.server.port}"}),
                (403, "POST", "read", pixels, {"Origin": "http://attacker.example"}),
                (403, "POST", "read", pixels, {"Origin": "null"}),
                (415, "POST", "read", pixels, {"Content_Type": "text/plain"}),
                (404, "GET", "", None, {"path": ""}),
                (404, "GET", "", None, {"path": "x" * 22 + "/"}),
                (404, "GET", "../__init__.py", None, {}),
                (404, "POST", "", pixels, {}),
                (413, "POST", "read", "x", {"Content_Length": str(100 << 30)}),
                (411, "POST", "read", "x", {"Content_Length": "-1"}),
                (400, "POST", "read", "{", {}),
                (400, "POST", "read", "[" * 4000, {}),
                (400, "POST", "read", json.dumps({"pixels": [0] * 63}), {}),
                (400, "POST", "read", json.dumps({"pixels": [16.5] + [0] * 63}), {}),
                (400, "POST", "read", json.dumps({"pixels": [float("nan")] + [0] * 63}), {}),
                (400, "POST", "read", json.dumps({"pixels": ["1"] * 64}), {})):
            with self.subTest(f"{status} {method} {name} {more} {(body or '')[:30]}"):
                answer = self.companion.ask(method, name, body, **more)
                self.assertEqual(answer[0], status, answer)
                self.assertIn("error", json.loads(answer[1]))


if __name__ == "__main__":
    require_browser()
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], warnings="ignore")
