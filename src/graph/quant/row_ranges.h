#pragma once

#include <vector>

#include "graph/passes/network.h"

namespace tacit::graph::quant {

/// The interval of every element of a value, as samples showed it, wider by `margin` times its width on either side.
/// Elements of one channel share theirs: a few samples show the range of a channel better than that of a pixel. No
/// interval is narrower than `narrowest` times the widest; one without width becomes the widest where that is 0. Throws
/// InputError naming the node where nothing is known.
std::vector<Range> row_ranges(const passes::Value& value, double margin, double narrowest);

/// Moves intervals of elements that samples showed within a quarter of a box by half a box at most, so that what was
/// seen lies in the middle of a box: on the border of two noise would decide between them, and the middle of an
/// interval is one. `seen` is empty or has a range for every row.
void centre_constants(const std::vector<Range>& seen, int bits, std::vector<Range>& rows);

}  // namespace tacit::graph::quant
