#pragma once

#include <vector>

#include "graph/passes/network.h"

namespace tacit::graph::quant {

/// The range of every element of a value, as samples showed it. Elements of a channel share its range, because a few
/// samples show the range of a channel better than that of a pixel. Channels are the second or the last axis of a value
/// of more than two, whichever has elements more alike. Where neither has, every element keeps its own range. Throws
/// InputError naming the node where nothing is known.
std::vector<Range> seen_ranges(const passes::Value& value);

/// The median of the widths above 0, and where there is none a small number.
double usual_width(const std::vector<Range>& seen);

/// What is stored of numbers in this range is their distance from this: their middle, or 0 where that lies near.
double centre_of(const Range& seen);

/// For every range the largest distance from its centre. Never 0: an element without a width of its own counts as the
/// largest of the others.
std::vector<double> reaches(const std::vector<Range>& seen);

/// For every row of a sum the range that its operands' ranges allow, by interval arithmetic: its width.
std::vector<double> possible_widths(const passes::Network& network, const passes::Affine& sum, std::size_t rows);

}  // namespace tacit::graph::quant
