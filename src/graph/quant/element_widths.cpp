#include "graph/quant/element_widths.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "graph/passes/operator_rows.h"

namespace tacit::graph::quant {

namespace {

/// Ranges that the elements of a group share.
struct Shared {
  std::vector<Range> ranges;
  double bits = 0;  ///< bits by which a range is wider than the element's own, on average
};

/// Shares ranges in groups. Element e belongs to group e / stride % groups.
Shared shared_by(const std::vector<Range>& own, std::size_t groups, std::size_t stride) {
  std::vector<Range> of_group(groups);
  for (std::size_t e = 0; e < own.size(); ++e) of_group[e / stride % groups].include(own[e]);
  Shared shared;
  std::size_t moving = 0;
  for (std::size_t e = 0; e < own.size(); ++e) {
    const Range& group = of_group[e / stride % groups];
    shared.ranges.push_back(group);
    if (own[e].width() == 0) continue;
    shared.bits += std::log2(group.width() / own[e].width());
    ++moving;
  }
  if (moving > 0) shared.bits /= static_cast<double>(moving);
  return shared;
}

}  // namespace

std::vector<Range> seen_ranges(const passes::Value& value) {
  constexpr double kMostAddedBits = 3;
  const auto elements = static_cast<std::size_t>(layout::element_count(value.shape));
  if (!value.range.known())
    base::refuse(
        "node '{}' ({}): integers need the range of this value: give calibration data (inputs of the "
        "training set; never the private ones) with --calibrate, or --input-range",
        value.node, value.op);
  if (value.element_ranges.empty()) return std::vector<Range>(elements, value.range);
  if (value.shape.size() <= 2) return value.element_ranges;
  const auto second = static_cast<std::size_t>(value.shape[1]), last = static_cast<std::size_t>(value.shape.back());
  Shared first =
      shared_by(value.element_ranges, second, elements / (static_cast<std::size_t>(value.shape[0]) * second));
  Shared channels_last = shared_by(value.element_ranges, last, 1);
  Shared& best = channels_last.bits < first.bits ? channels_last : first;
  return best.bits <= kMostAddedBits ? std::move(best.ranges) : value.element_ranges;
}

double usual_width(const std::vector<Range>& seen) {
  constexpr double kNone = 1e-3;
  std::vector<double> widths;
  for (const Range& range : seen)
    if (range.width() > 0) widths.push_back(range.width());
  if (widths.empty()) return kNone;
  const auto middle = widths.begin() + static_cast<std::ptrdiff_t>(widths.size() / 2);
  std::nth_element(widths.begin(), middle, widths.end());
  return *middle;
}

double centre_of(const Range& seen) {
  constexpr double kNear = 1.0 / 8;  // of the width
  const double middle = (seen.lowest + seen.highest) / 2;
  return std::abs(middle) > kNear * seen.width() ? middle : 0;
}

std::vector<double> reaches(const std::vector<Range>& seen) {
  std::vector<double> result;
  double largest = 0;
  for (const Range& range : seen) {
    const double centre = centre_of(range);
    result.push_back(range.width() > 0 ? std::max(range.highest - centre, centre - range.lowest) : 0);
    largest = std::max(largest, result.back());
  }
  for (double& reach : result)
    if (reach == 0) reach = largest > 0 ? largest : 1;
  return result;
}

std::vector<double> possible_widths(const passes::Network& network, const passes::Affine& sum, std::size_t rows) {
  std::vector<double> widths(rows, 0.0);
  for (const passes::AffineTerm& term : sum.terms) {
    const passes::Value& operand = network.values[term.input];
    if (!operand.range.known()) continue;
    const std::vector<Range> seen = seen_ranges(operand);
    passes::each_row(*term.op, [&](layout::Index row, layout::RowEntries& entries) {
      entries.merge();
      for (std::size_t k = 0; k < entries.size(); ++k)
        widths[static_cast<std::size_t>(row)] +=
            std::abs(entries.weights[k]) * seen[static_cast<std::size_t>(entries.columns[k])].width();
    });
  }
  return widths;
}

}  // namespace tacit::graph::quant
