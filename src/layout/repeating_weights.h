#pragma once

#include <optional>

#include "layout/diagonals.h"

namespace tacit::layout {

/// Counts the blocks into their set, which has none yet.
void count_blocks(Diagonals& diagonals);

/// Shortens the weights of every diagonal to the smallest power of two that they can repeat with. A weight that does
/// not matter may be any number: one that multiplies a slot known to be zero, or that adds to a slot which may hold an
/// unknown number.
void repeat(const LinearMap& map, Diagonals& diagonals);

/// `diagonals(map, only_output)` of a map whose weights repeat with the innermost digits of its layouts, where the
/// output may hold unknown numbers, or with the rows of feature maps. None where they do not. Memory is that of the
/// short weights.
std::optional<Diagonals> repeating_diagonals(const LinearMap& map, Index only_output = -1);

}  // namespace tacit::layout
