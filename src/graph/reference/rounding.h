#pragma once

#include "graph/graph.h"

namespace tacit::graph::reference {

/// Rounds real elements to a format, to nearest and ties to even; what is too large becomes infinite. Leaves integers
/// and texts as they are, and everything where the format is float64.
void round_to(Rounding format, Tensor& tensor);
double round_to(Rounding format, double value);

}  // namespace tacit::graph::reference
