#!/usr/bin/env python3
"""Checks the output of the scripts in this folder on small pictures and a network of two classes.

Skipped without numpy.
"""

import contextlib
import io
import pathlib
import sys
import tempfile
import types
import unittest
from unittest import mock

SKIPPED = 77
try:
    import numpy
except ImportError:
    print("skipped: numpy is not installed")
    sys.exit(SKIPPED)

import photographs

SIDE = 227


def coloured(*colours):
    """Returns pictures of one colour each, as bytes [count, 3, side, side]."""
    return numpy.stack([numpy.broadcast_to(numpy.uint8(c).reshape(3, 1, 1), (3, SIDE, SIDE)) for c in colours])


class Photographs(unittest.TestCase):
    def written(self, pictures, *arguments):
        """Returns the two arrays that the script writes."""
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "pictures.npy"
            numpy.save(source, pictures)
            with mock.patch.object(sys, "argv", ["photographs.py", str(source), *arguments, "--output", folder]):
                photographs.main()
            return [numpy.load(pathlib.Path(folder) / f"{name}.npy") for name in ("input", "calibration")]

    def test_squeezenet_reads_blue_first_less_the_means(self):
        image, others = self.written(coloured((10, 20, 30), (0, 0, 0)), "--score", "0", "--network", "squeezenet", "--count", "3")
        self.assertEqual(image.shape, (1, 3, 227, 227))
        self.assertEqual(others.shape, (3, 3, 227, 227))
        self.assertEqual(image.dtype, numpy.float32)
        numpy.testing.assert_array_equal(image[0, :, 5, 7], numpy.float32([30 - 104, 20 - 117, 10 - 123]))

    def test_resnet18_reads_the_middle_standardised(self):
        picture = numpy.zeros((2, 3, SIDE, SIDE), numpy.uint8)
        picture[0, 0, 1, 224] = 255  # the last column and the first row that are kept
        picture[0, 0, 0, 0] = 255  # left out
        image, others = self.written(picture, "--score", "0", "--network", "resnet18", "--count", "2")
        self.assertEqual(image.shape, (1, 3, 224, 224))
        self.assertEqual(others.shape, (2, 3, 224, 224))
        self.assertAlmostEqual(float(image[0, 0, 0, 223]), (1 - 0.485) / 0.229, places=5)
        self.assertAlmostEqual(float(image[0, 0, 0, 0]), -0.485 / 0.229, places=5)

    def test_the_scored_picture_takes_no_part_in_calibration(self):
        black, white = (0, 0, 0), (255, 255, 255)
        _, of_white = self.written(coloured(black, white), "--score", "0", "--network", "squeezenet", "--count", "8")
        _, of_other = self.written(coloured((77, 5, 200), white), "--score", "0", "--network", "squeezenet", "--count", "8")
        numpy.testing.assert_array_equal(of_white, of_other)

    def test_pictures_to_calibrate_on_are_the_same_every_time_and_within_bytes(self):
        pictures = [numpy.random.default_rng(3).uniform(0, 255, (3, 31, 31)) for _ in range(2)]
        first, second = photographs.variants(pictures, 12), photographs.variants(pictures, 12)
        numpy.testing.assert_array_equal(first, second)
        self.assertGreaterEqual(numpy.min(first), 0)
        self.assertLessEqual(numpy.max(first), 255)
        self.assertEqual(len({image.tobytes() for image in first}), 12)

    def test_enlarging_the_whole_changes_nothing_and_a_half_interpolates(self):
        image = numpy.arange(48, dtype=float).reshape(3, 4, 4)
        numpy.testing.assert_array_equal(photographs.enlarged(image, 0, 0, 4), image)
        line = photographs.enlarged(image, 0, 0, 2)[0, 0]  # of the columns 0 and 1
        numpy.testing.assert_allclose(line, [0, 0.25, 0.75, 1])

    def test_refuses_a_picture_that_is_not_there_and_one_alone(self):
        for pictures, index in ((coloured((1, 2, 3), (4, 5, 6)), "2"), (coloured((1, 2, 3)), "0")):
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
                self.written(pictures, "--score", index, "--network", "resnet18")


class Score(unittest.TestCase):
    def verdict(self, plain, encrypted):
        """Returns the exit status and the text of score.py for these plaintext scores of the network."""
        session = mock.Mock()
        session.get_inputs.return_value = [types.SimpleNamespace(name="image")]
        session.run.return_value = [numpy.array([plain])]
        runtime = types.SimpleNamespace(InferenceSession=lambda *_, **__: session)
        with mock.patch.dict(sys.modules, {"onnxruntime": runtime}), tempfile.TemporaryDirectory() as folder:
            sys.modules.pop("score", None)
            import score

            paths = [str(pathlib.Path(folder) / name) for name in ("image.npy", "answers.npy")]
            numpy.save(paths[0], numpy.zeros((1, 3, 2, 2)))
            numpy.save(paths[1], numpy.array([encrypted]))
            text = io.StringIO()
            with mock.patch.object(sys, "argv", ["score.py", "model.onnx", *paths]), contextlib.redirect_stdout(text):
                return score.main(), text.getvalue()

    def test_equal_first_class(self):
        status, text = self.verdict([0.0, 5.0, 1.0, 2.0, 3.0, -5.0], [0.1, 4.9, 1.0, 2.0, 3.0, -5.0])
        self.assertEqual(status, 0)
        self.assertIn("largest difference 0.1, of a range of 10; 5 of 5 best in common", text)
        self.assertIn("first class 1, encrypted 1: equal", text)

    def test_another_first_class(self):
        status, text = self.verdict([0.0, 5.0, 4.9], [0.0, 4.8, 4.9])
        self.assertEqual(status, 1)
        self.assertIn("first class 1, encrypted 2: DIFFERENT", text)

    def test_refuses_answers_of_another_network(self):
        with self.assertRaises(SystemExit) as refusal:
            self.verdict([0.0, 5.0, 4.9], [0.0, 4.8])
        self.assertIn("2 scores, and the network has 3", str(refusal.exception))


if __name__ == "__main__":
    unittest.main()
