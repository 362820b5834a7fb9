#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "graph/graph.h"
#include "graph/range.h"

namespace tacit::graph::passes {

/// For every tensor of a graph an interval that holds its elements whatever finite inputs come in: from -infinity to
/// infinity where nothing is known. Squares, magnitudes, norms and exponentials are at least 0, probabilities lie
/// between 0 and 1, and sums, products and movements of known values are known. Distances are recognised where a
/// converter wrote them out: |x|² - 2 w·x + |w|² is at least 0 for constant rows w.
/// `known`: intervals of tensors, beside what their types say.
std::vector<Range> value_domains(const Graph& graph, const std::map<TensorId, Range>& known = {});

/// The numbers that the operand of an operator may be. `off_zero`: a number that noise does not tell from 0 makes the
/// result meaningless.
struct FunctionDomain {
  Range operand;
  bool off_zero = false;
  std::optional<std::int64_t> line{};  ///< the axis of lines that must not be 0 as a whole
};

/// The domain of operand `input` of a node; all numbers where the operator takes them.
FunctionDomain domain_of(const Graph& graph, const Node& node, std::size_t input);

}  // namespace tacit::graph::passes
