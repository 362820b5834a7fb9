#pragma once

#include "params/tfhe_dimensions.h"

/// Models the noise of the TFHE operations as variances of errors on the torus, whose circumference is 1. The model is
/// the average case with independent errors and binary secrets. The formulas are those of Bergerat et al. 2022 (ePrint
/// 2022/704). The rounding of the digits follows the reference implementation of that paper. The formulas reproduce
/// published failure probabilities to the printed digit. Tests compare each of them with measured variances.
namespace tacit::params {

/// The parameters that decide the noise of a lookup.
struct LookupShape {
  LweDimension lwe{0};
  GlweDimension glwe{1};
  PolynomialSize polynomial{2};
  ExtensionFactor extension{1};
  double lwe_variance = 0, glwe_variance = 0;  ///< variances of fresh noise
  Decomposition bootstrap, key_switch;
  int lwe_modulus_bits = 32;  ///< bits of the words between key switch and bootstrap
  bool centred = true;        ///< the modulus switch subtracts the mean of the rounding errors
  int log_tables = 0;         ///< 2^log_tables tables share a bootstrap
  double fresh_factor = 1;    ///< variance of the noise of fresh ciphertexts over glwe_variance
  /// Includes the error of tfhe-rs's FFT, as tfhe-rs computes its failure probabilities.
  bool published = false;
};

/// Returns the variance of noise that is uniform on [-2^bound_bits, 2^bound_bits] with half weight at the ends. Words
/// have `word_bits` bits.
double bounded_uniform_variance(int bound_bits, int word_bits);

/// Returns the variance of the noise of one ciphertext under the public key, over that of one under the secret key. The
/// noise is <r, e> + e' - <e'', s>, with k N terms per product. `r` is ternary, `s` is binary, and all others are as
/// wide as fresh noise: 1 + (2/3 + 1/2) k N. (Lyubashevsky, Peikert, Regev 2010.)
double public_encryption_factor(const LookupShape& shape);
/// Returns a bound on the same for sums of such ciphertexts, per squared 2-norm of the weights. Noises of one block of
/// N ciphertexts are correlated: bits of the secret have the mean 1/2, and a polynomial of N ones has values up to 2 N
/// / pi at the roots of X^N + 1. The bound is 1 + (2/3 + 1/4) k N + k N^2 / pi^2, in the mean over secrets.
double public_sum_factor(const LookupShape& shape);
/// Returns the shape for inputs under the public key: fresh_factor is public_sum_factor.
LookupShape with_public_inputs(LookupShape shape);

/// Returns the variance that one key switch adds from the large to the small dimension.
double key_switch_variance(const LookupShape& shape);
/// Returns the variance of the result of one bootstrap. The input does not matter.
double bootstrap_variance(const LookupShape& shape);
/// Returns the variance of one external product with a bit of the bootstrapping key, on noiseless input.
double external_product_variance(const LookupShape& shape);
/// Returns the variance that the modulus switch before the blind rotation adds to the phase. The phase is then cut into
/// the boxes of a table.
double modulus_switch_variance(const LookupShape& shape);
/// Returns the variance of packing `count` ciphertexts under the large key into one GLWE ciphertext. `cut` gives the
/// digits of the packing key.
double packing_variance(const LookupShape& shape, Decomposition cut, std::size_t count);

/// The sources of the variance of a lookup's input. The input is a weighted sum of bootstrap outputs and of fresh
/// ciphertexts, each with its 2-norm, after a key switch. A shape without a small key has fresh ciphertexts alone.
struct NoiseBudget {
  double bootstraps = 0, key_switch = 0, modulus_switch = 0, fresh = 0;
  double total() const { return bootstraps + key_switch + modulus_switch + fresh; }
};
NoiseBudget noise_budget(const LookupShape& shape, double norm2, double fresh_norm2 = 0);

/// Returns the largest variance with which a lookup of `bits` message bits (and one of padding) fails with probability
/// at most 2^log2_failure.
double most_variance(int bits, double log2_failure);
/// Returns log2 of the probability that an error of this variance leaves the slot of a message of `bits` bits.
double log2_failure(int bits, double variance);

}  // namespace tacit::params
