#pragma once

#include "params/tfhe_dimensions.h"

/// Modelled noise of the TFHE operations: variances of errors on the torus, whose circumference is 1. Average case,
/// independent errors, binary secrets. The formulas are those of Bergerat et al. 2022 (ePrint 2022/704, with the
/// digits' own rounding as in its reference implementation); they reproduce published failure probabilities to the
/// printed digit, and tests compare each of them with measured variances.
namespace tacit::params {

/// What the noise of a lookup depends on.
struct LookupShape {
  LweDimension lwe{0};
  GlweDimension glwe{1};
  PolynomialSize polynomial{2};
  ExtensionFactor extension{1};
  double lwe_variance = 0, glwe_variance = 0;  ///< of fresh noise
  Decomposition bootstrap, key_switch;
  int lwe_modulus_bits = 32;  ///< of the words between key switch and bootstrap
  bool centred = true;        ///< the modulus switch takes the rounding errors' mean off
  int log_tables = 0;         ///< 2^log_tables tables share a bootstrap
  /// With the error of tfhe-rs's FFT, as it computes its failure probabilities.
  bool published = false;
};

/// Noise that is uniform on [-2^bound_bits, 2^bound_bits] with half weight at the ends, on words of so many bits.
double bounded_uniform_variance(int bound_bits, int word_bits);

/// Added by one key switch from the large to the small dimension.
double key_switch_variance(const LookupShape& shape);
/// Of the result of one bootstrap, whatever went in.
double bootstrap_variance(const LookupShape& shape);
/// Of one external product with a bit of the bootstrapping key, on noiseless input.
double external_product_variance(const LookupShape& shape);
/// Added by the modulus switch before the blind rotation, to the phase that is cut into the boxes of a table.
double modulus_switch_variance(const LookupShape& shape);
/// Added by packing `count` ciphertexts under the large key into one GLWE ciphertext, its key cut this way.
double packing_variance(const LookupShape& shape, Decomposition cut, std::size_t count);

/// Where the variance of a lookup's input comes from: a sum of bootstrap outputs with weights of this 2-norm, and of
/// fresh ciphertexts with weights of another, switched. A shape without a small key has fresh ciphertexts alone.
struct NoiseBudget {
  double bootstraps = 0, key_switch = 0, modulus_switch = 0, fresh = 0;
  double total() const { return bootstraps + key_switch + modulus_switch + fresh; }
};
NoiseBudget noise_budget(const LookupShape& shape, double norm2, double fresh_norm2 = 0);

/// The largest variance with which a lookup of `bits` message bits (and one of padding) fails with probability at most
/// 2^log2_failure.
double most_variance(int bits, double log2_failure);
/// log2 of the probability that an error of this variance leaves the slot of a message of `bits` bits.
double log2_failure(int bits, double variance);

}  // namespace tacit::params
