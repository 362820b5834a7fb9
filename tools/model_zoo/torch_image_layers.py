"""Layers of convolutional networks of PyTorch one by one, in one, two and three dimensions."""

import torch
from torch import nn
from torch.nn import functional as F

from .torch_export import USUAL, Apply, networks

IMAGE = (3, 12, 12)
SIGNAL = (3, 24)
VOLUME = (2, 6, 8, 8)


def between(layer):
    """A layer between two convolutions of 6 channels."""
    return lambda: nn.Sequential(nn.Conv2d(3, 6, 3, padding=1), layer(), nn.Conv2d(6, 2, 1))


def function_between(function, channels=6):
    return lambda: Apply(
        lambda first, last, x: last(function(first(x))), nn.Conv2d(3, 6, 3, padding=1), nn.Conv2d(channels, 2, 1)
    )


def images(rows, shape=IMAGE):
    return [(name, shape, make) for name, make in rows.items()]


CONVOLUTIONS = images(
    {
        "conv": lambda: nn.Conv2d(3, 4, 3),
        "conv_no_bias": lambda: nn.Conv2d(3, 4, 3, bias=False),
        "conv_same": lambda: nn.Conv2d(3, 4, 3, padding="same"),
        "conv_even_same": lambda: nn.Conv2d(3, 4, 4, padding="same"),
        "conv_valid": lambda: nn.Conv2d(3, 4, 3, padding="valid"),
        "conv_stride": lambda: nn.Conv2d(3, 4, 3, 2, 1),
        "conv_uneven": lambda: nn.Conv2d(3, 4, (1, 5), (2, 1), (0, 2)),
        "conv_dilated": lambda: nn.Conv2d(3, 4, 3, dilation=2),
        "conv_groups": lambda: nn.Conv2d(3, 6, 3, groups=3),
        "conv_1x1": lambda: nn.Conv2d(3, 4, 1),
        "conv_reflect": lambda: nn.Conv2d(3, 4, 3, padding=1, padding_mode="reflect"),
        "conv_replicate": lambda: nn.Conv2d(3, 4, 3, padding=1, padding_mode="replicate"),
        "conv_circular": lambda: nn.Conv2d(3, 4, 3, padding=1, padding_mode="circular"),
        "transposed": lambda: nn.ConvTranspose2d(3, 4, 2, 2),
        "transposed_4x4": lambda: nn.ConvTranspose2d(3, 4, 4, 2, 1),
        "transposed_output_padding": lambda: nn.ConvTranspose2d(3, 4, 3, 2, 1, output_padding=1),
        "transposed_groups": lambda: nn.ConvTranspose2d(3, 6, 3, groups=3),
        "transposed_dilated": lambda: nn.ConvTranspose2d(3, 4, 3, dilation=2),
        "unfold": lambda: nn.Unfold(3),
        "fold": lambda: nn.Sequential(nn.Unfold(2, stride=2), nn.Fold((12, 12), 2, stride=2)),
    }
)
LAYERS = images(
    {
        f"layer_{name}": between(make)
        for name, make in {
            "avg_pool": lambda: nn.AvgPool2d(2),
            "avg_pool_overlap": lambda: nn.AvgPool2d(3, 2, 1),
            "avg_pool_inside": lambda: nn.AvgPool2d(3, 2, 1, count_include_pad=False),
            "avg_pool_ceil": lambda: nn.AvgPool2d(5, 3, ceil_mode=True),
            "max_pool": lambda: nn.MaxPool2d(2),
            "max_pool_overlap": lambda: nn.MaxPool2d(3, 2, 1),
            "max_pool_ceil": lambda: nn.MaxPool2d(5, 3, ceil_mode=True),
            "max_pool_dilated": lambda: nn.MaxPool2d(2, dilation=2),
            "lp_pool": lambda: nn.LPPool2d(2, 2),
            "adaptive_avg_1": lambda: nn.AdaptiveAvgPool2d(1),
            "adaptive_avg_2": lambda: nn.AdaptiveAvgPool2d((2, 3)),
            "adaptive_avg_uneven": lambda: nn.AdaptiveAvgPool2d(5),
            "adaptive_avg_rows": lambda: nn.AdaptiveAvgPool2d((None, 1)),
            "adaptive_max_1": lambda: nn.AdaptiveMaxPool2d(1),
            "adaptive_max_2": lambda: nn.AdaptiveMaxPool2d(2),
            "batch_norm": lambda: nn.BatchNorm2d(6),
            "batch_norm_relu": lambda: nn.Sequential(nn.BatchNorm2d(6), nn.ReLU()),
            "relu_batch_norm": lambda: nn.Sequential(nn.ReLU(), nn.BatchNorm2d(6)),
            "instance_norm": lambda: nn.InstanceNorm2d(6),
            "instance_norm_affine": lambda: nn.InstanceNorm2d(6, affine=True),
            "instance_norm_tracked": lambda: nn.InstanceNorm2d(6, affine=True, track_running_stats=True),
            "group_norm": lambda: nn.GroupNorm(2, 6),
            "group_norm_one": lambda: nn.GroupNorm(1, 6),
            "layer_norm": lambda: nn.LayerNorm([6, 12, 12]),
            "local_response": lambda: nn.LocalResponseNorm(3),
            "prelu": lambda: nn.PReLU(6),
            "softmax2d": nn.Softmax2d,
            "dropout2d": nn.Dropout2d,
            "relu6": nn.ReLU6,
            "upsample_nearest": lambda: nn.Upsample(scale_factor=2),
            "upsample_bilinear": lambda: nn.Upsample(scale_factor=2, mode="bilinear"),
            "upsample_bilinear_corners": lambda: nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True),
            "upsample_bicubic": lambda: nn.Upsample(scale_factor=2, mode="bicubic"),
            "upsample_size": lambda: nn.Upsample(size=(20, 17)),
            "upsample_half": lambda: nn.Upsample(scale_factor=0.5, mode="bilinear"),
            "zero_pad": lambda: nn.ZeroPad2d((1, 2, 0, 3)),
            "constant_pad": lambda: nn.ConstantPad2d(1, 0.5),
            "reflection_pad": lambda: nn.ReflectionPad2d(2),
            "replication_pad": lambda: nn.ReplicationPad2d(2),
            "circular_pad": lambda: nn.CircularPad2d(1),
            "crop_by_pad": lambda: nn.ZeroPad2d(-2),
        }.items()
    }
)
FUNCTIONS = images(
    {
        f"pass_{name}": function_between(function, channels)
        for name, (function, channels) in {
            "mean": (lambda x: x.mean((2, 3), keepdim=True), 6),
            "mean_twice": (lambda x: x.mean(3, True).mean(2, True), 6),
            "sum": (lambda x: x.sum((-1, -2), keepdim=True), 6),
            "amax": (lambda x: x.amax((2, 3), keepdim=True), 6),
            "view": (lambda x: x.view(x.size(0), 6, -1).mean(2).view(-1, 6, 1, 1), 6),
            "flip": (lambda x: x.flip(3), 6),
            "crop": (lambda x: x[:, :, 2:-2, 2:-2], 6),
            "every_second": (lambda x: x[:, :, ::2, ::2], 6),
            "roll": (lambda x: torch.roll(x, (1, 2), (2, 3)), 6),
            "transpose": (lambda x: x.transpose(2, 3), 6),
            "channel_shuffle": (lambda x: x.view(-1, 2, 3, 12, 12).transpose(1, 2).reshape(-1, 6, 12, 12), 6),
            "pixel_unshuffle": (lambda x: F.pixel_unshuffle(x, 2), 24),
            "space_to_depth": (lambda x: x.view(-1, 6, 6, 2, 6, 2).permute(0, 1, 3, 5, 2, 4).reshape(-1, 24, 6, 6), 24),
            "focus": (
                lambda x: torch.cat([x[..., ::2, ::2], x[..., 1::2, ::2], x[..., ::2, 1::2], x[..., 1::2, 1::2]], 1),
                24,
            ),
            "concat": (lambda x: torch.cat([x, F.relu(x)], 1), 12),
            "crelu": (lambda x: F.relu(torch.cat([x, -x], 1)), 12),
            "pool_call": (lambda x: F.avg_pool2d(F.relu(x), 3), 6),
            "adaptive_call": (lambda x: F.adaptive_avg_pool2d(x, 4), 6),
            "interpolate_size": (lambda x: F.interpolate(x, size=(9, 9), mode="bilinear", align_corners=False), 6),
            "interpolate_area": (lambda x: F.interpolate(x, size=(6, 6), mode="area"), 6),
            "interpolate_to_other": (lambda x: x + F.interpolate(F.avg_pool2d(x, 2), size=x.shape[2:]), 6),
            "shortcut_a": (lambda x: F.pad(x[:, :, ::2, ::2], (0, 0, 0, 0, 3, 3)), 12),
            "instance_norm_by_hand": (
                lambda x: (x - x.mean((2, 3), True)) / torch.sqrt(x.var((2, 3), keepdim=True, unbiased=False) + 1e-5),
                6,
            ),
            "normalize": (lambda x: F.normalize(x, dim=1), 6),
            "unfold_windows": (lambda x: x.unfold(2, 3, 3).unfold(3, 3, 3).mean((-1, -2)), 6),
            "einsum": (lambda x: torch.einsum("bchw,oc->bohw", x, torch.ones(6, 6)), 6),
            "split_channels": (lambda x: torch.cat([x.chunk(2, 1)[0] * 2, x.chunk(2, 1)[1].sigmoid()], 1), 6),
            "coordinates": (lambda x: torch.cat([x, torch.linspace(-1, 1, 12).expand(x.size(0), 1, 12, 12)], 1), 7),
            "max_pool_indices": (lambda x: F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2), 6),
            "grid_sample": (
                lambda x: F.grid_sample(
                    x,
                    F.affine_grid(torch.eye(2, 3).expand(x.size(0), 2, 3), (x.size(0), 6, 12, 12), align_corners=False),
                    align_corners=False,
                ),
                6,
            ),
        }.items()
    }
)
OTHER_DIMENSIONS = [
    (
        "conv1d",
        SIGNAL,
        lambda: nn.Sequential(nn.Conv1d(3, 4, 5, 2), nn.ReLU(), nn.AvgPool1d(2), nn.Flatten(), nn.Linear(20, 3)),
    ),
    ("conv1d_causal", SIGNAL, lambda: Apply(lambda conv, x: conv(F.pad(x, (4, 0))), nn.Conv1d(3, 4, 3, dilation=2))),
    (
        "conv1d_batch_norm",
        SIGNAL,
        lambda: nn.Sequential(
            nn.Conv1d(3, 4, 3, padding="same"),
            nn.BatchNorm1d(4),
            nn.ReLU(),
            nn.MaxPool1d(2),
            nn.AdaptiveAvgPool1d(1),
            nn.Flatten(),
            nn.Linear(4, 2),
        ),
    ),
    ("conv1d_depthwise", SIGNAL, lambda: nn.Sequential(nn.Conv1d(3, 3, 3, groups=3), nn.Conv1d(3, 4, 1), nn.GELU())),
    (
        "conv1d_of_rows",
        (24, 3),
        lambda: Apply(lambda conv, x: conv(x.transpose(1, 2)).transpose(1, 2), nn.Conv1d(3, 4, 3)),
    ),
    (
        "conv1d_of_vector",
        (24,),
        lambda: Apply(
            lambda conv, last, x: last(F.relu(conv(x.unsqueeze(1))).flatten(1)), nn.Conv1d(1, 2, 5, 3), nn.Linear(14, 2)
        ),
    ),
    (
        "wavenet_gate",
        SIGNAL,
        lambda: Apply(lambda a, b, x: torch.tanh(a(x)) * torch.sigmoid(b(x)), nn.Conv1d(3, 4, 2), nn.Conv1d(3, 4, 2)),
    ),
    ("transposed1d", SIGNAL, lambda: nn.ConvTranspose1d(3, 2, 4, 2, 1)),
    (
        "instance_norm1d",
        SIGNAL,
        lambda: nn.Sequential(nn.Conv1d(3, 4, 3), nn.InstanceNorm1d(4, affine=True), nn.ReLU()),
    ),
    ("upsample1d", SIGNAL, lambda: nn.Sequential(nn.Upsample(scale_factor=2, mode="linear"), nn.Conv1d(3, 2, 3))),
    (
        "conv3d",
        VOLUME,
        lambda: nn.Sequential(
            nn.Conv3d(2, 4, 3, padding=1),
            nn.BatchNorm3d(4),
            nn.ReLU(),
            nn.AvgPool3d(2),
            nn.AdaptiveAvgPool3d(1),
            nn.Flatten(),
            nn.Linear(4, 2),
        ),
    ),
    ("conv3d_max", VOLUME, lambda: nn.Sequential(nn.Conv3d(2, 3, 3), nn.ReLU(), nn.MaxPool3d(2))),
    (
        "conv_2_plus_1d",
        VOLUME,
        lambda: nn.Sequential(nn.Conv3d(2, 4, (1, 3, 3), padding=(0, 1, 1)), nn.ReLU(), nn.Conv3d(4, 3, (3, 1, 1))),
    ),
    ("transposed3d", VOLUME, lambda: nn.ConvTranspose3d(2, 3, 2, 2)),
]

MODELS = networks(CONVOLUTIONS + LAYERS + FUNCTIONS + OTHER_DIMENSIONS, USUAL + ("script11",))
