#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tacit::session {

/// Where an interval comes from, and so what would widen it.
enum class IntervalSource {
  calibration,  ///< measured on samples
  input_range,  ///< what is publicly known of the inputs, and what follows from it
  parameters,   ///< the most that the ciphertext modulus carries there
};
std::string_view name(IntervalSource source);

/// Values of one layer that left the interval that the layer was compiled for.
struct RangeExcess {
  std::string node, op;
  IntervalSource source{};
  double lowest = 0, highest = 0;  ///< the interval
  double worst = 0;                ///< the value farthest outside
  std::int64_t input = 0;          ///< the input that it belongs to
  std::int64_t inputs = 0;         ///< how many inputs leave the interval here
};

/// Why an input has no answer, and what would give it one.
std::string miss_text(const RangeExcess& excess);

}  // namespace tacit::session
