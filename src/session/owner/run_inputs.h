#pragma once

#include <span>
#include <vector>

#include "graph/compile.h"

namespace tacit::session {

/// Returns the inputs of one run of a compiled model, in the clear. The client's own part runs on 1 to `batch` samples,
/// and its tensors are put side by side. Throws as graph::run_before and program::side_by_side do. Thread safe.
std::vector<std::vector<double>> run_inputs(const graph::CompiledModel& model,
                                            std::span<const std::vector<graph::Tensor>> samples);

}  // namespace tacit::session
