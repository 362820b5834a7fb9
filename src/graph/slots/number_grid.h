#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

#include "graph/graph.h"
#include "graph/passes/network.h"

namespace tacit::graph::passes {

/// Numbers that are multiples of a step, for all inputs of a model: step times lowest, ..., highest.
struct NumberGrid {
  double step = 1;
  std::int64_t lowest = 0, highest = 0;
  double off = 0;  ///< the most by which a number is off its multiple, as a share of the step

  std::int64_t count() const { return highest - lowest + 1; }
  /// Returns the largest magnitude, in steps.
  double largest() const { return static_cast<double>(std::max(std::abs(lowest), std::abs(highest))); }
};

/// Returns the largest step of which all numbers are multiples, up to the rounding of 32-bit reals. None if their
/// multiples would be larger than some thousands, or if all numbers are 0.
std::optional<double> common_step(const std::vector<double>& numbers);

/// Returns the grid of the numbers of a list. None if they have none.
std::optional<NumberGrid> grid_of(const std::vector<double>& numbers);

/// Returns the grid of a tensor that the client computes. It follows from the last rounding or integer type on the way
/// to the tensor, and from the arithmetic with constants after it. None if the tensor is not on a grid.
std::optional<NumberGrid> grid_of(const Graph& client, TensorId id);

/// Returns the grid of an affine value whose operands are on `grids`. None if a weight or a number of the bias is off
/// the grid of the others.
std::optional<NumberGrid> grid_of(const Affine& affine, layout::Index elements,
                                  const std::vector<std::optional<NumberGrid>>& grids);

}  // namespace tacit::graph::passes
