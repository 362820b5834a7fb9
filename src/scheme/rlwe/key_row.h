#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ring/uniform_dot.h"
#include "scheme/rlwe/modulus_chain.h"
#include "scheme/rlwe/switching_key.h"

namespace tacit::scheme::rlwe {

/// One row of a switching key, multiplied a run of words at a time. The pairs b, a below are the key's, which holds
/// them times 2^52. For one thread.
class KeyRow {
 public:
  /// The first `digits` digits at `level`.
  KeyRow(const ModulusChain& chain, const SwitchingKey& key, std::size_t digits, int level, std::size_t row);
  using More = std::array<std::span<const ring::ProductTerm>, 2>;
  /// out0 = <digits, b> + more[0] / 2^52 and out1 = <digits, a> + more[1] / 2^52 at words [at, at + count), where
  /// digits[d] and the rows of `more` begin. `next` are runs of `count` words that the caller reads afterwards: they
  /// are prefetched meanwhile. With the map of a strip of an automorphism's output, of which these words are the source
  /// strip, they come in that strip's order, and the low 52 bits count (ring::uniform_dot_pair).
  void multiply(std::size_t at, std::size_t count, std::span<const std::uint64_t* const> digits, const More& more,
                std::uint64_t* out0, std::uint64_t* out1, std::span<const std::uint64_t* const> next,
                const ring::limb::AffineMap* strip = nullptr);
  /// The words of all b_d from `at`, where they lie.
  void append_b(std::size_t at, std::vector<const std::uint64_t*>& runs) const;

 private:
  std::vector<const std::uint64_t*> rows_;  ///< of the b_d
  std::vector<ring::UniformRow> uniform_;
  std::vector<ring::UniformTerm> terms_;
  const ring::Modulus& q_;
};

}  // namespace tacit::scheme::rlwe
