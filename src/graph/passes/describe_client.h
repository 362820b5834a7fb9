#pragma once

#include "graph/compile.h"
#include "graph/passes/lower.h"
#include "graph/passes/post_process.h"

namespace tacit::graph::passes {

/// The client's half of a lowered model: how to pack and check the inputs, how to check and finish the outputs.
/// Inputs are checked against the public range if there is one, else against the calibrated range with its
/// margin, else only for being finite. Outputs are checked against twice the calibrated range, or, without calibration,
/// against the bounds that intervals give where they are below what the parameter set can hold, else against that.
program::ClientInterface describe_client(const SplitGraph& split, const Network& network, const Lowered& lowered,
                                         const CompileOptions& options);

}  // namespace tacit::graph::passes
