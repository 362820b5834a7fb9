#pragma once

#include <string>

namespace tacit::base {

/// Returns a share as a percentage for people, like "100 %", "12 %" or "0.03 %": at most `digits` significant digits
/// after rounding, more for a whole percentage, and never an exponent. A share below a millionth of a percent is "below
/// 0.000001 %". A share that is not finite is "an unbounded share".
std::string percent_text(double share, int digits = 2);

}  // namespace tacit::base
