#pragma once

#include <random>
#include <span>

namespace tacit::slots {

/// Errors of a normal distribution with mean 0, by the polar method (Marsaglia, Bray 1964). Many numbers are made at
/// once, in the order and with the bits that std::normal_distribution of libstdc++ gives. Not thread safe.
class NormalErrors {
 public:
  /// `random` must outlive this object.
  NormalErrors(std::mt19937_64& random, double deviation) : random_(random), deviation_(deviation) {}

  /// Adds an error of its own to every number.
  void add_to(std::span<double> numbers);

 private:
  std::mt19937_64& random_;
  double deviation_;
  double second_ = 0;  // number of the last pair
  bool has_second_ = false;
};

}  // namespace tacit::slots
