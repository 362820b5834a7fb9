#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ring/uniform_row.h"
#include "scheme/rlwe/modulus_chain.h"
#include "scheme/rlwe/scratch.h"
#include "scheme/rlwe/switching_key.h"

namespace tacit::scheme::rlwe {

/// One row of a switching key, read a run of words at a time: of b_d where it lies, of a_d expanded. For one thread.
class KeyRow {
 public:
  /// The first `digits` digits at `level`.
  KeyRow(const ModulusChain& chain, const SwitchingKey& key, std::size_t digits, int level, std::size_t row);
  /// Makes words [at, at + count) the ones that b() and a() give, the latter in `room`, a row a digit. `next` are runs
  /// of `count` words that the caller reads afterwards: they are prefetched meanwhile.
  void read(std::size_t at, std::size_t count, ScratchRows& room, std::span<const std::uint64_t* const> next);
  /// By digit.
  std::span<const std::uint64_t* const> b() const { return b_; }
  std::span<const std::uint64_t* const> a() const { return a_; }
  /// The words of all b_d from `at`, where they lie.
  void append_b(std::size_t at, std::vector<const std::uint64_t*>& runs) const;

 private:
  std::vector<const std::uint64_t*> rows_;  ///< of the b_d
  std::vector<ring::UniformRow> uniform_;
  std::vector<const std::uint64_t*> b_, a_;
};

}  // namespace tacit::scheme::rlwe
