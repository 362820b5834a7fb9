#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/cpu.h"
#include "base/random.h"
#include "ring/modulus.h"
#include "ring/simd/kernels.h"

namespace tacit::ring {

/// The uniform half of keys and ciphertexts, which is public: one row of words in [0, q). Any run of it is expanded
/// from a seed when it is read. Block (p / 2 + k 2^32, row) is added bit by bit to the second half of the seed. AES-128
/// encrypts it under the first half; words are little-endian. Draw k for word p of row `row` is half p mod 2 of the
/// result.
///
/// The first c bits of each draw count. The word is the first draw below the largest multiple of q below 2^c, modulo q.
/// c is the bit length of q, or the least number above it that rejects at most one draw in 1,024. c is at most 52. For
/// the primes of most parameter sets the multiple is q. The words are unbiased, and equal on every machine. The time
/// depends on the words. For primes of 20 bits or more. For one thread.
class UniformRow {
 public:
  UniformRow(const base::Seed& seed, std::uint64_t row, const Modulus& q, base::Isa isa = base::active_isa());
  ~UniformRow();
  UniformRow(const UniformRow& other);
  UniformRow& operator=(const UniformRow&) = delete;

  /// Writes words [at, at + out.size()), both multiples of 8.
  void fill(std::size_t at, std::span<std::uint64_t> out) const;
  /// Returns the inputs of the instruction set's kernels, or null if it has none.
  const simd::UniformWords* words() const { return cipher_ ? nullptr : &words_; }

 private:
  struct Cipher;
  void fill_by_library(std::size_t at, std::span<std::uint64_t> out) const;

  Modulus modulus_;
  simd::UniformWords words_;
  const simd::Kernels* kernels_;
  std::unique_ptr<Cipher> cipher_;  ///< used if there are no kernels
};

}  // namespace tacit::ring
