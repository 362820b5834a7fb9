"""Networks of PyTorch under encryption."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

import tacit


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution = torch.nn.Conv2d(1, 4, 3, stride=2)
        self.last = torch.nn.Linear(4 * 6 * 6, 3)
        self.dropout = torch.nn.Dropout(0.5)

    def forward(self, x):
        return self.last(self.dropout(torch.relu(self.convolution(x)).flatten(1)))


def test_a_module_answers_as_in_the_clear():
    torch.manual_seed(1)
    module = Network()
    images = np.random.default_rng(1).uniform(0, 1, (20, 1, 14, 14)).astype(np.float32)
    model = tacit.compile_module(module, images[:1], calibration=images, input_range=(0, 1))
    assert module.training  # as it was
    with torch.no_grad():
        expected = module.eval()(torch.from_numpy(images[:2])).numpy()
    np.testing.assert_allclose(model.run(images[:2]), expected, atol=0.02)
    assert model.client.output_shapes == [(1, 3)]
    assert "Network.onnx" in str(model.plan())
