#pragma once

#include <vector>

#include "graph/passes/network.h"

namespace tacit::graph::quant {

/// Returns the interval of every element of a value: its range over the samples (`seen_ranges`), wider by `margin`
/// times its width on either side. An interval is at least `least_widths` wide (by element; empty: no least width). An
/// element that is one number on all samples, and has no least width, gets an interval around it as wide as twice its
/// magnitude. Around 0 the interval is as wide as the median of the others. Throws InputError naming the node if no
/// range is known.
std::vector<Range> row_ranges(const passes::Value& value, double margin, const std::vector<double>& least_widths = {});

/// Moves intervals by half a box at most, so that a constant element is in the middle of a box. It applies to elements
/// whose samples are within a quarter of a box. The middle of an interval is the border of two boxes, where noise would
/// choose the box. `seen` is empty or has a range for every row.
void centre_constants(const std::vector<Range>& seen, int bits, std::vector<Range>& rows);

}  // namespace tacit::graph::quant
