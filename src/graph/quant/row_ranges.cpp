#include "graph/quant/row_ranges.h"

#include <algorithm>
#include <cmath>

#include "graph/quant/element_widths.h"

namespace tacit::graph::quant {

std::vector<Range> row_ranges(const passes::Value& value, double margin, const std::vector<double>& least_widths) {
  std::vector<Range> ranges = seen_ranges(value);
  const double usual = usual_width(ranges);
  for (std::size_t e = 0; e < ranges.size(); ++e) {
    Range& range = ranges[e];
    const double width = range.width(), least = least_widths.empty() ? 0 : least_widths[e];
    double missing = std::max(0.0, least - width) / 2;
    if (width == 0 && least == 0) missing = range.bound() > 0 ? range.bound() : usual / 2;
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
