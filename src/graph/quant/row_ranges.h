#pragma once

#include <vector>

#include "graph/passes/network.h"

namespace tacit::graph::quant {

/// The interval of every element of a value: as samples showed it (`seen_ranges`), wider by `margin` times its width on
/// either side, and at least `least_widths` wide (by element; empty: no least width). An element that is one number on
/// all samples, and has no least width, gets an interval around it as wide as twice its magnitude. Around 0 the
/// interval is as wide as the median of the others. Throws InputError naming the node where nothing is known.
std::vector<Range> row_ranges(const passes::Value& value, double margin, const std::vector<double>& least_widths = {});

/// Moves intervals of elements that samples showed within a quarter of a box by half a box at most, so that what was
/// seen lies in the middle of a box: on the border of two noise would decide between them, and the middle of an
/// interval is one. `seen` is empty or has a range for every row.
void centre_constants(const std::vector<Range>& seen, int bits, std::vector<Range>& rows);

}  // namespace tacit::graph::quant
