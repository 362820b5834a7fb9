#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "graph/graph.h"
#include "graph/range.h"

namespace tacit::graph::passes {

/// Returns for every tensor of a graph an interval that holds its elements for all finite inputs. It is from -infinity
/// to infinity if nothing is known. Squares, magnitudes, norms and exponentials are at least 0. Probabilities are
/// between 0 and 1. Sums, products and movements of known values are known. Distances that a converter wrote out are
/// recognised:
/// x|² - 2 w·x + |w|² is at least 0 for constant rows w. `known` has intervals of tensors in addition to those of their
/// types.
std::vector<Range> value_domains(const Graph& graph, const std::map<TensorId, Range>& known = {});

/// The numbers that the operand of an operator may be. With `off_zero`, the result is meaningless if noise hides
/// whether a number is 0.
struct FunctionDomain {
  Range operand;
  bool off_zero = false;
  std::optional<std::int64_t> line{};  ///< the axis of lines that must not be 0 as a whole
};

/// Returns the domain of operand `input` of a node. It is all numbers if the operator takes them.
FunctionDomain domain_of(const Graph& graph, const Node& node, std::size_t input);

}  // namespace tacit::graph::passes
