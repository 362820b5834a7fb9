#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>

#include "layout/diagonals.h"

namespace tacit::layout {

/// Counts the blocks into their set, which has none yet.
void count_blocks(Diagonals& diagonals);

/// Shortens the weights of every diagonal to the smallest power of two that they can repeat with. A weight does not
/// matter if it multiplies a slot known to be zero, or adds to a slot that may hold an unknown number. It may then be
/// any number.
void repeat(const LinearMap& map, Diagonals& diagonals);

/// The diagonals of a map whose weights repeat. There are three cases:
/// - They repeat with the rows of feature maps, on one side or on both.
/// - They repeat with the samples of a batch, if samples are outermost in a ciphertext.
/// - They repeat with the innermost digits of the layouts, if the output may hold unknown numbers.
///
/// The memory is that of the positions of the map's elements.
/// Thread safe.
class RepeatingDiagonals {
 public:
  /// `map` must outlive this object. The search for repetition ends where a thread has met `most_weights` weights.
  explicit RepeatingDiagonals(const LinearMap& map, std::size_t most_weights = std::numeric_limits<std::size_t>::max());
  ~RepeatingDiagonals();

  /// Returns `diagonals(map, only_output)`; -1 selects all outputs. The result is empty if weights do not repeat, or
  /// are too many. The memory is that of the short weights.
  std::optional<Diagonals> of(Index only_output = -1) const;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace tacit::layout
