#pragma once

#include <optional>

#include "graph/graph.h"

namespace tacit::graph::reference {

/// Rounds real elements to a format, to nearest and ties to even. Numbers that are too large become infinite. Leaves
/// integers and texts unchanged, and all elements if the format is float64.
void round_to(FloatFormat format, Tensor& tensor);
double round_to(FloatFormat format, double value);

/// Returns the format of a number of the ONNX format, or none if its elements are not real numbers.
std::optional<FloatFormat> real_type(std::int64_t number);

}  // namespace tacit::graph::reference
