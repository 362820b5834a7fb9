"""Functions one by one in small dense networks of PyTorch: activations, arithmetic, heads, and what moves elements."""

import torch
from torch import nn
from torch.nn import functional as F

from .torch_export import FIXED, MANY, USUAL, Apply, networks

WIDTH = 20
VECTOR = (WIDTH,)


def mlp(activation, width=12, outputs=3):
    return nn.Sequential(nn.Linear(WIDTH, width), activation, nn.Linear(width, outputs))


def around(function):
    """A function between two linear layers."""
    return lambda: Apply(lambda first, last, x: last(function(first(x))), nn.Linear(WIDTH, 12), nn.Linear(12, 3))


def after(function, outputs=6):
    """A function behind a linear layer, as the last thing of a model."""
    return lambda: Apply(lambda first, x: function(first(x)), nn.Linear(WIDTH, outputs))


def before(function, width=WIDTH):
    """A function of the input, then a linear layer."""
    return lambda: Apply(lambda last, x: last(function(x)), nn.Linear(width, 3))


MODULES = {
    "relu": nn.ReLU,
    "leaky_relu": nn.LeakyReLU,
    "prelu": nn.PReLU,
    "prelu_channels": lambda: nn.PReLU(12),
    "elu": nn.ELU,
    "elu_alpha": lambda: nn.ELU(0.5),
    "selu": nn.SELU,
    "celu": lambda: nn.CELU(2.0),
    "gelu": nn.GELU,
    "gelu_tanh": lambda: nn.GELU("tanh"),
    "silu": nn.SiLU,
    "mish": nn.Mish,
    "hardswish": nn.Hardswish,
    "hardsigmoid": nn.Hardsigmoid,
    "hardtanh": nn.Hardtanh,
    "hardtanh_wide": lambda: nn.Hardtanh(-2, 3),
    "relu6": nn.ReLU6,
    "sigmoid": nn.Sigmoid,
    "log_sigmoid": nn.LogSigmoid,
    "tanh": nn.Tanh,
    "tanhshrink": nn.Tanhshrink,
    "softplus": nn.Softplus,
    "softplus_beta": lambda: nn.Softplus(2.0),
    "softshrink": nn.Softshrink,
    "hardshrink": nn.Hardshrink,
    "softsign": nn.Softsign,
    "threshold": lambda: nn.Threshold(0.1, 0.0),
    "rrelu": nn.RReLU,
    "softmax_inside": lambda: nn.Softmax(-1),
    "softmin_inside": lambda: nn.Softmin(-1),
    "batch_norm": lambda: nn.BatchNorm1d(12),
    "batch_norm_plain": lambda: nn.BatchNorm1d(12, affine=False),
    "layer_norm": lambda: nn.LayerNorm(12),
    "layer_norm_plain": lambda: nn.LayerNorm(12, elementwise_affine=False),
    "layer_norm_no_bias": lambda: nn.LayerNorm(12, bias=False),
    "rms_norm": lambda: nn.RMSNorm(12),
    "group_norm": lambda: nn.GroupNorm(3, 12),
    "dropout": nn.Dropout,
    "identity": nn.Identity,
    "alpha_dropout": nn.AlphaDropout,
}
FUNCTIONS = {
    "square": lambda x: x * x,
    "square_pow": lambda x: x**2,
    "square_call": torch.square,
    "cube": lambda x: x**3,
    "pow_half": lambda x: (x.abs() + 1) ** 0.5,
    "pow_negative": lambda x: (x * x + 1) ** -1.5,
    "pow_base": lambda x: 2**x,
    "abs": torch.abs,
    "exp": torch.exp,
    "expm1": torch.expm1,
    "sin": torch.sin,
    "cos": torch.cos,
    "atan": torch.atan,
    "sinh": torch.sinh,
    "asinh": torch.asinh,
    "erf": torch.erf,
    "sqrt": lambda x: torch.sqrt(x * x + 1),
    "rsqrt": lambda x: torch.rsqrt(x * x + 1),
    "reciprocal": lambda x: 1 / (1 + x * x),
    "log": lambda x: torch.log(x * x + 1),
    "log1p": lambda x: torch.log1p(x * x),
    "clamp": lambda x: torch.clamp(x, -1, 1),
    "clamp_min": lambda x: x.clamp(min=0),
    "clamp_max": lambda x: x.clamp(max=1),
    "maximum": lambda x: torch.maximum(x, torch.tensor(0.1)),
    "sign": torch.sign,
    "floor": torch.floor,
    "round": torch.round,
    "relu_call": F.relu,
    "quick_gelu": lambda x: x * torch.sigmoid(1.702 * x),
    "gelu_by_erf": lambda x: 0.5 * x * (1 + torch.erf(x / 2**0.5)),
    "swish_by_hand": lambda x: x * torch.sigmoid(x),
    "gelu_by_tanh": lambda x: 0.5 * x * (1 + torch.tanh(0.7978845608 * (x + 0.044715 * x**3))),
    "mish_by_hand": lambda x: x * torch.tanh(F.softplus(x)),
    "relu_squared": lambda x: F.relu(x) ** 2,
    "hardswish_by_hand": lambda x: x * F.relu6(x + 3) / 6,
    "snake": lambda x: x + torch.sin(x) ** 2,
    "gaussian": lambda x: torch.exp(-(x**2)),
    "squareplus": lambda x: (x + torch.sqrt(x * x + 4)) / 2,
    "polynomial": lambda x: 0.5 + 0.25 * x + 0.1 * x**2,
    "horner": lambda x: (0.1 * x + 0.25) * x + 0.5,
    "where": lambda x: torch.where(x > 0, x, 0.1 * x),
    "masked_fill": lambda x: x.masked_fill(x < 0, 0.0),
    "step": lambda x: (x > 0).float(),
    "addcmul": lambda x: torch.addcmul(x, x, x, value=0.5),
    "lerp": lambda x: torch.lerp(x, x * x, 0.3),
    "glu_twice": lambda x: F.glu(torch.cat([x, x], -1)),
    "normalize": lambda x: F.normalize(x, dim=-1),
    "standardise": lambda x: (x - x.mean(-1, True)) / (x.std(-1, keepdim=True) + 1),
    "rms_by_hand": lambda x: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6),
    "add_integer": lambda x: x + 1,
    "rsub": lambda x: 3 - x,
    "divide": lambda x: x / 7,
    "negate": lambda x: -x,
    "remainder": lambda x: torch.remainder(x, 1.0),
    "dropout_call": lambda x: F.dropout(x, 0.5, training=False),
    "half_inside": lambda x: x.half().float(),
    "detach_clone": lambda x: x.detach().clone().contiguous(),
}
HEADS = {
    "softmax": lambda x: F.softmax(x, 1),
    "log_softmax": lambda x: F.log_softmax(x, -1),
    "sigmoid": torch.sigmoid,
    "argmax": lambda x: x.argmax(1),
    "argmax_kept": lambda x: x.argmax(1, keepdim=True),
    "argmin": lambda x: x.argmin(1),
    "max_values": lambda x: x.max(1).values,
    "max_both": lambda x: tuple(x.max(1)),
    "topk": lambda x: tuple(x.topk(3)),
    "topk_indices": lambda x: x.topk(2, dim=1).indices,
    "sorted": lambda x: tuple(torch.sort(x, descending=True)),
    "threshold": lambda x: torch.sigmoid(x) > 0.5,
    "rounded": lambda x: torch.sigmoid(x).round(),
    "greater": lambda x: x > 0,
    "as_integers": lambda x: x.long(),
    "softmax_argmax": lambda x: (F.softmax(x, 1), x.argmax(1)),
    "logits_and_softmax": lambda x: (x, F.softmax(x, 1)),
    "temperature": lambda x: F.softmax(x / 2.5, 1),
    "squeezed": lambda x: torch.sigmoid(x[:, :1]).squeeze(1),
    "unsqueezed": lambda x: x.unsqueeze(1),
    "split": lambda x: (x[:, :4], x[:, 4:]),
    "list": lambda x: [x, x * 2],
    "dictionary": lambda x: {"scores": x, "labels": x.argmax(1)},
    "logsumexp": lambda x: torch.logsumexp(x, 1),
    "margin": lambda x: x.amax(1) - x.amin(1),
    "one_hot": lambda x: F.one_hot(x.argmax(1), 6).float(),
    "softmax_axis_0": lambda x: F.softmax(x, 0),
    "entropy": lambda x: -(F.softmax(x, 1) * F.log_softmax(x, 1)).sum(1),
    "twice_the_same": lambda x: (x, x),
    "any": lambda x: (x > 0).any(1),
    "sum_all": lambda x: x.sum(),
    "cumulative": lambda x: torch.cumsum(F.softmax(x, 1), 1),
}
GRID = torch.linspace(-1, 1, WIDTH)
ORDER = torch.randperm(WIDTH, generator=torch.Generator().manual_seed(3))
SHAPES = {  # functions of a [batch, 20] input that give [batch, 20]
    "view": lambda x: x.view(-1, 4, 5).transpose(1, 2).reshape(x.size(0), -1),
    "view_by_size": lambda x: x.view(x.size(0), 4, 5).permute(0, 2, 1).contiguous().view(x.size(0), -1),
    "unflatten": lambda x: x.unflatten(1, (2, 10)).flatten(1),
    "chunk": lambda x: torch.cat(x.chunk(4, 1)[::-1], 1),
    "split": lambda x: torch.cat([p * (k + 1) for k, p in enumerate(x.split([5, 10, 5], 1))], 1),
    "stack": lambda x: torch.stack([x, -x], 2).sum(2),
    "unbind": lambda x: torch.stack(x.unbind(1)[::-1], 1),
    "flip": lambda x: x.flip(1),
    "roll": lambda x: x.roll(3, 1),
    "index_select": lambda x: x.index_select(1, ORDER),
    "fancy_index": lambda x: x[:, ORDER],
    "stride": lambda x: torch.cat([x[:, ::2], x[:, 1::2]], 1),
    "ellipsis": lambda x: torch.cat([x[..., 5:], x[..., :5]], -1),
    "add_grid": lambda x: x + GRID,
    "expand": lambda x: (x[:, :1].expand(-1, WIDTH) + x),
    "repeat": lambda x: x[:, :5].repeat(1, 4),
    "repeat_interleave": lambda x: x[:, :5].repeat_interleave(4, 1),
    "tile": lambda x: torch.tile(x[:, :10], (1, 2)),
    "pad": lambda x: F.pad(x[:, 2:18], (2, 2)),
    "pad_value": lambda x: F.pad(x[:, 4:], (4, 0), value=1.5),
    "mean_taken_off": lambda x: x - x.mean(1, keepdim=True),
    "sum": lambda x: x * x.sum(1, keepdim=True),
    "norm_l1": lambda x: x / (1 + x.norm(1, dim=1, keepdim=True)),
    "norm_l2": lambda x: x * x.norm(dim=1, keepdim=True),
    "norm_l3": lambda x: x * torch.linalg.vector_norm(x, 3, 1, True),
    "variance": lambda x: x * x.var(1, keepdim=True),
    "deviation": lambda x: x * x.std(1, unbiased=False, keepdim=True),
    "triu": lambda x: (x.view(-1, 4, 5).triu()).flatten(1),
    "diagonal": lambda x: x + x.view(-1, 4, 5).diagonal(dim1=1, dim2=2).sum(1, True),
    "movedim": lambda x: x.view(-1, 4, 5).movedim(1, 2).flatten(1),
    "cumsum": lambda x: x.cumsum(1),
    "outer": lambda x: (x[:, :4, None] * x[:, None, :5]).flatten(1),
    "unfold": lambda x: x.unfold(1, 5, 5).flatten(1),
    "squeeze": lambda x: x.unsqueeze(2).squeeze(-1),
    "concat_constant": lambda x: torch.cat([x[:, :-1], torch.ones_like(x[:, :1])], 1),
    "new_zeros": lambda x: torch.cat([x[:, :10], x.new_zeros(x.size(0), 10)], 1),
    "prod": lambda x: x * x[:, :3].prod(1, True),
    "amax": lambda x: x - x.amax(1, keepdim=True),
    "select": lambda x: x + x[:, 3].unsqueeze(1),
    "as_double": lambda x: x.double().float(),
    "einsum_transpose": lambda x: torch.einsum("bij->bji", x.view(-1, 4, 5)).flatten(1),
    "kron": lambda x: torch.kron(x[:, :5], torch.ones(1, 4)),
    "gather": lambda x: x.gather(1, ORDER.expand(x.size(0), -1)),
    "swap": lambda x: x.view(-1, 2, 10).swapaxes(1, 2).reshape(-1, WIDTH),
    "scale_shift": lambda x: (x - 0.1307) / 0.3081,
    "scatter": lambda x: torch.zeros_like(x).index_add(1, ORDER, x),
}


FEW = ("relu", "gelu", "batch_norm", "layer_norm", "hardswish", "softmax_inside")
MODELS = (
    networks([(f"act_{name}", VECTOR, lambda make=make: mlp(make())) for name, make in MODULES.items()])
    + networks([(f"fun_{name}", VECTOR, around(function)) for name, function in FUNCTIONS.items()])
    + networks([(f"head_{name}", VECTOR, after(function)) for name, function in HEADS.items()])
    + networks([(f"move_{name}", VECTOR, before(function)) for name, function in SHAPES.items()], USUAL + FIXED)
    + networks(
        [(f"act_{name}", VECTOR, lambda make=MODULES[name]: mlp(make())) for name in FEW],
        tuple(way for way in MANY if way not in USUAL),
    )
)
