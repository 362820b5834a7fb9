"""A headless browser for tests of pages, and digits that are drawn in it."""
import math
import pathlib
import shutil
import sys

import numpy
import onnx
from onnx import numpy_helper

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.actions.action_builder import ActionBuilder
except ImportError:
    webdriver = None

SKIPPED = 77
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


def require_browser():
    """Ends the program as skipped unless a browser can be driven."""
    missing = [name for name, found in (("Chromium", CHROMIUM), ("chromedriver", DRIVER), ("selenium", webdriver)) if not found]
    if missing:
        print("SKIPPED, no browser was driven: missing are", ", ".join(missing))
        sys.exit(SKIPPED)


def browser(profile):
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1280,1000",
                     f"--user-data-dir={profile}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service(DRIVER), options=options)


def arc(across, down, wide, high, first, last):
    """Points of an ellipse; angles in degrees from three o'clock, clockwise as seen on a page."""
    steps = 12
    angles = [math.radians(first + (last - first) * i / steps) for i in range(steps + 1)]
    return [(across + wide * math.cos(a), down + high * math.sin(a)) for a in angles]


# Strokes on paper from 0 to 1, across and down.
DRAWN = {
    0: [arc(0.5, 0.5, 0.25, 0.4, -90, 270)],
    1: [[(0.4, 0.25), (0.52, 0.1), (0.52, 0.9)]],
    3: [arc(0.45, 0.3, 0.25, 0.2, -150, 90) + arc(0.45, 0.7, 0.28, 0.2, -90, 150)],
    7: [[(0.25, 0.1), (0.75, 0.1), (0.4, 0.9)], [(0.35, 0.5), (0.75, 0.5)]],
}


def clear_scores(pixels):
    """What the network says in the clear, from the file."""
    network = onnx.load(EXAMPLES / "digits" / "model.onnx").graph
    w1, b1, w2, b2 = (numpy_helper.to_array(array).astype(float) for array in network.initializer)
    assert [node.op_type for node in network.node] == ["Gemm", "Mul", "Gemm"]
    return (numpy.asarray(pixels) @ w1 + b1) ** 2 @ w2 + b2


def draw(browser, strokes):
    """Draws strokes on the paper of a page with the pointer."""
    paper = browser.find_element("id", "paper")
    side = paper.rect["width"] - 20
    actions = ActionBuilder(browser, duration=2)
    for stroke in strokes:
        for step, (across, down) in enumerate(stroke):
            # Offsets are from the middle of the element.
            actions.pointer_action.move_to(paper, int((across - 0.5) * side), int((down - 0.5) * side))
            if step == 0:
                actions.pointer_action.pointer_down()
        actions.pointer_action.pointer_up()
    actions.perform()


def shown(browser, canvas):
    """The picture on a canvas: width, height, and a grey for every pixel."""
    wide, high, greys = browser.execute_script(
        "const canvas = document.getElementById(arguments[0]);"
        "const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;"
        "return [canvas.width, canvas.height, Array.from({length: data.length / 4}, (_, i) => data[4 * i])];", canvas)
    return wide, high, numpy.array(greys)
