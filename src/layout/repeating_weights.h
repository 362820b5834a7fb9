#pragma once

#include <memory>
#include <optional>

#include "layout/diagonals.h"

namespace tacit::layout {

/// Counts the blocks into their set, which has none yet.
void count_blocks(Diagonals& diagonals);

/// Shortens the weights of every diagonal to the smallest power of two that they can repeat with. A weight that does
/// not matter may be any number: one that multiplies a slot known to be zero, or that adds to a slot which may hold an
/// unknown number.
void repeat(const LinearMap& map, Diagonals& diagonals);

/// The diagonals of a map whose weights repeat with the innermost digits of its layouts, where the output may hold
/// unknown numbers, or with the rows of feature maps. Thread safe. Memory is that of where the map's elements lie.
class RepeatingDiagonals {
 public:
  /// `map` must outlive it.
  explicit RepeatingDiagonals(const LinearMap& map);
  ~RepeatingDiagonals();

  /// `diagonals(map, only_output)`, of all outputs where that is -1. None where weights do not repeat. Memory is that
  /// of the short weights.
  std::optional<Diagonals> of(Index only_output = -1) const;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace tacit::layout
