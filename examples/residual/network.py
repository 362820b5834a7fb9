"""A residual network for Fashion-MNIST (He, Zhang, Ren and Sun, 2016)."""
import torch
from torch import nn

WIDTHS = (16, 32, 64)


class Block(nn.Module):
    """Two 3x3 convolutions and a shortcut around them, which is a 1x1 convolution where the shape changes."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.shortcut = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = torch.relu(self.bn1(self.conv1(x)))
        return torch.relu(self.bn2(self.conv2(y)) + self.shortcut(x))


class ResidualNetwork(nn.Module):
    """Images of 1 x 28 x 28 in 16 channels at first, then 32 channels of 14 x 14 and 64 of 7 x 7; ten logits."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, WIDTHS[0], 3, 1, 1, bias=False)
        self.bn = nn.BatchNorm2d(WIDTHS[0])
        self.blocks = nn.Sequential(Block(WIDTHS[0], WIDTHS[0], 1), Block(WIDTHS[0], WIDTHS[1], 2),
                                    Block(WIDTHS[1], WIDTHS[2], 2))
        self.fc = nn.Linear(WIDTHS[2], 10)

    def forward(self, image):
        x = torch.relu(self.bn(self.conv(image)))
        return self.fc(self.blocks(x).mean((2, 3)))
