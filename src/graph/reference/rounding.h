#pragma once

#include <optional>

#include "graph/graph.h"

namespace tacit::graph::reference {

/// Rounds real elements to a format, to nearest and ties to even; what is too large becomes infinite. Leaves integers
/// and texts as they are, and everything where the format is float64.
void round_to(Rounding format, Tensor& tensor);
double round_to(Rounding format, double value);

/// The format that a number of the ONNX format stands for; nothing where its elements are no real numbers.
std::optional<Rounding> real_type(std::int64_t number);

}  // namespace tacit::graph::reference
