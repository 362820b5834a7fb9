#!/usr/bin/env python3
"""tenseal_works.py WORK [FOLDER] runs a work with TenSEAL's wheel. rotate-15 and multiply-15 use its SEAL. lola is a
network on MNIST by TenSEAL's own tensors, which is written to FOLDER for Tacit."""
import pathlib
import sys

import numpy as np
from lola import SIZE, STRIDE, prepared
from measured_work import Answers, bits, serve

LIMBS, SCALE = 15, 2.0**40  # as peer_works.cpp names for this ring


def lola(folder):
    """Convolution, square, dense. One ciphertext has the windows of the image; each map of the convolution reads it."""
    import tenseal

    weights, padded, labels, scores = prepared(folder)
    kernels = weights["conv_w"][:, 0]
    degree, scale = 1 << 14, 40
    context = tenseal.context(tenseal.SCHEME_TYPE.CKKS, degree, coeff_mod_bit_sizes=[60] + [scale] * 4 + [60], n_threads=1)
    context.global_scale = 2.0**scale
    context.generate_galois_keys()
    dense, bias = weights["fc_w"].T.tolist(), weights["fc_b"].tolist()
    answers = Answers(padded, labels, scores)

    def once():
        row = answers.next_row()
        hidden, count = tenseal.im2col_encoding(context, padded[row].tolist(), SIZE, SIZE, STRIDE)
        made = [hidden.conv2d_im2col(kernel.tolist(), count) + float(added)
                for kernel, added in zip(kernels, weights["conv_b"])]
        packed = tenseal.CKKSVector.pack_vectors(made)
        packed.square_()
        answers.add(row, np.array((packed.mm(dense) + bias).decrypt()))

    serve(f"N = 2^14, 60 and four times 40 bits and 60, scale 2^{scale}, ternary secret, security checked", once,
          lambda: answers.quality(scores))


def primitive(name, log_n):
    import tenseal.sealapi as seal

    degree = 1 << log_n
    parameters = seal.EncryptionParameters(seal.SCHEME_TYPE.CKKS)
    parameters.set_poly_modulus_degree(degree)
    parameters.set_coeff_modulus(seal.CoeffModulus.Create(degree, [60] + [40] * (LIMBS - 1) + [60]))
    context = seal.SEALContext(parameters, True, seal.SEC_LEVEL_TYPE.TC128)
    maker = seal.KeyGenerator(context)
    public, relinearising, galois = seal.PublicKey(), seal.RelinKeys(), seal.GaloisKeys()
    maker.create_public_key(public)
    maker.create_relin_keys(relinearising)
    maker.create_galois_keys([3], galois)  # the element of a step by one
    encoder, evaluator = seal.CKKSEncoder(context), seal.Evaluator(context)
    x = np.random.default_rng(1).uniform(-1, 1, degree // 2)
    plain, hidden, result = seal.Plaintext(), seal.Ciphertext(), seal.Ciphertext()
    encoder.encode(x.tolist(), SCALE, plain)
    encryptor = seal.Encryptor(context, public)
    encryptor.encrypt(plain, hidden)
    hidden_too = seal.Ciphertext()
    encryptor.encrypt(plain, hidden_too)

    def rotate():
        evaluator.rotate_vector(hidden, 1, galois, result)

    def multiply():
        evaluator.multiply(hidden, hidden_too, result)
        evaluator.relinearize_inplace(result, relinearising)
        evaluator.rescale_to_next_inplace(result)

    def quality():
        decrypted = seal.Plaintext()
        seal.Decryptor(context, maker.secret_key()).decrypt(result, decrypted)
        return bits(encoder.decode_double(decrypted), np.roll(x, -1) if name == "rotate" else x * x)

    text = f"{LIMBS} limbs, first 60 bits, scale 2^40, one digit a limb, ternary secret, security checked"
    serve(text, {"rotate": rotate, "multiply": multiply}[name], quality)


def main():
    name, _, argument = sys.argv[1].partition("-")
    if name == "lola":
        lola(pathlib.Path(sys.argv[2]))
    else:
        primitive(name, int(argument))


if __name__ == "__main__":
    main()
