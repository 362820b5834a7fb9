#!/usr/bin/env python3
"""tenseal_works.py WORK: rotate-15 and multiply-15 with the SEAL in TenSEAL's wheel."""
import sys

import numpy as np
import tenseal.sealapi as seal
from measured_work import bits, serve

LIMBS, SCALE = 15, 2.0**40  # as peer_works.cpp names for this ring


def main():
    name, log_n = sys.argv[1].split("-")
    degree = 1 << int(log_n)
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


if __name__ == "__main__":
    main()
