#!/usr/bin/env python3
"""openfhe_works.py WORK runs rotate-N, multiply-N or bootstrap-N with OpenFHE's wheel. N is log2 of the ring degree."""
import sys

import numpy as np
import openfhe as fhe
from measured_work import bits, serve

# Limbs of the chain at scale 2^40: as many as Tacit's operand has at the level that peer_works.cpp names.
DEPTHS = {15: 14, 16: 27}


def context(log_n, scale, depth, first, secret):
    parameters = fhe.CCParamsCKKSRNS()
    parameters.SetSecretKeyDist(secret)
    parameters.SetSecurityLevel(fhe.SecurityLevel.HEStd_128_classic)
    parameters.SetRingDim(1 << log_n)
    parameters.SetScalingModSize(scale)
    parameters.SetFirstModSize(first)
    parameters.SetMultiplicativeDepth(depth)
    parameters.SetNumLargeDigits(3)
    parameters.SetKeySwitchTechnique(fhe.KeySwitchTechnique.HYBRID)
    bootstraps = secret != fhe.UNIFORM_TERNARY
    technique = fhe.ScalingTechnique.FLEXIBLEAUTO if bootstraps else fhe.ScalingTechnique.FIXEDMANUAL
    parameters.SetScalingTechnique(technique)
    made = fhe.GenCryptoContext(parameters)
    for feature in ("PKE", "KEYSWITCH", "LEVELEDSHE", "ADVANCEDSHE", "FHE"):
        made.Enable(getattr(fhe.PKESchemeFeature, feature))
    return made


def main():
    name, log_n = sys.argv[1].split("-")
    log_n = int(log_n)
    slots = 1 << (log_n - 1)
    x = np.random.default_rng(1).uniform(-1, 1, slots)
    last = [None]
    if name == "bootstrap":
        levels, budget = 6, [3, 3]  # slots to coefficients leave their three as well: nine come out
        secret = fhe.SPARSE_ENCAPSULATED
        depth = levels + fhe.CryptoContext.GetBootstrapDepth(budget, secret)
        made = context(log_n, 54, depth, 60, secret)
        made.EvalBootstrapSetup(budget, [0, 0], slots, 0, True, True)
        keys = made.KeyGen()
        made.EvalMultKeyGen(keys.secretKey)
        made.EvalBootstrapKeyGen(keys.secretKey, slots)
        # A ciphertext with the levels for slots to coefficients, which comes first.
        hidden = made.Encrypt(keys.publicKey, made.MakeCKKSPackedPlaintext(x.tolist(), 1, depth - budget[1] - 1))

        def once():
            last[0] = made.EvalBootstrap(hidden)

        def quality():
            got = made.Decrypt(last[0], keys.secretKey)
            got.SetLength(slots)
            usable = depth - last[0].GetLevel() - (last[0].GetNoiseScaleDeg() - 1) - budget[1] - 1
            return f"{bits(got.GetRealPackedValue(), x)}; {usable} levels to use"

        text = f"{slots} slots, scale 2^54, budget 3+3, slots to coefficients first, sparse encapsulated secret, dnum 3"
        serve(text, once, quality)
        return
    depth = DEPTHS[log_n]
    made = context(log_n, 40, depth, 60, fhe.UNIFORM_TERNARY)
    keys = made.KeyGen()
    hidden = made.Encrypt(keys.publicKey, made.MakeCKKSPackedPlaintext(x.tolist()))
    if name == "rotate":
        made.EvalRotateKeyGen(keys.secretKey, [1])
        expected = np.roll(x, -1)

        def once():
            last[0] = made.EvalRotate(hidden, 1)
    else:
        made.EvalMultKeyGen(keys.secretKey)
        expected = x * x

        def once():
            last[0] = made.Rescale(made.EvalMult(hidden, hidden_too))

        hidden_too = made.Encrypt(keys.publicKey, made.MakeCKKSPackedPlaintext(x.tolist()))

    def quality():
        got = made.Decrypt(last[0], keys.secretKey)
        got.SetLength(slots)
        return bits(got.GetRealPackedValue(), expected)

    serve(f"{depth + 1} limbs, first 60 bits, scale 2^40, dnum 3, ternary secret, security checked", once, quality)


if __name__ == "__main__":
    main()
