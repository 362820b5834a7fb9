"""Convolutional networks of Keras, channels last: the layers one by one and blocks of well-known architectures."""

from .keras_export import chain, networks  # first: it keeps TensorFlow from printing

from keras import layers, ops

IMAGE, GREY, SIGNAL, VOLUME = (12, 12, 3), (12, 12, 1), (24, 3), (6, 8, 8, 2)


def images(make):
    return chain(lambda: [layers.Conv2D(6, 3, padding="same"), make(), layers.Conv2D(2, 1)])


IMAGE_LAYERS = {
    "average_pool": lambda: layers.AveragePooling2D(2),
    "average_pool_same": lambda: layers.AveragePooling2D(3, 2, "same"),
    "max_pool": lambda: layers.MaxPooling2D(2),
    "max_pool_same": lambda: layers.MaxPooling2D(3, 2, "same"),
    "batch_norm": layers.BatchNormalization,
    "layer_norm": layers.LayerNormalization,
    "layer_norm_all": lambda: layers.LayerNormalization(axis=(1, 2, 3)),
    "group_norm": lambda: layers.GroupNormalization(2),
    "instance_norm": lambda: layers.GroupNormalization(-1),
    "zero_padding": lambda: layers.ZeroPadding2D(((1, 0), (2, 1))),
    "cropping": lambda: layers.Cropping2D(2),
    "upsampling": lambda: layers.UpSampling2D(2),
    "upsampling_bilinear": lambda: layers.UpSampling2D(2, interpolation="bilinear"),
    "resizing": lambda: layers.Resizing(9, 9),
    "resizing_nearest": lambda: layers.Resizing(20, 18, interpolation="nearest"),
    "center_crop": lambda: layers.CenterCrop(8, 8),
    "spatial_dropout": lambda: layers.SpatialDropout2D(0.2),
    "prelu_shared": lambda: layers.PReLU(shared_axes=[1, 2]),
    "permute": lambda: layers.Permute((2, 1, 3)),
    "depthwise": lambda: layers.DepthwiseConv2D(3, padding="same"),
    "depthwise_multiplied": lambda: layers.DepthwiseConv2D(3, depth_multiplier=2),
    "separable": lambda: layers.SeparableConv2D(8, 3, activation="relu"),
    "grouped": lambda: layers.Conv2D(6, 3, groups=3),
    "dilated": lambda: layers.Conv2D(6, 3, dilation_rate=2, padding="same"),
    "strided": lambda: layers.Conv2D(6, 3, 2, "same"),
    "strided_valid": lambda: layers.Conv2D(6, 3, 2),
    "transposed": lambda: layers.Conv2DTranspose(4, 3, 2, "same"),
    "transposed_valid": lambda: layers.Conv2DTranspose(4, 2, 2),
    "square": lambda: layers.Lambda(ops.square),
    "silu": lambda: layers.Activation("silu"),
    "relu6": lambda: layers.ReLU(6.0),
    "unfold_depth": lambda: layers.Lambda(lambda x: ops.reshape(x, (-1, 6, 6, 24))),
    "adaptive_average": lambda: layers.AdaptiveAveragePooling2D(3),
    "softmax_pixels": lambda: layers.Softmax(),
}


