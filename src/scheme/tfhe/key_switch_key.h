#pragma once

#include "base/random.h"
#include "scheme/tfhe/lwe_ciphertexts.h"
#include "scheme/tfhe/secret_key.h"

namespace tacit::scheme::tfhe {

/// The stored form of a key switching key: a seed for the masks and one body per row. Row j * levels + l encrypts bit j
/// of the large key times 2^32 / B^(l + 1) under the small key.
struct SeededKeySwitchKey {
  base::Seed seed{};
  std::vector<std::uint32_t> bodies;
  params::ParameterHash parameters{};

  /// Makes a fresh key from the operating system's randomness.
  static SeededKeySwitchKey generate(const Context& context, const SecretKey& secret);
  static std::size_t rows(const Context& context);
  /// Makes the bodies of rows from `first` on under masks of `seed`, with errors from `noise`.
  static void make_bodies(const Context& context, const SecretKey& secret, const base::Seed& seed, std::size_t first,
                          std::span<std::uint32_t> bodies, base::Csprng& noise);
};

/// Switches from the large key to the small one, with the modulus 2^32 for the result (Chillotti et al. 2020, "TFHE").
/// Expanded, it has k N levels rows of n + 1 words of 32 bits. Immutable, thread safe.
class KeySwitchKey {
 public:
  /// Throws InputError if the shape does not fit, and KeyMismatch for another set.
  KeySwitchKey(ContextPtr context, const SeededKeySwitchKey& seeded);
  /// Returns one result per ciphertext. The key is read once for every few hundred ciphertexts. Throws KeyMismatch.
  SmallLweCiphertexts switch_keys(const LweCiphertexts& ciphertexts) const;
  std::size_t bytes() const { return words_.size() * sizeof(std::uint32_t); }

 private:
  ContextPtr context_;
  std::size_t rows_ = 0, tiles_ = 0;
  base::AlignedVector<std::uint32_t> words_;  ///< tiles of kTorusColumns columns; in a tile, row after row
};

}  // namespace tacit::scheme::tfhe
