#pragma once

#include "graph/compile.h"
#include "graph/slots/lower.h"

namespace tacit::graph::passes {

/// The client's half of a lowered model: how to pack and check what is encrypted, how to check what is decrypted.
/// Inputs are checked against the public range if there is one, else against the calibrated range with its
/// margin, else only for being finite. Outputs are checked against twice the calibrated range, or, without calibration,
/// against the bounds that intervals give where they are below what the parameter set can hold, else against that.
program::ClientInterface describe_client(const Graph& encrypted, const Network& network, const Lowered& lowered,
                                         const CompileOptions& options);

}  // namespace tacit::graph::passes
