#pragma once

#include "base/random.h"
#include "scheme/tfhe/lwe_ciphertexts.h"
#include "scheme/tfhe/secret_key.h"
#include "scheme/tfhe/torus.h"

namespace tacit::scheme::tfhe {

/// k mask polynomials and a body of N words each: N messages under the GLWE secret. Copyable.
struct GlweCiphertext {
  base::AlignedVector<Torus> words;
  params::ParameterHash parameters{};
};

/// What is stored of a packing key: a seed for the masks and a body of N words a row. Row j * levels + l encrypts bit j
/// of the large key times 2^64 / B^(l + 1), as a constant polynomial, under the GLWE secret.
struct SeededPackingKey {
  params::Decomposition cut;
  base::Seed seed{};
  base::AlignedVector<Torus> bodies;
  params::ParameterHash parameters{};

  /// Fresh, from the operating system's randomness. Throws InputError for digits of no or more than 30 bits in all.
  static SeededPackingKey generate(const Context& context, const SecretKey& secret, params::Decomposition cut);
};

/// Packs ciphertexts under the large key into the coefficients of one GLWE ciphertext, k + 1 polynomials instead of as
/// many ciphertexts of k N + 1 words (Chillotti et al. 2020, "TFHE", section 4: public functional key switch, of the
/// identity). params::packing_variance is the noise it adds. Immutable, thread safe.
class PackingKey {
 public:
  /// Throws InputError when the shape does not fit, KeyMismatch for another set.
  PackingKey(ContextPtr context, const SeededPackingKey& seeded);
  /// Message i becomes coefficient i. Throws InputError for more than N, KeyMismatch for those of another set.
  GlweCiphertext pack(const LweCiphertexts& ciphertexts) const;
  std::size_t bytes() const { return matrices_.size() * sizeof(double); }

 private:
  ContextPtr context_;
  params::Decomposition cut_;
  std::size_t bits_together_;  ///< of the large key, in one product
  base::AlignedVector<double> matrices_;
};

/// The message and noise of every coefficient. Throws KeyMismatch.
std::vector<Torus> phases(const Context& context, const SecretKey& secret, const GlweCiphertext& ciphertext);

}  // namespace tacit::scheme::tfhe
