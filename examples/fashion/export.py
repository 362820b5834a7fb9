"""The demo's network, and networks as PyTorch's default exporter writes them."""
import numpy as np
import onnx
import torch

MAPS = (8, 16)
HIDDEN = 64
KERNEL, STRIDE, PAD = 5, 2, 2
SIDE = 7  # of the image after both convolutions
OPSET = 20


class Square(torch.nn.Module):
    def forward(self, x):
        return x * x


class Network(torch.nn.Module):
    """Two convolutions and two fully connected layers; every activation is a square."""

    def __init__(self):
        super().__init__()
        self.conv1 = torch.nn.Conv2d(1, MAPS[0], KERNEL, STRIDE, PAD, bias=False)
        self.bn1 = torch.nn.BatchNorm2d(MAPS[0])
        self.conv2 = torch.nn.Conv2d(MAPS[0], MAPS[1], KERNEL, STRIDE, PAD, bias=False)
        self.bn2 = torch.nn.BatchNorm2d(MAPS[1])
        self.fc1 = torch.nn.Linear(MAPS[1] * SIDE * SIDE, HIDDEN, bias=False)
        self.bn3 = torch.nn.BatchNorm1d(HIDDEN)
        self.fc2 = torch.nn.Linear(HIDDEN, 10)
        self.square = Square()

    def forward(self, image):
        x = self.square(self.bn1(self.conv1(image)))
        x = self.square(self.bn2(self.conv2(x)))
        x = self.square(self.bn3(self.fc1(torch.flatten(x, 1))))
        return self.fc2(x)


def write(network, path):
    """Writes a network of images [batch, 1, 28, 28] as ONNX, with a free batch."""
    network.eval()
    batch = torch.export.Dim("batch")
    torch.onnx.export(network, (torch.zeros(2, 1, 28, 28),), path, dynamo=True, opset_version=OPSET,
                      input_names=["image"], output_names=["logits"], dynamic_shapes=({0: batch},),
                      external_data=False, verbose=False)
    model = onnx.load(path)
    for part in (model.graph, *model.graph.node, *model.graph.value_info, *model.graph.input, *model.graph.output):
        del part.metadata_props[:]  # source lines of the machine that exported it
    del model.graph.value_info[:]
    onnx.checker.check_model(model)
    onnx.save(model, path)


def save(numbers, path):
    """Writes the network with these numbers, arrays by their names in `Network`."""
    network = Network()
    state = {name: torch.from_numpy(np.array(value, np.float32)) for name, value in numbers.items()}
    missing, unexpected = network.load_state_dict(state, strict=False)
    missing = [name for name in missing if not name.endswith("num_batches_tracked")]
    if missing or unexpected:
        raise ValueError(f"missing: {missing}, unexpected: {unexpected}")
    write(network, path)
