#pragma once

#include "graph/compile.h"
#include "graph/slots/lower.h"

namespace tacit::graph::passes {

/// Returns the client's half of a lowered model: how to pack and check inputs, and how to check outputs. Inputs are
/// checked against the first of these that exists:
/// - the public range;
/// - the calibrated range with its margin;
/// - otherwise, inputs must only be finite.
///
/// Outputs are checked against the first of these that exists:
/// - twice the calibrated range;
/// - the bounds by intervals, if they are below the capacity of the parameter set;
/// - that capacity.
program::ClientInterface describe_client(const Graph& encrypted, const Network& network, const Lowered& lowered,
                                         const CompileOptions& options);

}  // namespace tacit::graph::passes
