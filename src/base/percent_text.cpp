#include "base/percent_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tacit::base {

std::string percent_text(double share, int digits) {
  constexpr int kMostDecimals = 6;
  constexpr double kSmallest = 1e-6;
  if (!std::isfinite(share)) return "an unbounded share";
  const double percent = 100 * share, size = std::abs(percent);
  if (size == 0) return "0 %";
  if (size < kSmallest) return "below 0.000001 %";
  const int before =
      static_cast<int>(std::floor(std::log10(size))) + 1;  // digits before the point; below 1 zeros after
  const int decimals = std::clamp(digits - before, 0, kMostDecimals);
  std::string text = fmt::format("{:.{}f}", percent, decimals);
  if (decimals > 0) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text + " %";
}

}  // namespace tacit::base
