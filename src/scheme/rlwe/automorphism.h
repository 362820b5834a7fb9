#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ring/kind.h"
#include "ring/limb.h"
#include "ring/modulus.h"

namespace tacit::scheme::rlwe {

/// X -> X^element on rows in the NTT domain. In bit-reversed order an automorphism maps every aligned strip of
/// positions to one aligned strip. It can thus be applied strip by strip inside a fused loop. Immutable, thread safe.
class Automorphism {
 public:
  static constexpr std::size_t kStrip = ring::limb::kPermutedWords;
  /// Returns the words of a strip of a row of n words.
  static std::size_t strip(std::size_t n) { return n < kStrip ? n : kStrip; }

  /// Takes an element that ring::automorphism_map takes (throws InputError).
  Automorphism(std::uint64_t element, std::size_t n, ring::Kind kind = ring::Kind::negacyclic);
  /// Returns the strip of the input that strip `s` of the output reads.
  std::size_t source_strip(std::size_t s) const { return source_[s]; }
  /// Returns the permutation from the source strip to strip `s` of the output (limb::permute).
  ring::limb::AffineMap strip_map(std::size_t s) const { return maps_[s]; }
  /// Writes the strips of the row `out` that read words [at, at + words.size()) of the input. `words` are these words,
  /// whole strips.
  void apply_run(ring::Destination out, std::span<const std::uint64_t> words, std::size_t at) const;
  /// Adds the same to `out` modulo q.
  void add_run(std::uint64_t* out, std::span<const std::uint64_t> words, std::size_t at, const ring::Modulus& q) const;

 private:
  std::size_t strip_;
  std::vector<std::uint32_t> source_, target_;  ///< of a strip: the strip that it reads, the strip that reads it
  std::vector<ring::limb::AffineMap> maps_;     ///< of a strip: positions within it to those within its source
};

}  // namespace tacit::scheme::rlwe
