#pragma once

#include <span>
#include <vector>

#include "graph/compile.h"

namespace tacit::session {

/// What one run of a compiled model takes, in the clear: the tensors that the client's own part makes of 1 to `batch`
/// samples, side by side. Throws what graph::run_before and program::side_by_side throw. Thread safe.
std::vector<std::vector<double>> run_inputs(const graph::CompiledModel& model,
                                            std::span<const std::vector<graph::Tensor>> samples);

}  // namespace tacit::session
