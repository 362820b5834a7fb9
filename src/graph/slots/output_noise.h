#pragma once

#include <vector>

#include "graph/graph.h"
#include "graph/slots/lower.h"

namespace tacit::graph::passes {

/// Deviation of the noise that an encrypted run of a lowered network leaves in each of its outputs, in the units that
/// they are stored in: simulated by the noise model on some of the samples, of which there is at least one. Each
/// is a run of `batch` samples of the model.
std::vector<double> output_noise(const Lowered& lowered, const std::vector<std::vector<Tensor>>& samples,
                                 layout::Index batch);

}  // namespace tacit::graph::passes
