#pragma once

#include <vector>

#include "graph/passes/network.h"

namespace tacit::graph::passes {

/// The network for so many samples at once: every value holds those of the samples side by side, and what is known of
/// one sample's elements holds for all. Intervals and series stay. Throws InputError where a value would have more than
/// 2^48 elements.
Network batched(const Network& network, layout::Index batch);

/// Samples of the network above: `batch` of these side by side. The last one takes samples from the front again.
std::vector<std::vector<Tensor>> batched(const std::vector<std::vector<Tensor>>& samples, layout::Index batch);

}  // namespace tacit::graph::passes
