#pragma once

#include <compare>

#include "layout/layout.h"

namespace tacit::layout {

/// The place of an entry of a map: a diagonal of a block. Also a step from one place to another: the numbers add up,
/// the diagonals modulo the set's modulus.
struct DiagonalPlace {
  Index out = 0, in = 0, diagonal = 0;
  auto operator<=>(const DiagonalPlace&) const = default;
};

}  // namespace tacit::layout
