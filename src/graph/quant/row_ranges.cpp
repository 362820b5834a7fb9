#include "graph/quant/row_ranges.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace tacit::graph::quant {

std::vector<Range> row_ranges(const passes::Value& value, double margin, double narrowest) {
  const auto elements = static_cast<std::size_t>(layout::element_count(value.shape));
  if (!value.range.known())
    base::refuse(
        "node '{}' ({}): integers need the range of this value: give calibration data (inputs of the "
        "training set; never the private ones) with --calibrate, or --input-range",
        value.node, value.op);
  std::vector<Range> ranges = value.element_ranges;
  if (ranges.empty()) ranges.assign(elements, value.range);
  // Channels are the second axis of feature maps.
  if (value.shape.size() > 2) {
    const auto channels = static_cast<std::size_t>(value.shape[1]);
    const std::size_t plane = elements / (static_cast<std::size_t>(value.shape[0]) * channels);
    std::vector<Range> of_channel(channels);
    for (std::size_t e = 0; e < elements; ++e) of_channel[e / plane % channels].include(ranges[e]);
    for (std::size_t e = 0; e < elements; ++e) ranges[e] = of_channel[e / plane % channels];
  }
  double widest = 0;
  for (const Range& range : ranges) widest = std::max(widest, range.width());
  if (widest == 0) widest = std::max(1e-3, value.range.bound());  // constant on all samples
  for (Range& range : ranges) {
    const double width = range.width();
    const double missing = width == 0 && narrowest == 0 ? widest / 2 : std::max(0.0, widest * narrowest - width) / 2;
    range.lowest -= margin * width + missing;
    range.highest += margin * width + missing;
  }
  return ranges;
}

void centre_constants(const std::vector<Range>& seen, int bits, std::vector<Range>& rows) {
  constexpr double kNarrow = 0.25;                 // of a box
  const double boxes = std::ldexp(1.0, bits) - 2;  // of an interval
  for (std::size_t e = 0; e < seen.size(); ++e) {
    Range& row = rows[e];
    const double box = (row.highest - row.lowest) / boxes;
    if (!(seen[e].highest - seen[e].lowest <= kNarrow * box)) continue;
    // The first box is centred half a box below the lowest value.
    const double place = ((seen[e].lowest + seen[e].highest) / 2 - row.lowest) / box + 0.5;
    const double shift = (place - std::round(place)) * box;
    row.lowest += shift;
    row.highest += shift;
  }
}

}  // namespace tacit::graph::quant
