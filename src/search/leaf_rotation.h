#pragma once

#include <cstdint>

#include "base/aligned.h"
#include "scheme/ckks/keys.h"
#include "scheme/rlwe/modulus_chain.h"

namespace tacit::search {

/// One rotation key of a set with one ciphertext prime and one special prime, ready to be used often. It does what
/// scheme::ckks::Evaluator::rotate does, ten times faster on these small polynomials: the uniform half is expanded
/// once, the factor 2^52 is taken out of the key, and nothing is divided among threads. Thread safe.
class LeafRotation {
 public:
  /// `chain` and `key` must outlive this object.
  LeafRotation(const scheme::rlwe::ModulusChain& chain, const scheme::ckks::GaloisKey& key);
  /// Writes the rotated ciphertext to out0 and out1, rows in the NTT domain. The inputs stay, and no output is an
  /// input.
  void apply(const std::uint64_t* c0, const std::uint64_t* c1, std::uint64_t* out0, std::uint64_t* out1) const;

 private:
  /// Returns a row of the key: half 0 (b) or 1 (a), of the ciphertext prime (row 0) or the special one (row 1).
  const std::uint64_t* key_row(std::size_t half, std::size_t row) const {
    return words_.data() + (2 * half + row) * stride_;
  }
  const scheme::rlwe::ModulusChain& chain_;
  const scheme::ckks::GaloisKey& key_;
  std::size_t stride_;
  base::AlignedVector<std::uint64_t> words_;
};

}  // namespace tacit::search
