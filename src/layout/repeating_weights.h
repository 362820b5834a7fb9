#pragma once

#include "layout/diagonals.h"

namespace tacit::layout {

/// Shortens the weights of every diagonal to the smallest power of two that they can repeat with. A weight that does
/// not matter may be any number: one that multiplies a slot known to be zero, or that adds to a slot which may hold an
/// unknown number.
void repeat(const LinearMap& map, Diagonals& diagonals);

}  // namespace tacit::layout
