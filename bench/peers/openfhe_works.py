#!/usr/bin/env python3
"""openfhe_works.py WORK runs rotate-N, multiply-N or bootstrap-N with OpenFHE's wheel. N is log2 of the ring degree.

lookups-B-C is C lookups of B bits by one functional bootstrap. Of 65,536, tables of 4 bits were found right.
"""
import math
import sys

import numpy as np
import openfhe as fhe
from measured_work import bits, serve

# Limbs of the chain at scale 2^40: as many as Tacit's operand has at the level that peer_works.cpp names.
DEPTHS = {15: 14, 16: 27}


def context(log_n, scale, depth, first, secret, digits=3, technique=fhe.ScalingTechnique.FIXEDMANUAL, slots=0):
    parameters = fhe.CCParamsCKKSRNS()
    parameters.SetSecretKeyDist(secret)
    parameters.SetSecurityLevel(fhe.SecurityLevel.HEStd_128_classic)
    parameters.SetRingDim(1 << log_n)
    parameters.SetScalingModSize(scale)
    parameters.SetFirstModSize(first)
    parameters.SetMultiplicativeDepth(depth)
    parameters.SetNumLargeDigits(digits)
    if slots:
        parameters.SetBatchSize(slots)
    parameters.SetKeySwitchTechnique(fhe.KeySwitchTechnique.HYBRID)
    parameters.SetScalingTechnique(technique)
    made = fhe.GenCryptoContext(parameters)
    for feature in ("PKE", "KEYSWITCH", "LEVELEDSHE", "ADVANCEDSHE", "FHE"):
        made.Enable(getattr(fhe.PKESchemeFeature, feature))
    return made


def failure(errors):
    """Returns log2 of the probability that a lookup fails. Estimated from its errors in steps, taken as Gaussian."""
    deviations = 0.5 / np.sqrt(np.mean(errors**2))
    return -(deviations**2 / 2 + math.log(deviations * math.sqrt(math.pi / 2))) / math.log(2)


# Of a functional bootstrap: log2 of the ring degree, bits of the scale, budget, digits of the key switch. At few slots
# the smaller ring takes less time. At many, the larger ring takes less time per lookup.
FEW, MANY = (15, 35, [1, 1], 6), (16, 45, [3, 3], 3)


def lookups(table_bits, count):
    modulus, order = 1 << table_bits, 1
    log_n, scale, budget, digits = MANY if count > 1 << 14 else FEW
    secret, slots = fhe.SPARSE_ENCAPSULATED, min(count, 1 << (log_n - 1))
    coefficients = fhe.GetHermiteTrigCoefficients(lambda n: (n * n + 3) % modulus, modulus, order, 1)
    depth = fhe.CryptoContext.GetFBTDepth(budget, coefficients, modulus, order, secret, scale)
    made = context(log_n, scale, depth, scale, secret, digits, slots=slots)
    keys = made.KeyGen()
    outer = 1 << scale  # the modulus of the ciphertexts before and after a lookup
    made.EvalFBTSetup(coefficients, slots, modulus, modulus, outer, keys.publicKey, [0, 0], budget, 0, 0, order)
    made.EvalMultKeyGen(keys.secretKey)
    made.EvalBootstrapKeyGen(keys.secretKey, slots)
    forms = fhe.SchemeletRLWEMP
    ring, fresh, last = forms.GetElementParams(keys.secretKey, depth), 1 << 60, [None]
    reversed_order = budget != [1, 1]
    numbers = (5 * np.arange(count) + 1) % modulus
    hidden = forms.EncryptCoeff(numbers.tolist(), fresh, modulus, keys.secretKey, ring, reversed_order)
    forms.ModSwitch(hidden, outer, fresh)

    def once():
        raised = forms.ConvertRLWEToCKKS(made, hidden, keys.publicKey, outer, slots, depth)
        found = made.EvalFBT(raised, coefficients, table_bits, forms.GetQPrime(keys.publicKey, 0), 1, 0, order)
        last[0] = forms.ConvertCKKSToRLWE(found, outer)

    def quality():
        steps = 1 << 12  # decrypted as so many parts of a step, to see the errors
        fine = modulus * steps
        got = np.array(forms.DecryptCoeff(last[0], outer, fine, keys.secretKey, ring, slots, count, reversed_order))
        expected = (numbers * numbers + 3) % modulus
        errors = ((got - expected * steps + fine // 2) % fine - fine // 2) / steps
        right = int((abs(errors) < 0.5).sum())
        return f"{right} of {count} right; errors of 2^{np.log2(abs(errors).max()):.1f} steps at most, as of 2^{failure(errors):.0f}"

    serve(f"N = 2^{log_n}, {count} at once, {depth + 1} limbs of {scale} bits, budget {budget[0]}+{budget[1]}, order {order}, "
          f"sparse encapsulated secret, dnum {digits}, security checked", once, quality, count)


def main():
    name, log_n, *more = sys.argv[1].split("-")
    if name == "lookups":
        lookups(int(log_n), int(more[0]))
        return
    log_n = int(log_n)
    slots = 1 << (log_n - 1)
    x = np.random.default_rng(1).uniform(-1, 1, slots)
    last = [None]
    if name == "bootstrap":
        levels, budget = 6, [3, 3]  # slots to coefficients leave their three as well: nine come out
        secret = fhe.SPARSE_ENCAPSULATED
        depth = levels + fhe.CryptoContext.GetBootstrapDepth(budget, secret)
        made = context(log_n, 54, depth, 60, secret, technique=fhe.ScalingTechnique.FLEXIBLEAUTO)
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
