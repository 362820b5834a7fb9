"""The demonstration's reader and its command, without a server; tests/service drives the page in a browser."""

import subprocess
import sys

import numpy as np
import pytest
from conftest import EXAMPLES

import tacit
from tacit.demonstration import Reader


class InProcess:
    """The work of `tacit.Client`, by the server's half in this process."""

    def __init__(self, model):
        self._model = model
        self.questions = []

    def model(self, id=None):
        return self._model.client

    def upload_keys(self, keys):
        self._keys = keys.evaluation
        return {"root": "of the only keys"}

    def evaluate(self, model, question):
        self.questions.append(question.to_bytes())
        inputs = self._model.server.load_inputs(tacit.Source.memory(self.questions[-1]))
        return self._model.evaluate(inputs, self._keys)


def test_a_picture_is_read_from_what_the_server_got():
    model = tacit.compile(EXAMPLES / "digits" / "model.onnx", input_range=(0, 16))
    client = InProcess(model)
    reader = Reader(client)
    zero = np.zeros((8, 8))
    zero[0, 3:5] = zero[7, 3:5] = zero[2:6, 1] = zero[2:6, 6] = zero[[1, 1, 6, 6], [2, 5, 2, 5]] = 16
    reading = reader.read(zero.ravel().tolist())
    assert reading.scores.shape == (10,) and reading.scores.argmax() == 0
    np.testing.assert_allclose(reading.scores, model.simulate(zero.reshape(1, 64))[0], atol=1e-3)
    assert client.questions == [reading.question] and len(reading.question) > 100_000
    assert min(reading.encrypt_seconds, reading.server_seconds, reading.decrypt_seconds) > 0
    with pytest.raises(tacit.InputError, match="outside"):
        reader.read([17.0] * 64)


def test_models_of_other_things_are_refused(model):
    with pytest.raises(tacit.InputError, match="64 pixels and 10 scores"):
        Reader(InProcess(model))


def test_a_token_that_others_can_read_is_refused(tmp_path):
    token = tmp_path / "token"
    token.write_text("tacit_x")
    for mode, sentence in ((0o640, "chmod 600"), (0o600, "refused")):  # nobody listens
        token.chmod(mode)
        done = subprocess.run(
            [sys.executable, "-m", "tacit.demonstration", "--server", "http://127.0.0.1:1", "--token", str(token)],
            check=False, capture_output=True, text=True,
        )
        assert done.returncode == 2 and sentence in done.stderr
        assert "Traceback" not in done.stderr
