#pragma once

#include <span>

#include "graph/graph.h"

namespace tacit::graph::reference {

/// Refuses a node that computes with lost integers of a constant (see integers.h). A Slice may start or end at them. If
/// `passed_on` is true, operators that move elements pass them on. Inputs that are not constants may be null.
void refuse_lost_integers(const Node& node, std::span<const Tensor* const> inputs, bool passed_on = true);

/// Refuses a result of a node whose integers are outside their type: an overflow that processors treat differently, or
/// an integer beyond 2^53. Operators that wrap around never make such an integer.
void check_integers(const Node& node, const Tensor& result, IntegerType type);

/// Throws InputError if the integers of an input are fractions, or are outside the input's type.
void check_integer_input(const TensorInfo& expected, const Tensor& given);

}  // namespace tacit::graph::reference
