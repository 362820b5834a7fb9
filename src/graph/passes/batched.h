#pragma once

#include <vector>

#include "graph/passes/network.h"

namespace tacit::graph::passes {

/// Returns the network for `batch` samples at once. Every value holds the samples side by side. The ranges of one
/// sample's elements hold for the elements of all samples. Intervals and series stay. Throws InputError if a value
/// would have more than 2^48 elements.
Network batched(const Network& network, layout::Index batch);

/// Returns the samples of the network above: each is `batch` of these side by side. The last one is filled with samples
/// from the front.
std::vector<std::vector<Tensor>> batched(const std::vector<std::vector<Tensor>>& samples, layout::Index batch);

}  // namespace tacit::graph::passes
