#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tacit::session {

/// The origin of an interval, which decides how to widen it.
enum class IntervalSource {
  calibration,  ///< measured on samples
  input_range,  ///< publicly known range of the inputs, and ranges that follow from it
  parameters,   ///< bound of the ciphertext modulus at that place
};
std::string_view name(IntervalSource source);

/// Values of one layer that left the interval of the layer.
struct RangeExcess {
  std::string node, op;
  IntervalSource source{};
  double lowest = 0, highest = 0;  ///< the interval
  double worst = 0;                ///< the value farthest outside
  std::int64_t input = 0;          ///< input of the farthest value
  std::int64_t inputs = 0;         ///< number of inputs that leave the interval here
};

/// Collects values that left their intervals, over all runs. Thread safe.
class RangeExcesses {
 public:
  /// Counts the worst value of one input at a place in the order of the layers. `distance` is its distance from the
  /// interval, in units of the place. If the input has no `first` excess yet, it becomes that.
  void add(std::size_t place, const RangeExcess& excess, double distance, std::optional<RangeExcess>& first);
  /// Returns the worst excess of every place, in the order of the layers.
  std::vector<RangeExcess> list() const;

 private:
  struct Worst {
    RangeExcess excess;
    double distance = 0;
  };
  mutable std::mutex mutex_;
  std::map<std::size_t, Worst> worst_;  ///< by place
};

/// Returns the reason that an input has no answer, and the change that would give it one.
std::string miss_text(const RangeExcess& excess);
/// Returns the reason that a calibration sample has no answer in a simulation.
std::string sample_miss_text(const RangeExcess& excess);

}  // namespace tacit::session
