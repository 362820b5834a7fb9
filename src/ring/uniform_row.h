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
/// from a seed when it is read. Block (p / 2 + k 2^32, row) is added bit by bit to the seed's second half, and
/// encrypted by AES-128 under its first half; words are little-endian. Draw k for word p of row `row` is half p mod 2
/// of the result. Of each draw the first c bits count. The word is the first draw below the largest multiple of q below
/// 2^c, modulo q. c is the bit length of q, or the least number above it for which at most one draw in 1,024 is
/// rejected, but at most 52. For the primes of most parameter sets the multiple is q. Unbiased, and equal on every
/// machine. Its time depends on the words. For primes of 20 bits or more. For one thread.
class UniformRow {
 public:
  UniformRow(const base::Seed& seed, std::uint64_t row, const Modulus& q, base::Isa isa = base::active_isa());
  ~UniformRow();
  UniformRow(const UniformRow& other);
  UniformRow& operator=(const UniformRow&) = delete;

  /// Words [at, at + out.size()), both multiples of 8.
  void fill(std::size_t at, std::span<std::uint64_t> out) const;
  /// What the instruction set's kernels expand it from; null where it has none.
  const simd::UniformWords* words() const { return cipher_ ? nullptr : &words_; }

 private:
  struct Cipher;
  void fill_by_library(std::size_t at, std::span<std::uint64_t> out) const;

  Modulus modulus_;
  simd::UniformWords words_;
  const simd::Kernels* kernels_;
  std::unique_ptr<Cipher> cipher_;  ///< where the kernels have none
};

}  // namespace tacit::ring
