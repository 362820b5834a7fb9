#pragma once

#include <algorithm>
#include <cmath>

namespace tacit::graph {

/// The smallest and the largest of some numbers. There are no numbers if lowest > highest.
struct Range {
  double lowest = 1, highest = -1;

  bool known() const { return lowest <= highest; }
  double width() const { return known() ? highest - lowest : 0.0; }
  /// Returns the largest |x|, or 0 if the range is not known.
  double bound() const { return known() ? std::max(std::abs(lowest), std::abs(highest)) : 0.0; }
  void include(double x) { include(Range{x, x}); }
  void include(const Range& more) {
    *this = known() ? Range{std::min(lowest, more.lowest), std::max(highest, more.highest)} : more;
  }
  bool operator==(const Range&) const = default;
};

/// Returns a product in which 0 times infinity is 0, because ends of ranges are limits of finite numbers.
inline double product_of_ends(double a, double b) { return a == 0 || b == 0 ? 0.0 : a * b; }

}  // namespace tacit::graph
