"""The page examples/browser in a real browser, as a client of `tacit serve` on another origin: a digit is drawn, a row is entered.

    page_test.py COMMAND PAGE

PAGE is the folder that tools/build_wasm.sh made (build/wasm/page). Ends with status 77 (skipped) where it or a browser is missing.
"""
import functools
import http.server
import json
import pathlib
import re
import sys
import tempfile
import threading
import time
import unittest

import numpy

from browser_driver import DRAWN, EXAMPLES, SKIPPED, browser, clear_scores, draw, require_browser, shown
from service_process import Server, command, write_linear_model

TACIT, PAGE = sys.argv[1], pathlib.Path(sys.argv[2])
WAIT = 120  # seconds


class Quiet(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm", ".js": "text/javascript"}

    def log_message(self, *_):
        pass


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        folder = pathlib.Path(scratch.name)
        cls.host = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(PAGE)))
        cls.origin = f"http://127.0.0.1:{cls.host.server_port}"
        thread = threading.Thread(target=cls.host.serve_forever)
        thread.start()
        cls.addClassCleanup(thread.join)
        cls.addClassCleanup(cls.host.shutdown)
        cls.rows, cls.expected = write_linear_model(folder / "linear.onnx")
        command(TACIT, "compile", EXAMPLES / "digits" / "model.onnx", "--input-range", "0,16", "-o", folder / "digits")
        command(TACIT, "compile", folder / "linear.onnx", "--input-range=-1,1", "-o", folder / "linear")
        cls.server = Server(TACIT, [folder / "digits", folder / "linear"], folder, "--allow-origin", cls.origin)
        cls.token = cls.server.add_client("anna")
        cls.server.start()
        cls.addClassCleanup(lambda: cls.server.stop())
        cls.browser = browser(folder / "profile")
        cls.addClassCleanup(cls.browser.quit)

    def setUp(self):
        self.browser.get_log("browser")
        self.browser.get(f"{self.origin}/index.html?service=http://127.0.0.1:{self.server.port}")

    def find(self, id):
        return self.browser.find_element("id", id)

    def wait_for(self, found, complaint=""):
        """Waits until a function returns something. `complaint` is what the page may say."""
        until = time.monotonic() + WAIT
        while not (result := found()):
            self.assertLess(time.monotonic(), until, "the page shows nothing")
            said = self.find("said").text
            self.assertTrue(said == "" or re.search(complaint or "^$", said), said)
            time.sleep(0.05)
        return result

    def connect(self, token):
        self.find("token").clear()
        self.find("token").send_keys(token)
        self.find("connect").click()

    def prepare(self, name):
        self.connect(self.token)
        self.wait_for(lambda: self.find("content").is_displayed())
        for option in self.find("models").find_elements("tag name", "option"):
            if option.text.startswith(name):
                option.click()
        self.find("prepare").click()
        self.wait_for(lambda: self.find("steps").is_displayed())

    def ask(self):
        """Clicks, and waits for the answer. Returns the row that was encrypted and the values that came back."""
        self.browser.execute_script("delete document.getElementById('results').dataset.row")
        self.find("ask").click()
        row = json.loads(self.wait_for(lambda: self.find("results").get_attribute("data-row")))
        self.wait_for(lambda: self.find("prepare").is_enabled())
        cells = self.browser.find_elements("css selector", "#results tr")
        return row, numpy.array([float(cell.get_attribute("data-value")) for cell in cells]), cells

    def test_a_drawn_digit_is_read(self):
        self.prepare("model.onnx")
        self.assertTrue(self.find("digit").is_displayed())
        self.assertFalse(self.find("row").is_displayed())
        self.assertRegex(self.find("facts").text, r"CKKS, N13-d3, 128-bit security, at most \d+\.\d MB of keys")
        self.assertRegex(self.find("stage").text, r"keys made in [\d.]+ s, 1\d\.\d MB sent; heap \d+\.\d MB")
        sent = int(self.find("traffic").get_attribute("data-sent"))
        self.assertGreater(sent, 10_000_000)
        self.assertFalse(self.find("ask").is_enabled())
        for digit in (3, 7):
            self.find("clear").click()
            draw(self.browser, DRAWN[digit])
            pixels, scores, cells = self.ask()
            expected = clear_scores(pixels)
            self.assertLess(abs(scores - expected).max(), 1e-3)
            self.assertEqual(expected.argmax(), digit)
            self.assertEqual([cell.get_attribute("class") for cell in cells].index("best"), digit)
        wide, high, noise = shown(self.browser, "noise")
        total = int(self.find("bytes").text.split(" ")[0].replace(",", ""))
        self.assertGreater(total, 30000)
        self.assertTrue(total <= wide * high < total + 2 * wide, (wide, high))
        # As often as another is every byte that is not the top one of a number, which is below 4, nor of the last row's rest.
        counts = numpy.bincount(noise, minlength=256)[4:255]
        self.assertLess(abs(counts / counts.mean() - 1).max(), 0.5)  # six deviations
        traffic = self.find("traffic")
        self.assertGreaterEqual(int(traffic.get_attribute("data-sent")), sent + 2 * total)
        self.assertGreater(int(traffic.get_attribute("data-received")), 100000)
        self.assertRegex(self.find("times").text, r"^encrypting .* s, server and network .* s, of them evaluating .* s, decrypting .* s$")
        self.ask()
        again = shown(self.browser, "noise")[2]
        self.assertEqual(len(again), len(noise))
        self.assertLess((again == noise).mean(), 0.1)
        severe = [entry for entry in self.browser.get_log("browser") if entry["level"] == "SEVERE"]
        self.assertEqual([entry for entry in severe if "favicon" not in entry["message"]], [])

    def test_a_row_of_a_table_is_asked(self):
        self.prepare("linear.onnx")
        self.assertTrue(self.find("row").is_displayed())
        fields = self.find("fields").find_elements("tag name", "input")
        self.assertEqual(len(fields), 30)
        fields[4].clear()
        fields[4].send_keys("0.5")
        row, values, _ = self.ask()
        self.assertEqual(row, [0.5 if i == 4 else 0 for i in range(30)])
        numbers = self.find("numbers")
        for given, expected in zip(self.rows[:2], self.expected[:2]):
            numbers.clear()
            numbers.send_keys(", ".join(f"{x:.12g}" for x in given))
            _, values, _ = self.ask()
            self.assertLess(abs(values - expected).max(), 1e-3)
        for text, sentence in (("1, 2", "was given with the shape|and the model takes"),
                               (", ".join(["0"] * 31), "there are 1 numbers too many; the model takes 30"),
                               (", ".join(["7"] + ["0"] * 29), r"element 0 is .* outside \[-1, 1\]"),
                               (", ".join(["x"] + ["0"] * 29), "element 0 is nan; only finite numbers")):
            numbers.clear()
            numbers.send_keys(text)
            self.find("ask").click()
            self.wait_for(lambda pattern=sentence: re.search(pattern, self.find("said").text), sentence)

    def test_a_kept_secret_key_serves_the_next_visit(self):
        self.connect(self.token)
        self.wait_for(lambda: self.find("content").is_displayed())
        self.find("keep").click()
        self.prepare("linear.onnx")
        self.assertRegex(self.find("stage").text, "^keys made in ")
        self.setUp()
        self.prepare("linear.onnx")
        self.assertEqual(self.find("stage").text, "the keys of an earlier visit are used")
        row, values, _ = self.ask()
        self.assertEqual(row, [0] * 30)
        self.assertEqual(len(values), 2)
        # The storage has no key in the clear: the wrapping key cannot be exported, and the rest is encrypted.
        found = self.browser.execute_async_script("""
            const done = arguments[0], request = indexedDB.open('tacit-client');
            request.onsuccess = () => {
              const all = request.result.transaction('secrets').objectStore('secrets').getAll();
              all.onsuccess = () => done(all.result.map((one) => one instanceof CryptoKey
                ? [one.extractable, one.algorithm.name] : [one.iv.length, one.body.byteLength > 16]));
            };""")
        self.assertEqual(sorted(map(str, found)), sorted(map(str, [[False, "AES-GCM"], [12, True], [12, True]])))
        self.find("forget").click()
        self.wait_for(lambda: self.find("stage").text == "no secret key is kept")
        self.setUp()
        self.prepare("linear.onnx")
        self.assertRegex(self.find("stage").text, "^keys made in ")

    def test_strangers_are_told_what_is_wrong(self):
        self.connect("tacit_" + "0" * 64)
        self.wait_for(lambda: "send a token that this server knows" in self.find("said").text, "token")
        self.find("url").clear()
        self.find("url").send_keys("http://example.org")
        self.connect(self.token)
        self.wait_for(lambda: "without TLS everybody on the way" in self.find("said").text, "TLS")

    def test_stopping_leaves_a_page_that_works(self):
        self.connect(self.token)
        self.wait_for(lambda: self.find("content").is_displayed())
        self.find("prepare").click()
        self.wait_for(lambda: self.find("stop").is_displayed())
        self.find("stop").click()
        self.wait_for(lambda: self.find("said").text == "Stopped. Make keys again.", "Stopped")
        self.assertFalse(self.find("steps").is_displayed())
        self.prepare("linear.onnx")


if __name__ == "__main__":
    if not (PAGE / "tacit-client" / "tacit_client.wasm").is_file():
        print(f"SKIPPED, there is no page in {PAGE}: run tools/build_wasm.sh")
        sys.exit(SKIPPED)
    require_browser()
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], warnings="ignore")
