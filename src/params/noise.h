#pragma once

#include "params/ckks_parameters.h"

/// Modelled noise of the CKKS operations, as the standard deviation of the error of one real slot (the imaginary part
/// has the same), in the units of the message: already divided by the scale. Average-case, independent errors (Gentry,
/// Halevi, Smart 2012, appendix A.5): a polynomial with independent coefficients of deviation s has slots of deviation
/// s * sqrt(N / 2); a product with the ternary secret multiplies a coefficient deviation by sqrt(2N / 3). In the
/// conjugate-invariant ring these are s * sqrt(2N) and sqrt(4N / 3). Tests compare every formula with measured
/// variance.
namespace tacit::params {

/// Deviation in real slots of a polynomial whose coefficients have this deviation.
double slot_deviation(const CkksParameters& parameters, double coefficient_deviation, double scale);

/// Rounding of a real message to an integer polynomial. With complex slots its coefficients come in equal pairs, and so
/// do the roundings: the whole error is in the real part.
double encode_noise(const CkksParameters& parameters, double scale);
/// A fresh ciphertext under the secret key.
double symmetric_encryption_noise(const CkksParameters& parameters, double scale);
/// A fresh ciphertext under the public key (encrypted modulo Q P_level, divided by P_level).
double public_encryption_noise(const CkksParameters& parameters, double scale);
/// One division with rounding (rescale, mod-down, and the fused one of a multiplication): `scale` is the one after it.
double rounding_noise(const CkksParameters& parameters, double scale);
/// Key switch of a rotation or conjugation at this level, mod-down rounding included.
double key_switch_noise(const CkksParameters& parameters, int level, double scale);
/// What `multiply` adds besides a * error(b) + b * error(a): relinearisation and rescale; `level` is that of the
/// operands, `scale` that of the result.
double multiply_noise(const CkksParameters& parameters, int level, double scale);

}  // namespace tacit::params