def squeeze_excite(x, channels):
    gate = layers.GlobalAveragePooling2D(keepdims=True)(x)
    return x * layers.Conv2D(channels, 1, activation="sigmoid")(
        layers.Conv2D(channels // 2, 1, activation="relu")(gate)
    )


def conv_bn(x, channels, stride=1, activation="relu"):
    return layers.Activation(activation)(
        layers.BatchNormalization()(layers.Conv2D(channels, 3, stride, "same", use_bias=False)(x))
    )


def residual(x):
    x = conv_bn(x, 6)
    y = layers.BatchNormalization()(layers.Conv2D(6, 3, padding="same")(conv_bn(x, 6)))
    return layers.Dense(3)(layers.GlobalAveragePooling2D()(layers.ReLU()(layers.Add()([x, y]))))


def inverted(x, activation, gate=False):
    x = conv_bn(x, 6, 2, activation)
    y = layers.Activation(activation)(layers.BatchNormalization()(layers.Conv2D(12, 1, use_bias=False)(x)))
    y = layers.Activation(activation)(
        layers.BatchNormalization()(
            layers.DepthwiseConv2D(3, padding="same", use_bias=False)(layers.ZeroPadding2D(1)(y)[:, 1:-1, 1:-1])
        )
    )
    y = squeeze_excite(y, 12) if gate else y
    return layers.Dense(3)(layers.GlobalAveragePooling2D()(x + layers.BatchNormalization()(layers.Conv2D(6, 1)(y))))


def unet(x):
    kept = layers.Conv2D(4, 3, padding="same", activation="relu")(x)
    deep = layers.Conv2D(6, 3, padding="same", activation="relu")(layers.MaxPooling2D(2)(kept))
    return layers.Conv2D(2, 1)(layers.Concatenate()([kept, layers.Conv2DTranspose(4, 2, 2)(deep)]))


CONVOLUTIONAL = [(f"image_{name}", IMAGE, images(make)) for name, make in IMAGE_LAYERS.items()] + [
    ("conv_flatten", GREY, chain(lambda: [layers.Conv2D(4, 3, activation="relu"), layers.Flatten(), layers.Dense(3)])),
    (
        "lenet",
        GREY,
        chain(
            lambda: [
                layers.Conv2D(4, 5, padding="same", activation="tanh"),
                layers.AveragePooling2D(2),
                layers.Conv2D(6, 3, activation="tanh"),
                layers.AveragePooling2D(2),
                layers.Flatten(),
                layers.Dense(16, "tanh"),
                layers.Dense(10, "softmax"),
            ]
        ),
    ),
    (
        "mnist_example",
        GREY,
        chain(
            lambda: [
                layers.Conv2D(8, 3, activation="relu"),
                layers.MaxPooling2D(2),
                layers.Flatten(),
                layers.Dropout(0.5),
                layers.Dense(10, "softmax"),
            ]
        ),
    ),
    (
        "rescaled",
        IMAGE,
        chain(
            lambda: [
                layers.Rescaling(1 / 255),
                layers.Conv2D(4, 3, 2, activation="relu"),
                layers.GlobalMaxPooling2D(),
                layers.Dense(3),
            ]
        ),
    ),
    (
        "rescaled_offset",
        IMAGE,
        chain(
            lambda: [
                layers.Rescaling(1 / 127.5, offset=-1),
                layers.Conv2D(4, 3, 2, activation="relu"),
                layers.GlobalAveragePooling2D(),
                layers.Dense(3),
            ]
        ),
    ),
    (
        "augmented",
        IMAGE,
        chain(
            lambda: [
                layers.RandomFlip(),
                layers.RandomRotation(0.1),
                layers.Conv2D(4, 3, 2),
                layers.Flatten(),
                layers.Dense(3),
            ]
        ),
    ),
    ("resnet", IMAGE, residual),
    ("mobilenet_v2", IMAGE, lambda x: inverted(x, "relu6")),
    ("mobilenet_v3", IMAGE, lambda x: inverted(x, "hard_silu", True)),
    ("efficientnet", IMAGE, lambda x: inverted(x, "silu", True)),
    ("unet", IMAGE, unet),
    ("segmentation", IMAGE, lambda x: ops.argmax(layers.Conv2D(4, 3, padding="same")(x), axis=-1)),
    (
        "conv1d",
        SIGNAL,
        chain(
            lambda: [
                layers.Conv1D(4, 5, 2, activation="relu"),
                layers.AveragePooling1D(2),
                layers.Flatten(),
                layers.Dense(3),
            ]
        ),
    ),
    (
        "conv1d_causal",
        SIGNAL,
        chain(
            lambda: [
                layers.Conv1D(4, 3, padding="causal", dilation_rate=2),
                layers.GlobalMaxPooling1D(),
                layers.Dense(2),
            ]
        ),
    ),
    (
        "conv1d_same",
        SIGNAL,
        chain(
            lambda: [
                layers.Conv1D(4, 3, padding="same", activation="relu"),
                layers.MaxPooling1D(2),
                layers.GlobalAveragePooling1D(),
                layers.Dense(2),
            ]
        ),
    ),
    (
        "conv1d_separable",
        SIGNAL,
        chain(lambda: [layers.SeparableConv1D(4, 3, activation="relu"), layers.Flatten(), layers.Dense(2)]),
    ),
    ("conv1d_transposed", SIGNAL, chain(lambda: [layers.Conv1DTranspose(2, 4, 2, "same")])),
    (
        "conv3d",
        VOLUME,
        chain(
            lambda: [
                layers.Conv3D(3, 3, activation="relu"),
                layers.AveragePooling3D(2),
                layers.GlobalAveragePooling3D(),
                layers.Dense(2),
            ]
        ),
    ),
    (
        "generator",
        (16,),
        chain(
            lambda: [
                layers.Dense(36),
                layers.Reshape((3, 3, 4)),
                layers.Conv2DTranspose(4, 4, 2, "same"),
                layers.LeakyReLU(),
                layers.Conv2DTranspose(1, 4, 2, "same", activation="tanh"),
            ]
        ),
    ),
]

OFTEN = {
    "lenet",
    "resnet",
    "mobilenet_v3",
    "unet",
    "conv_flatten",
    "image_batch_norm",
    "image_separable",
    "conv1d",
    "image_upsampling",
    "image_group_norm",
    "mnist_example",
}
MODELS = (
    networks(CONVOLUTIONAL, ("default", "fixed"))
    + networks([row for row in CONVOLUTIONAL if row[0] in OFTEN], ("opset18", "opset13", "opset11"))
    + networks([row for row in CONVOLUTIONAL if row[1] in (IMAGE, GREY)], ("channels_first",))
)
