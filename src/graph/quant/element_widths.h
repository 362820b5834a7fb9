#pragma once

#include <vector>

#include "graph/passes/network.h"

namespace tacit::graph::quant {

/// Returns the range of every element of a value over the samples. Elements of a channel share its range, because a few
/// samples show the range of a channel better than the range of a pixel. Channels exist in values of more than two
/// axes. They are the second or the last axis, whichever has elements more alike. If neither axis has elements alike,
/// every element keeps a separate range. Throws InputError naming the node if no range is known.
std::vector<Range> seen_ranges(const passes::Value& value);

/// Returns the median of the widths above 0, or 1e-3 if there is none.
double usual_width(const std::vector<Range>& seen);

/// Returns the number from which numbers of this range are stored as distances: their middle, or 0 if the middle is
/// near 0.
double centre_of(const Range& seen);

/// Returns for every range the largest distance from its centre. Never 0: an element without a width counts as the
/// largest of the others.
std::vector<double> reaches(const std::vector<Range>& seen);

/// Returns for every row of a sum the width of the range that its operands' ranges allow, by interval arithmetic.
std::vector<double> possible_widths(const passes::Network& network, const passes::Affine& sum, std::size_t rows);

}  // namespace tacit::graph::quant
