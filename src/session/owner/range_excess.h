#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
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

/// What left its interval so far, over all runs. Thread safe.
class RangeExcesses {
 public:
  /// Counts the worst value of one input at a place in the order of the layers; `distance` is how far outside it lies,
  /// in units of the place. It becomes the `first` of its input where that has none.
  void add(std::size_t place, const RangeExcess& excess, double distance, std::optional<RangeExcess>& first);
  /// The worst of every place, in the order of the layers.
  std::vector<RangeExcess> list() const;

 private:
  struct Worst {
    RangeExcess excess;
    double distance = 0;
  };
  mutable std::mutex mutex_;
  std::map<std::size_t, Worst> worst_;  ///< by place
};

/// Why an input has no answer, and what would give it one.
std::string miss_text(const RangeExcess& excess);

}  // namespace tacit::session
