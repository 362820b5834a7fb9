#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ring/uniform_dot.h"
#include "scheme/rlwe/modulus_chain.h"
#include "scheme/rlwe/switching_key.h"

namespace tacit::scheme::rlwe {

/// One row of a switching key, multiplied a run of words at a time. The pairs b, a below are those of the key, which
/// holds them times 2^52. For one thread.
class KeyRow {
 public:
  /// Takes the first `digits` digits at `level`.
  KeyRow(const ModulusChain& chain, const SwitchingKey& key, std::size_t digits, int level, std::size_t row);
  using More = std::array<std::span<const ring::ProductTerm>, 2>;
  /// Computes out0 = <digits, b> + more[0] / 2^52 and out1 = <digits, a> + more[1] / 2^52 at words [at, at + count).
  /// digits[d] and the rows of `more` begin at `at`. `next` are runs of `count` words that the caller reads afterwards;
  /// they are prefetched meanwhile. An automorphism's strip map may be given. These words are then the source strip,
  /// the results come in the order of the output strip, and their low 52 bits count (ring::uniform_dot_pair).
  void multiply(std::size_t at, std::size_t count, std::span<const std::uint64_t* const> digits, const More& more,
                std::uint64_t* out0, std::uint64_t* out1, std::span<const std::uint64_t* const> next,
                const ring::limb::AffineMap* strip = nullptr);
  /// Appends the addresses of the held words of all b_d and a_d from `at`.
  void append_held(std::size_t at, std::vector<const std::uint64_t*>& runs) const;

 private:
  /// Multiplies with a key that holds both halves.
  void multiply_held(std::size_t at, std::size_t count, std::span<const std::uint64_t* const> digits, const More& more,
                     std::array<std::uint64_t*, 2> out) const;

  std::vector<const std::uint64_t*> rows_;  ///< rows of the b_d
  std::vector<const std::uint64_t*> held_;  ///< rows of the a_d, if the key holds them
  std::vector<ring::UniformRow> uniform_;   ///< the same for a seeded key
  std::vector<ring::UniformTerm> terms_;
  const ring::Modulus& q_;
};

}  // namespace tacit::scheme::rlwe
