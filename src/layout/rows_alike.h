#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "layout/linear_operator.h"

namespace tacit::layout {

/// Returns the slots of a row of feature maps. The outermost digit must be their rows, and the others powers of two.
std::optional<Index> row_slots(const Layout& layout);

/// Returns the slots of a sample if samples are the outermost digit within of both layouts, at equal distances, and if
/// the operator is repeated for every sample. The weights of such a map repeat with the samples.
std::optional<Index> sample_slots(const LinearMap& map);

/// The rows [first, last) of a map's operator, and how many such runs of rows have equal entries. Equal entries have
/// the same diagonals and weights, at accumulators with the same remainder.
struct RowsAlike {
  Index first = 0, last = 0;
  std::uint32_t times = 1;
};

/// Returns all rows of a map by remainders modulo `period`; equal rows occur once. A window with constant weights does
/// the same to every row and column of feature maps that it does not reach beyond. Rows and columns must be
/// consecutive, or in phases. An operator that is repeated for every sample does the same to all samples.
std::vector<RowsAlike> rows_alike(const LinearMap& map, Index period);

}  // namespace tacit::layout
