#pragma once

#include <span>

#include "graph/graph.h"

namespace tacit::graph::reference {

/// Refuses a node that computes with integers of a constant that are lost (see integers.h). A Slice may start or end at
/// them, and operators that move elements pass them on where `passed_on`. Inputs that are no constants may be null.
void refuse_lost_integers(const Node& node, std::span<const Tensor* const> inputs, bool passed_on = true);

/// Refuses a result of a node whose integers are none of their type: an overflow that processors do not agree on, or an
/// integer beyond 2^53. Operators that wrap around never make such a one.
void check_integers(const Node& node, const Tensor& result, IntegerType type);

/// Throws InputError where an input's integers are fractions, or are none of the input's type.
void check_integer_input(const TensorInfo& expected, const Tensor& given);

}  // namespace tacit::graph::reference
