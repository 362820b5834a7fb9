#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace tacit::layout {

/// Sums of multiples of vectors that lie side by side. A number of lanes that is known when this is compiled stays in
/// registers.
template <std::size_t kLanes>
class LaneSum {
 public:
  void clear() { sum_.fill(0); }
  void add(double weight, const double* in) {
    for (std::size_t i = 0; i < kLanes; ++i) sum_[i] += weight * in[i];
  }
  void add_to(double* out) const {
    for (std::size_t i = 0; i < kLanes; ++i) out[i] += sum_[i];
  }

 private:
  std::array<double, kLanes> sum_{};
};

/// For any other number.
class AnyLaneSum {
 public:
  explicit AnyLaneSum(std::size_t lanes) : sum_(lanes) {}
  void clear() { sum_.assign(sum_.size(), 0.0); }
  void add(double weight, const double* in) {
    for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += weight * in[i];
  }
  void add_to(double* out) const {
    for (std::size_t i = 0; i < sum_.size(); ++i) out[i] += sum_[i];
  }

 private:
  std::vector<double> sum_;
};

/// body(a sum of so many lanes).
template <class Body>
void with_lanes(std::size_t lanes, const Body& body) {
  if (lanes == 16) return body(LaneSum<16>());
  if (lanes == 1) return body(LaneSum<1>());
  body(AnyLaneSum(lanes));
}

}  // namespace tacit::layout
