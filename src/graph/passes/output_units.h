#pragma once

#include "graph/passes/clear_network.h"
#include "graph/passes/network.h"

namespace tacit::graph::passes {

/// The ratio between the widest and the narrowest element of an output from which its elements have separate units.
inline constexpr double kUnlikeElements = 16;

/// Gives outputs the ranges of their elements over the samples.
void tell_outputs_apart(Network& network, const SampleOutputs& outputs);

/// Stretches the elements of outputs by powers of two, so that each reaches the bound of the widest element. All
/// elements are then equally far above the noise. Elements of one channel stay together. `Value::stretch` tells the
/// client. The pass applies to outputs that:
/// - are affine values that nothing else reads;
/// - have calibrated elements (`Value::element_ranges`) whose bounds differ by kUnlikeElements or more.
Network with_output_units(Network network);

}  // namespace tacit::graph::passes
