#pragma once

#include <vector>

#include "graph/passes/network.h"

namespace tacit::graph::quant {

/// The interval of every element of a value, as samples showed it, wider by `margin` times its width on either side.
/// Elements of one channel share theirs: a few samples show the range of a channel better than that of a pixel. No
/// interval is narrower than `narrowest` times the widest; one without width becomes the widest where that is 0. Throws
/// InputError naming the node where nothing is known.
std::vector<passes::Range> row_ranges(const passes::Value& value, double margin, double narrowest);

}  // namespace tacit::graph::quant
