#pragma once

#include <vector>

#include "layout/layout.h"

namespace tacit::graph::passes {

/// Returns the number of pieces of `inside` elements that hold `extent` elements.
constexpr layout::Index pieces(layout::Index extent, layout::Index inside) { return (extent + inside - 1) / inside; }

/// Adds a digit to those of a layout, unless its extent is 1.
inline void put_digit(std::vector<layout::Digit>& digits, int dim, layout::Index extent, layout::Index stride = 1) {
  if (extent > 1) digits.push_back({dim, extent, stride, ""});
}

}  // namespace tacit::graph::passes
