#pragma once

#include "params/ckks_parameters.h"

/// Models the noise of the CKKS operations as the standard deviation of the error of one real slot. The imaginary part
/// has the same deviation. Deviations are in the units of the message, thus already divided by the scale. The model is
/// the average case with independent errors (Gentry, Halevi, Smart 2012, appendix A.5):
/// - A polynomial with independent coefficients of deviation s has slots of deviation s * sqrt(N / 2), or s * sqrt(2N)
///   in the conjugate-invariant ring.
/// - A product with the ternary secret multiplies a coefficient's deviation by sqrt(2N / 3), or by sqrt(4N / 3) in that
///   ring.
/// - The secret of several owners is a sum of ternary parts (CkksLiteral::parts), and so are errors of their keys. The
///   relinearisation key of n parts has errors of deviation sigma * sqrt(n (1 + 4 n N / 3)) (Mouchet,
///   Troncoso-Pastoriza, Bossuat, Hubaux 2021), with 2N for N in that ring.
///
/// Tests compare every formula with measured variance.
namespace tacit::params {

/// Returns the deviation in real slots of a polynomial whose coefficients have this deviation.
double slot_deviation(const CkksParameters& parameters, double coefficient_deviation, double scale);

/// Returns the noise of rounding a real message to an integer polynomial. With complex slots the coefficients come in
/// equal pairs, and their roundings too: the whole error is in the real part.
double encode_noise(const CkksParameters& parameters, double scale);
/// Returns the noise of a fresh ciphertext under the secret key.
double symmetric_encryption_noise(const CkksParameters& parameters, double scale);
/// Returns the noise of a fresh ciphertext under the public key (encrypted modulo Q P_level, divided by P_level).
double public_encryption_noise(const CkksParameters& parameters, double scale);
/// Returns the noise of one division with rounding: a rescale, a mod-down, or the fused one of a product. `scale` is
/// the scale after it.
double rounding_noise(const CkksParameters& parameters, double scale);
/// Returns the noise of a key switch of a rotation or conjugation at this level, mod-down rounding included.
double key_switch_noise(const CkksParameters& parameters, int level, double scale);
/// Returns the noise of relinearisation and rescale that `multiply` adds to a * error(b) + b * error(a). `level` is
/// that of the operands, `scale` that of the result.
double multiply_noise(const CkksParameters& parameters, int level, double scale);

}  // namespace tacit::params
