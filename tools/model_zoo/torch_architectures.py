"""The blocks of well-known convolutional architectures, in PyTorch."""

import torch
from torch import nn
from torch.nn import functional as F

from .torch_export import FIXED, MANY, USUAL, Apply, Input, networks

IMAGE = (3, 12, 12)
GREY = (1, 12, 12)


def then_flat(*layers, width, outputs=3):
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(width, outputs))


def then_mean(*layers, width, outputs=3):
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, outputs))


def conv_bn(inputs, outputs, kernel=3, stride=1, groups=1, activation=nn.ReLU):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
        nn.BatchNorm2d(outputs),
        activation(),
    )


class Residual(nn.Module):
    """A block of a residual network, with a projection where the shapes differ."""

    def __init__(self, inputs, outputs, stride=1, activation=nn.ReLU):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs)
        self.conv2, self.bn2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs)
        self.activation = activation()
        self.downsample = (
            None
            if inputs == outputs and stride == 1
            else nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))
        )

    def forward(self, x):
        out = self.bn2(self.conv2(self.activation(self.bn1(self.conv1(x)))))
        return self.activation(out + (x if self.downsample is None else self.downsample(x)))


class SqueezeExcite(nn.Module):
    def __init__(self, channels, gate=nn.Sigmoid, dense=False):
        super().__init__()
        self.dense, one = dense, (nn.Linear if dense else lambda a, b: nn.Conv2d(a, b, 1))
        self.fc = nn.Sequential(one(channels, channels // 2), nn.ReLU(), one(channels // 2, channels), gate())

    def forward(self, x):
        pooled = F.adaptive_avg_pool2d(x, 1)
        if self.dense:
            return x * self.fc(pooled.view(x.size(0), -1)).view(x.size(0), -1, 1, 1)
        return x * self.fc(pooled)


class Inverted(nn.Module):
    """The block of MobileNet v2 and v3 and of EfficientNet."""

    def __init__(self, channels, activation, gate=None):
        super().__init__()
        wide = channels * 2
        self.body = nn.Sequential(
            conv_bn(channels, wide, 1, activation=activation),
            conv_bn(wide, wide, 3, groups=wide, activation=activation),
            SqueezeExcite(wide, gate) if gate else nn.Identity(),
            nn.Conv2d(wide, channels, 1, bias=False),
            nn.BatchNorm2d(channels),
        )

    def forward(self, x):
        return x + self.body(x)


def dense_block(one, two, last, x):
    x = torch.cat([x, F.relu(one(x))], 1)
    return last(torch.cat([x, F.relu(two(x))], 1).mean((2, 3)))


def inception(a, b, c, x):
    return torch.cat([a(x), b(x), c(F.avg_pool2d(x, 3, 1, 1))], 1)


def fire(squeeze, one, three, x):
    x = F.relu(squeeze(x))
    return torch.cat([F.relu(one(x)), F.relu(three(x))], 1)


def unet(down, middle, up, last, x):
    kept = F.relu(down(x))
    return last(torch.cat([kept, up(F.relu(middle(F.max_pool2d(kept, 2))))], 1))


def shuffle_unit(body, x):
    left, right = x.chunk(2, 1)
    x = torch.cat([left, body(right)], 1)
    count, channels, height, width = x.size()
    return x.view(count, 2, channels // 2, height, width).transpose(1, 2).contiguous().view(count, -1, height, width)


def patches(embed, encoder, head, x):
    tokens = embed(x).flatten(2).transpose(1, 2)
    tokens = torch.cat([torch.zeros(1, 1, 8).expand(x.shape[0], -1, -1), tokens], 1) + torch.ones(1, 10, 8) * 0.1
    return head(encoder(tokens)[:, 0])


ARCHITECTURES = [
    (
        "lenet",
        GREY,
        lambda: then_flat(
            nn.Conv2d(1, 6, 3, padding=1),
            nn.Tanh(),
            nn.AvgPool2d(2),
            nn.Conv2d(6, 8, 3),
            nn.Tanh(),
            nn.AvgPool2d(2),
            width=32,
            outputs=10,
        ),
    ),
    (
        "alexnet",
        IMAGE,
        lambda: nn.Sequential(
            nn.Conv2d(3, 8, 3, 2, 1),
            nn.ReLU(True),
            nn.MaxPool2d(3, 2),
            nn.AdaptiveAvgPool2d((2, 2)),
            nn.Flatten(),
            nn.Dropout(),
            nn.Linear(32, 16),
            nn.ReLU(True),
            nn.Linear(16, 4),
        ),
    ),
    (
        "vgg",
        IMAGE,
        lambda: then_flat(
            conv_bn(3, 6), conv_bn(6, 6), nn.MaxPool2d(2, 2), conv_bn(6, 8), nn.MaxPool2d(2, 2), width=72
        ),
    ),
    (
        "square_cnn",
        GREY,
        lambda: Apply(
            lambda a, b, last, x: last(b(a(x) ** 2).square().flatten(1)),
            nn.Conv2d(1, 4, 5, 2),
            nn.Conv2d(4, 4, 3),
            nn.Linear(16, 10),
        ),
    ),
    ("resnet", IMAGE, lambda: then_mean(conv_bn(3, 6), Residual(6, 6), Residual(6, 8, 2), width=8)),
    ("resnet_silu", IMAGE, lambda: then_mean(conv_bn(3, 6, activation=nn.SiLU), Residual(6, 8, 2, nn.SiLU), width=8)),
    (
        "resnet_preactivation",
        IMAGE,
        lambda: Apply(
            lambda stem, body, x: (lambda y: y + body(y))(stem(x)),
            nn.Conv2d(3, 6, 3, padding=1),
            nn.Sequential(nn.BatchNorm2d(6), nn.ReLU(), nn.Conv2d(6, 6, 3, padding=1)),
        ),
    ),
    (
        "densenet",
        IMAGE,
        lambda: Apply(dense_block, nn.Conv2d(3, 4, 3, padding=1), nn.Conv2d(7, 4, 3, padding=1), nn.Linear(11, 3)),
    ),
    (
        "inception",
        IMAGE,
        lambda: Apply(inception, nn.Conv2d(3, 2, 1), nn.Conv2d(3, 2, 3, padding=1), nn.Conv2d(3, 2, 1)),
    ),
    ("squeezenet", IMAGE, lambda: Apply(fire, nn.Conv2d(3, 2, 1), nn.Conv2d(2, 4, 1), nn.Conv2d(2, 4, 3, padding=1))),
    (
        "mobilenet_v1",
        IMAGE,
        lambda: then_mean(conv_bn(3, 6, stride=2), conv_bn(6, 6, groups=6), conv_bn(6, 8, 1), width=8),
    ),
    (
        "mobilenet_v2",
        IMAGE,
        lambda: then_mean(conv_bn(3, 6, stride=2, activation=nn.ReLU6), Inverted(6, nn.ReLU6), width=6),
    ),
    (
        "mobilenet_v3",
        IMAGE,
        lambda: then_mean(
            conv_bn(3, 6, stride=2, activation=nn.Hardswish), Inverted(6, nn.Hardswish, nn.Hardsigmoid), width=6
        ),
    ),
    (
        "efficientnet",
        IMAGE,
        lambda: then_mean(conv_bn(3, 6, stride=2, activation=nn.SiLU), Inverted(6, nn.SiLU, nn.Sigmoid), width=6),
    ),
    ("squeeze_excite_dense", IMAGE, lambda: then_mean(conv_bn(3, 6), SqueezeExcite(6, dense=True), width=6)),
    ("shufflenet", IMAGE, lambda: nn.Sequential(conv_bn(3, 6), Apply(shuffle_unit, conv_bn(3, 3)), nn.Conv2d(6, 2, 1))),
    (
        "convnext",
        IMAGE,
        lambda: Apply(
            lambda depth, norm, wide, slim, x: x
            + slim(F.gelu(wide(norm(depth(x).permute(0, 2, 3, 1))))).permute(0, 3, 1, 2),
            nn.Conv2d(3, 3, 7, padding=3, groups=3),
            nn.LayerNorm(3),
            nn.Linear(3, 6),
            nn.Linear(6, 3),
        ),
    ),
    (
        "unet",
        IMAGE,
        lambda: Apply(
            unet,
            nn.Conv2d(3, 4, 3, padding=1),
            nn.Conv2d(4, 6, 3, padding=1),
            nn.ConvTranspose2d(6, 4, 2, 2),
            nn.Conv2d(8, 2, 1),
        ),
    ),
    (
        "super_resolution",
        GREY,
        lambda: nn.Sequential(
            nn.Conv2d(1, 8, 5, padding=2), nn.Tanh(), nn.Conv2d(8, 4, 3, padding=1), nn.PixelShuffle(2), nn.Sigmoid()
        ),
    ),
    (
        "generator",
        (16,),
        lambda: nn.Sequential(
            nn.Linear(16, 36),
            nn.Unflatten(1, (4, 3, 3)),
            nn.ConvTranspose2d(4, 4, 4, 2, 1),
            nn.BatchNorm2d(4),
            nn.ReLU(),
            nn.ConvTranspose2d(4, 1, 4, 2, 1),
            nn.Tanh(),
        ),
    ),
    (
        "discriminator",
        GREY,
        lambda: then_flat(
            nn.Conv2d(1, 4, 4, 2, 1),
            nn.LeakyReLU(0.2),
            nn.Conv2d(4, 8, 4, 2, 1),
            nn.BatchNorm2d(8),
            nn.LeakyReLU(0.2),
            width=72,
            outputs=1,
        ),
    ),
    (
        "network_in_network",
        IMAGE,
        lambda: nn.Sequential(
            nn.Conv2d(3, 6, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(6, 4, 1),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
        ),
    ),
    (
        "vision_transformer",
        IMAGE,
        lambda: Apply(
            patches, nn.Conv2d(3, 8, 4, 4), nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), nn.Linear(8, 3)
        ),
    ),
    ("segmentation_argmax", IMAGE, lambda: Apply(lambda net, x: net(x).argmax(1), nn.Conv2d(3, 4, 3, padding=1))),
    (
        "normalised_input",
        IMAGE,
        lambda: Apply(
            lambda net, x: net(
                (x - torch.tensor([0.485, 0.456, 0.406]).view(3, 1, 1))
                / torch.tensor([0.229, 0.224, 0.225]).view(3, 1, 1)
            ),
            then_flat(nn.Conv2d(3, 4, 3, 2), nn.ReLU(), width=100),
        ),
    ),
    (
        "byte_image",
        (Input(IMAGE, "byte"),),
        lambda: Apply(lambda net, x: net(x.float() / 255), then_flat(nn.Conv2d(3, 4, 3, 2), nn.ReLU(), width=100)),
    ),
    (
        "channels_last_image",
        (12, 12, 3),
        lambda: Apply(
            lambda net, x: net(x.permute(0, 3, 1, 2)), then_flat(nn.Conv2d(3, 4, 3, 2), nn.ReLU(), width=100)
        ),
    ),
    (
        "half_cnn",
        (Input(IMAGE, scalar=torch.float16),),
        lambda: then_flat(nn.Conv2d(3, 4, 3, 2), nn.ReLU(), width=100).half(),
    ),
    (
        "bfloat16_cnn",
        IMAGE,
        lambda: Apply(
            lambda net, x: net(x.bfloat16()).float(), then_flat(nn.Conv2d(3, 4, 3, 2), nn.ReLU(), width=100).bfloat16()
        ),
    ),
]
ANY_SIZE = [
    ("any_size_pool", IMAGE, lambda: then_mean(conv_bn(3, 6), width=6), {"axes": {2: "height", 3: "width"}}),
    (
        "any_size_flat",
        IMAGE,
        lambda: Apply(lambda conv, x: conv(x).view(x.size(0), -1), nn.Conv2d(3, 1, 3)),
        {"axes": {2: "height", 3: "width"}},
    ),
]
TRAINING = [
    ("cnn_in_training", IMAGE, lambda: then_flat(conv_bn(3, 4), nn.Dropout(0.1), width=576), {"training": True})
]

OFTEN = ("resnet", "lenet", "unet", "mobilenet_v3")
MODELS = (
    networks(ARCHITECTURES, USUAL + FIXED + ("script11",))
    + networks(
        [row for row in ARCHITECTURES if row[0] in OFTEN],
        tuple(way for way in MANY if way not in USUAL + FIXED + ("script11",))
        + ("script9", "script_default", "dynamo23", "dynamo_as_traced", "script_unfolded"),
    )
    + networks(ANY_SIZE, ("script17", "script11"))
    + networks(TRAINING, ("script_preserve", "script_training", "dynamo"))
)
