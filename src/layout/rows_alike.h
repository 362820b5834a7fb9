#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "layout/linear_operator.h"

namespace tacit::layout {

/// The slots of a row of feature maps, where a layout's outermost digit is their rows and the others are powers of two.
std::optional<Index> row_slots(const Layout& layout);

/// The rows [first, last) of a map's operator, and how many times as many have entries like them: the same diagonals
/// and weights, at accumulators that leave the same remainder.
struct RowsAlike {
  Index first = 0, last = 0;
  std::uint32_t times = 1;
};

/// All rows of a map, those alike once, by remainders modulo `period`. A window whose weights are the same wherever it
/// is does the same to every row and every column of feature maps that it does not reach beyond, where these lie one
/// behind another, or in phases.
std::vector<RowsAlike> rows_alike(const LinearMap& map, Index period);

}  // namespace tacit::layout
