"""Dense networks of Keras: every activation, merges, several inputs and outputs, recurrent cells, attention."""

from .keras_export import chain, networks  # first: it keeps TensorFlow from printing

from keras import Sequential, layers, ops, regularizers

VECTOR, GREY = (20,), (12, 12, 1)


def dense(activation):
    return chain(lambda: [layers.Dense(12, activation=activation), layers.Dense(3)])


def dense_then(make):
    return chain(lambda: [layers.Dense(12), make(), layers.Dense(3)])


NAMED = (
    "relu leaky_relu relu6 elu selu celu gelu silu mish hard_silu hard_sigmoid hard_tanh sigmoid log_sigmoid tanh "
    "tanh_shrink softplus softsign soft_shrink hard_shrink squareplus exponential linear softmax log_softmax "
    "sparse_plus"
).split()
ACTIVATIONS = {
    "prelu": layers.PReLU,
    "leaky_relu_layer": lambda: layers.LeakyReLU(negative_slope=0.3),
    "elu_layer": lambda: layers.ELU(0.5),
    "relu_max": lambda: layers.ReLU(max_value=4),
    "relu_threshold": lambda: layers.ReLU(threshold=0.5, negative_slope=0.1),
    "softmax_layer": layers.Softmax,
    "batch_norm": layers.BatchNormalization,
    "batch_norm_plain": lambda: layers.BatchNormalization(center=False, scale=False),
    "layer_norm": layers.LayerNormalization,
    "rms_norm": layers.RMSNormalization,
    "unit_norm": layers.UnitNormalization,
    "group_norm": lambda: layers.GroupNormalization(3),
    "dropout": lambda: layers.Dropout(0.3),
    "noise": lambda: layers.GaussianNoise(0.1),
    "spectral": lambda: layers.SpectralNormalization(layers.Dense(12)),
    "einsum_dense": lambda: layers.EinsumDense("ab,bc->ac", 12, bias_axes="c"),
    "square": lambda: layers.Lambda(lambda x: x * x),
    "square_op": lambda: layers.Lambda(ops.square),
    "reshape": lambda: layers.Reshape((3, 4)),
    "repeat": lambda: layers.RepeatVector(2),
    "activity": lambda: layers.ActivityRegularization(0.1),
    "gelu_approximate": lambda: layers.Lambda(lambda x: ops.gelu(x, approximate=True)),
}
DENSE = (
    [(f"dense_{name}", VECTOR, dense(name)) for name in NAMED]
    + [(f"dense_{name}", VECTOR, dense_then(make)) for name, make in ACTIVATIONS.items()]
    + [
        ("dense", VECTOR, chain(lambda: [layers.Dense(3)])),
        ("dense_no_bias", VECTOR, chain(lambda: [layers.Dense(3, use_bias=False)])),
        (
            "classifier",
            VECTOR,
            chain(
                lambda: [
                    layers.Dense(16, "relu", kernel_regularizer=regularizers.L2(0.01)),
                    layers.Dropout(0.2),
                    layers.Dense(3, "softmax"),
                ]
            ),
        ),
        (
            "binary",
            VECTOR,
            chain(lambda: [layers.BatchNormalization(), layers.Dense(16, "tanh"), layers.Dense(1, "sigmoid")]),
        ),
        (
            "nested_sequential",
            VECTOR,
            chain(lambda: [Sequential([layers.Dense(8, "relu"), layers.Dense(8, "relu")]), layers.Dense(2)]),
        ),
        ("normalization", VECTOR, chain(lambda: [layers.Normalization(mean=0.3, variance=2.0), layers.Dense(3)])),
        (
            "normalization_columns",
            VECTOR,
            chain(
                lambda: [
                    layers.Normalization(mean=[0.1 * k for k in range(20)], variance=[1 + 0.1 * k for k in range(20)]),
                    layers.Dense(3),
                ]
            ),
        ),
        (
            "dense_of_sequence",
            (6, 20),
            chain(lambda: [layers.Dense(8, "relu"), layers.GlobalAveragePooling1D(), layers.Dense(2)]),
        ),
        (
            "time_distributed",
            (6, 20),
            chain(lambda: [layers.TimeDistributed(layers.Dense(4, "tanh")), layers.Flatten(), layers.Dense(2)]),
        ),
        ("argmax", VECTOR, lambda x: ops.argmax(layers.Dense(4)(x), axis=-1)),
        ("residual", VECTOR, lambda x: layers.Add()([x, layers.Dense(20, "relu")(x)])),
        ("autoencoder", VECTOR, chain(lambda: [layers.Dense(8, "relu"), layers.Dense(20, "sigmoid")])),
        ("two_heads", VECTOR, lambda x: [layers.Dense(3, "softmax", name="kind")(x), layers.Dense(1, name="value")(x)]),
        ("named_outputs", VECTOR, lambda x: {"kind": layers.Dense(3)(x), "value": layers.Dense(1, "sigmoid")(x)}),
        ("two_inputs", ((8,), (12,)), lambda a, b: layers.Dense(3)(layers.Concatenate()([a, b]))),
        (
            "two_inputs_merged",
            (VECTOR, VECTOR),
            lambda a, b: layers.Dense(2)(layers.Multiply()([layers.Dense(6)(a), layers.Dense(6)(b)])),
        ),
        ("two_inputs_dot", (VECTOR, VECTOR), lambda a, b: layers.Dot(1)([layers.Dense(6)(a), layers.Dense(6)(b)])),
        (
            "two_inputs_cosine",
            (VECTOR, VECTOR),
            lambda a, b: layers.Dot(1, normalize=True)([layers.Dense(6)(a), layers.Dense(6)(b)]),
        ),
        (
            "merges",
            (VECTOR, VECTOR),
            lambda a, b: layers.Concatenate()(
                [
                    layers.Average()([a, b]),
                    layers.Subtract()([a, b]),
                    layers.Maximum()([a, b]),
                    layers.Minimum()([a, b]),
                ]
            ),
        ),
        (
            "image_and_table",
            (GREY, (5,)),
            lambda a, b: layers.Dense(2)(layers.Concatenate()([layers.Flatten()(layers.Conv2D(2, 3)(a)), b])),
        ),
        (
            "embedding",
            (6,),
            chain(lambda: [layers.Embedding(11, 4), layers.Flatten(), layers.Dense(3)]),
            {"whole": (11,)},
        ),
        (
            "embedding_pooled",
            (6,),
            chain(lambda: [layers.Embedding(11, 4), layers.GlobalAveragePooling1D(), layers.Dense(3)]),
            {"whole": (11,)},
        ),
        (
            "embedding_and_numbers",
            ((2,), (5,)),
            lambda a, b: layers.Dense(2)(layers.Concatenate()([layers.Flatten()(layers.Embedding(7, 4)(a)), b])),
            {"whole": (7, 0)},
        ),
        (
            "category_encoding",
            (1,),
            chain(lambda: [layers.CategoryEncoding(5, output_mode="one_hot"), layers.Dense(2)]),
            {"whole": (5,)},
        ),
        (
            "discretization",
            (4,),
            chain(
                lambda: [
                    layers.Discretization([-1.0, 0.0, 1.0]),
                    layers.Embedding(4, 2),
                    layers.Flatten(),
                    layers.Dense(2),
                ]
            ),
        ),
        ("mixed_float16", VECTOR, dense("relu"), {"dtype": "mixed_float16"}),
        ("lstm", (6, 8), chain(lambda: [layers.LSTM(5), layers.Dense(2)])),
        (
            "lstm_sequences",
            (6, 8),
            chain(lambda: [layers.LSTM(5, return_sequences=True), layers.LSTM(4), layers.Dense(2)]),
        ),
        ("lstm_unrolled", (6, 8), chain(lambda: [layers.LSTM(5, unroll=True), layers.Dense(2)])),
        ("gru", (6, 8), chain(lambda: [layers.GRU(5), layers.Dense(2)])),
        ("simple_rnn", (6, 8), chain(lambda: [layers.SimpleRNN(5), layers.Dense(2)])),
        ("bidirectional", (6, 8), chain(lambda: [layers.Bidirectional(layers.LSTM(4)), layers.Dense(2)])),
        ("attention", (6, 8), lambda x: layers.MultiHeadAttention(2, 4)(x, x)),
        ("attention_plain", (6, 8), lambda x: layers.Attention()([x, x])),
        (
            "transformer_block",
            (6, 8),
            lambda x: (lambda y: layers.LayerNormalization()(y + layers.Dense(8)(layers.Dense(16, "gelu")(y))))(
                layers.LayerNormalization()(x + layers.MultiHeadAttention(2, 4)(x, x))
            ),
        ),
    ]
)

OFTEN = {"classifier", "binary", "residual", "two_heads", "dense_batch_norm", "lstm", "dense_gelu", "embedding"}
MODELS = networks(DENSE, ("default", "fixed")) + networks(
    [row for row in DENSE if row[0] in OFTEN], ("opset18", "opset13", "opset11")
)
