"""Whole dense networks of PyTorch: several inputs and outputs, other types of numbers, recurrent cells, attention."""

import torch
from torch import nn
from torch.nn import functional as F

from .torch_export import USUAL, Apply, Input, networks

VECTOR = (20,)


def mlp(activation):
    return nn.Sequential(nn.Linear(20, 12), activation, nn.Linear(12, 3))


def plain():
    return nn.Sequential(nn.Linear(20, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 3))


def two_towers(left, right, first, second):
    return (left(first) * right(second)).sum(1)


INPUTS = [
    (
        "two_inputs_concat",
        (Input((8,)), Input((12,))),
        lambda: Apply(lambda last, a, b: last(torch.cat([a, b], 1)), nn.Linear(20, 3)),
    ),
    ("two_inputs_sum", (Input(VECTOR), Input(VECTOR)), lambda: Apply(lambda last, a, b: last(a + b), nn.Linear(20, 3))),
    (
        "two_inputs_product",
        (Input(VECTOR), Input(VECTOR)),
        lambda: Apply(two_towers, nn.Linear(20, 8), nn.Linear(20, 8)),
    ),
    (
        "two_inputs_bilinear",
        (Input((8,)), Input((6,))),
        lambda: Apply(lambda layer, a, b: layer(a, b), nn.Bilinear(8, 6, 3)),
    ),
    (
        "two_inputs_cosine",
        (Input(VECTOR), Input(VECTOR)),
        lambda: Apply(lambda layer, a, b: F.cosine_similarity(layer(a), layer(b)), nn.Linear(20, 8)),
    ),
    (
        "two_inputs_distance",
        (Input(VECTOR), Input(VECTOR)),
        lambda: Apply(lambda layer, a, b: (layer(a) - layer(b)).pow(2).sum(1), nn.Linear(20, 8)),
    ),
    (
        "two_inputs_one_unused",
        (Input(VECTOR), Input((3,))),
        lambda: Apply(lambda last, a, b: last(a), nn.Linear(20, 3)),
    ),
    (
        "three_inputs",
        (Input((4,)), Input((4,)), Input((4,))),
        lambda: Apply(lambda last, a, b, c: last(torch.stack([a, b, c], 1).flatten(1)), nn.Linear(12, 3)),
    ),
    (
        "image_and_table",
        (Input((1, 8, 8)), Input((5,))),
        lambda: Apply(
            lambda conv, last, a, b: last(torch.cat([F.relu(conv(a)).mean((2, 3)), b], 1)),
            nn.Conv2d(1, 4, 3),
            nn.Linear(9, 2),
        ),
    ),
    ("input_returned", VECTOR, lambda: Apply(lambda last, x: (x, last(x)), nn.Linear(20, 3))),
    ("matmul_of_inputs", (Input((4, 5)), Input((5, 3))), lambda: Apply(torch.matmul)),
    ("bmm_of_inputs", (Input((4, 5)), Input((5, 3))), lambda: Apply(torch.bmm)),
    (
        "einsum_of_inputs",
        (Input((4, 5)), Input((5, 3))),
        lambda: Apply(lambda a, b: torch.einsum("bij,bjk->bik", a, b)),
    ),
    ("cdist_of_inputs", (Input((4, 5)), Input((3, 5))), lambda: Apply(torch.cdist)),
    (
        "embedding",
        (Input((6,), "whole", 11),),
        lambda: nn.Sequential(nn.Embedding(11, 4), nn.Flatten(), nn.Linear(24, 3)),
    ),
    (
        "embedding_mean",
        (Input((6,), "whole", 11),),
        lambda: Apply(lambda table, last, x: last(table(x).mean(1)), nn.Embedding(11, 4), nn.Linear(4, 3)),
    ),
    ("embedding_bag", (Input((6,), "whole", 11),), lambda: nn.Sequential(nn.EmbeddingBag(11, 4), nn.Linear(4, 3))),
    (
        "embedding_and_numbers",
        (Input((2,), "whole", 7), Input((5,))),
        lambda: Apply(
            lambda table, last, a, b: last(torch.cat([table(a).flatten(1), b], 1)), nn.Embedding(7, 4), nn.Linear(13, 2)
        ),
    ),
    (
        "whole_numbers",
        (Input(VECTOR, "whole", 9),),
        lambda: Apply(lambda last, x: last(x.float() / 8), nn.Linear(20, 3)),
    ),
    ("double_numbers", (Input(VECTOR, scalar=torch.float64),), lambda: mlp(nn.ReLU()).double()),
    ("half_numbers", (Input(VECTOR, scalar=torch.float16),), lambda: mlp(nn.ReLU()).half()),
    ("half_weights", VECTOR, lambda: Apply(lambda net, x: net(x.half()).float(), mlp(nn.Tanh()).half())),
    ("bfloat16_numbers", (Input(VECTOR, scalar=torch.bfloat16),), lambda: mlp(nn.ReLU()).bfloat16()),
    ("bfloat16_weights", VECTOR, lambda: Apply(lambda net, x: net(x.bfloat16()).float(), mlp(nn.Tanh()).bfloat16())),
]


