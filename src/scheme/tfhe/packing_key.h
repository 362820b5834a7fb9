#pragma once

#include "base/random.h"
#include "scheme/tfhe/lwe_ciphertexts.h"
#include "scheme/tfhe/secret_key.h"
#include "scheme/tfhe/torus.h"

namespace tacit::scheme::tfhe {

/// N messages under the GLWE secret: k mask polynomials and a body of N words each. Copyable.
struct GlweCiphertext {
  base::AlignedVector<Torus> words;
  params::ParameterHash parameters{};
};

/// The stored form of a packing key: a seed for the masks and one body of N words per row. Row j * levels + l encrypts,
/// under the GLWE secret, bit j of the large key times 2^64 / B^(l + 1) as a constant polynomial.
struct SeededPackingKey {
  params::Decomposition cut;
  base::Seed seed{};
  base::AlignedVector<Torus> bodies;
  params::ParameterHash parameters{};

  /// Makes a fresh key from the operating system's randomness. Throws InputError for digits of 0 bits, or more than 30,
  /// in all.
  static SeededPackingKey generate(const Context& context, const SecretKey& secret, params::Decomposition cut);
};

/// Packs ciphertexts under the large key into the coefficients of one GLWE ciphertext. It has k + 1 polynomials instead
/// of as many ciphertexts of k N + 1 words. The method is the public functional key switch of the identity (Chillotti
/// et al. 2020, "TFHE", section 4). params::packing_variance is the added noise. Immutable, thread safe.
class PackingKey {
 public:
  /// Throws InputError if the shape does not fit, and KeyMismatch for another set.
  PackingKey(ContextPtr context, const SeededPackingKey& seeded);
  /// Puts message i into coefficient i. Throws InputError for more than N messages, and KeyMismatch for another set.
  GlweCiphertext pack(const LweCiphertexts& ciphertexts) const;
  std::size_t bytes() const { return matrices_.size() * sizeof(double); }

 private:
  ContextPtr context_;
  params::Decomposition cut_;
  std::size_t bits_together_;  ///< bits of the large key in one product
  base::AlignedVector<double> matrices_;
};

/// Returns the message and noise of every coefficient. Throws KeyMismatch.
std::vector<Torus> phases(const Context& context, const SecretKey& secret, const GlweCiphertext& ciphertext);

}  // namespace tacit::scheme::tfhe
