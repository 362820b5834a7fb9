#pragma once

#include <cstddef>

#include "graph/graph.h"

namespace tacit::graph::passes {

/// Puts tacit.Settled in front of the outputs of the client's last part that noise may decide: numbers and whole
/// numbers that a step, a steep function or a norm makes of decrypted ones. Sums of decrypted numbers move as their
/// errors do, and labels name a largest number, beside which any label is as right as the other: both are left alone.
/// The last `kept` inputs of `after` are exact. Outputs keep their names.
Graph settle_outputs(Graph after, std::size_t kept);

}  // namespace tacit::graph::passes