def weighted_experts(gate, one, two, x):
    shares = F.softmax(gate(x), 1)
    return shares[:, :1] * one(x) + shares[:, 1:] * two(x)


def pairs(embed, last, x):
    """A factorisation machine: half of (the square of the sum less the sum of squares)."""
    return last(x) + 0.5 * (embed(x).pow(2).sum(1, True) - (x * x) @ embed.weight.pow(2).t().sum(1, True))


def weight_by_einsum(subscripts, shape, inside=(4, 5)):
    weight = torch.randn(shape, generator=torch.Generator().manual_seed(5))
    return lambda: Apply(lambda x: torch.einsum(subscripts, x.view(-1, *inside) if inside else x, weight))


STRUCTURES = [
    ("linear", VECTOR, lambda: nn.Linear(20, 3)),
    ("linear_no_bias", VECTOR, lambda: nn.Linear(20, 3, bias=False)),
    ("linear_of_sequence", (6, 20), lambda: nn.Linear(20, 3)),
    ("mlp_named", VECTOR, lambda: mlp(nn.ReLU()), {"outputs": ("logits",)}),
    (
        "mlp_deep",
        VECTOR,
        lambda: nn.Sequential(*[part for _ in range(6) for part in (nn.Linear(20, 20), nn.ReLU())], nn.Linear(20, 2)),
    ),
    (
        "mlp_bn_dropout",
        VECTOR,
        lambda: nn.Sequential(
            nn.BatchNorm1d(20),
            nn.Linear(20, 16),
            nn.BatchNorm1d(16),
            nn.ReLU(),
            nn.Dropout(0.3),
            nn.Linear(16, 3),
            nn.Softmax(1),
        ),
    ),
    (
        "mlp_bn_after_relu",
        VECTOR,
        lambda: nn.Sequential(nn.Linear(20, 16), nn.ReLU(), nn.BatchNorm1d(16), nn.Linear(16, 3)),
    ),
    ("residual", VECTOR, lambda: Apply(lambda a, b, x: x + b(F.relu(a(x))), nn.Linear(20, 20), nn.Linear(20, 20))),
    (
        "highway",
        VECTOR,
        lambda: Apply(
            lambda a, b, x: torch.sigmoid(a(x)) * F.relu(b(x)) + (1 - torch.sigmoid(a(x))) * x,
            nn.Linear(20, 20),
            nn.Linear(20, 20),
        ),
    ),
    ("glu", VECTOR, lambda: nn.Sequential(nn.Linear(20, 16), nn.GLU(), nn.Linear(8, 3))),
    (
        "swiglu",
        VECTOR,
        lambda: Apply(lambda a, b, c, x: c(F.silu(a(x)) * b(x)), nn.Linear(20, 8), nn.Linear(20, 8), nn.Linear(8, 3)),
    ),
    ("experts", VECTOR, lambda: Apply(weighted_experts, nn.Linear(20, 2), nn.Linear(20, 3), nn.Linear(20, 3))),
    ("factorisation_machine", VECTOR, lambda: Apply(pairs, nn.Linear(20, 4, bias=False), nn.Linear(20, 1))),
    ("cross_network", VECTOR, lambda: Apply(lambda a, last, x: last(x * a(x) + x), nn.Linear(20, 1), nn.Linear(20, 2))),
    (
        "autoencoder",
        VECTOR,
        lambda: nn.Sequential(nn.Linear(20, 8), nn.Tanh(), nn.Linear(8, 4), nn.Tanh(), nn.Linear(4, 20), nn.Sigmoid()),
    ),
    (
        "weight_norm",
        VECTOR,
        lambda: nn.Sequential(nn.utils.parametrizations.weight_norm(nn.Linear(20, 12)), nn.Tanh(), nn.Linear(12, 3)),
    ),
    ("tied_weights", VECTOR, lambda: Apply(lambda a, x: F.linear(torch.tanh(a(x)), a.weight.t()), nn.Linear(20, 8))),
    (
        "multi_head",
        VECTOR,
        lambda: Apply(
            lambda body, one, two, x: (one(F.relu(body(x))), torch.sigmoid(two(F.relu(body(x))))),
            nn.Linear(20, 12),
            nn.Linear(12, 3),
            nn.Linear(12, 1),
        ),
        {"outputs": ("class", "score")},
    ),
    ("matmul_left", (4, 5), weight_by_einsum("bij,ki->bkj", (3, 4))),
    ("einsum_linear", VECTOR, weight_by_einsum("bi,oi->bo", (3, 20), None)),
    ("einsum_rows", VECTOR, weight_by_einsum("bij,jk->bik", (5, 3))),
    ("einsum_each_its_own", VECTOR, weight_by_einsum("bij,ijk->bik", (4, 5, 3))),
    ("einsum_dot", VECTOR, lambda: Apply(lambda x: torch.einsum("bi,bi->b", x, x))),
    ("einsum_quadratic", VECTOR, lambda: Apply(lambda x: torch.einsum("bi,ij,bj->b", x, torch.eye(20) + 0.1, x))),
    ("addmm", VECTOR, lambda: Apply(lambda x: torch.addmm(torch.ones(3), x, torch.ones(20, 3), beta=0.5, alpha=0.25))),
    (
        "lstm",
        (6, 8),
        lambda: Apply(lambda cell, last, x: last(cell(x)[0][:, -1]), nn.LSTM(8, 5, batch_first=True), nn.Linear(5, 2)),
    ),
    (
        "gru",
        (6, 8),
        lambda: Apply(lambda cell, last, x: last(cell(x)[0][:, -1]), nn.GRU(8, 5, batch_first=True), nn.Linear(5, 2)),
    ),
    (
        "rnn",
        (6, 8),
        lambda: Apply(lambda cell, last, x: last(cell(x)[0].mean(1)), nn.RNN(8, 5, batch_first=True), nn.Linear(5, 2)),
    ),
    (
        "bilstm",
        (6, 8),
        lambda: Apply(lambda cell, x: cell(x)[0], nn.LSTM(8, 5, num_layers=2, bidirectional=True, batch_first=True)),
    ),
    (
        "attention",
        (6, 8),
        lambda: Apply(
            lambda layer, x: layer(x, x, x, need_weights=False)[0], nn.MultiheadAttention(8, 2, batch_first=True)
        ),
    ),
    ("attention_call", (6, 8), lambda: Apply(lambda x: F.scaled_dot_product_attention(*[x.unsqueeze(1)] * 3))),
    (
        "attention_causal",
        (6, 8),
        lambda: Apply(lambda x: F.scaled_dot_product_attention(*[x.unsqueeze(1)] * 3, is_causal=True)),
    ),
    ("encoder", (6, 8), lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 1)),
    (
        "mixer",
        (6, 8),
        lambda: Apply(
            lambda norm, tokens, channels, x: x + channels(F.gelu(tokens(norm(x).transpose(1, 2)).transpose(1, 2))),
            nn.LayerNorm(8),
            nn.Linear(6, 6),
            nn.Linear(8, 8),
        ),
    ),
]


MODELS = (
    networks(INPUTS + STRUCTURES, USUAL + ("script11",))
    + networks(
        [("plain", VECTOR, plain)],
        (
            "dynamo_external",
            "dynamo_as_traced",
            "dynamo_batch8",
            "dynamo23",
            "script9",
            "script_default",
            "script_unfolded",
            "script_weights_as_inputs",
        ),
    )
    + networks(
        [("in_training", VECTOR, plain, {"training": True})],
        ("script_preserve", "script_training", "dynamo", "script17"),
    )
    + networks(
        [("preserved", VECTOR, lambda: nn.Sequential(nn.Linear(20, 16), nn.Dropout(0.2), nn.Linear(16, 3)))],
        ("script_preserve",),
    )
)
