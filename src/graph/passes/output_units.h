#pragma once

#include "graph/passes/clear_network.h"
#include "graph/passes/network.h"

namespace tacit::graph::passes {

/// From this ratio on between the widest and the narrowest element, the elements of an output have units of their own.
inline constexpr double kUnlikeElements = 16;

/// Gives outputs the ranges of their elements, as samples showed them.
void tell_outputs_apart(Network& network, const SampleOutputs& outputs);

/// Stretches the elements of outputs by powers of two, so that each reaches the bound of the widest: all of them then
/// lie as far above the noise. Elements of one channel stay together. It takes outputs that are affine values, that
/// nothing else reads, with calibrated elements (`Value::element_ranges`) whose bounds differ by kUnlikeElements or
/// more. `Value::stretch` tells the client.
Network with_output_units(Network network);

}  // namespace tacit::graph::passes
