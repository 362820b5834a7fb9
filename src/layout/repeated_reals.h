#pragma once

#include <span>
#include <vector>

#include "layout/divisor.h"

namespace tacit::layout {

/// Numbers for the elements of a tensor, held once per repetition. Element e has values()[e / run() % values().size()].
/// One value is the same for all elements. `channels` values with a run of height * width give one number per channel.
class RepeatedReals {
 public:
  /// Uses the same number for every element.
  explicit RepeatedReals(double value = 1) : values_{value} {}
  /// Throws InputError if there is no value, one is not finite, or the run is not positive.
  RepeatedReals(std::vector<double> values, Index run);
  /// Returns the shortest form of a list with one number per element.
  static RepeatedReals of(std::span<const double> all);

  double operator[](Index element) const { return values_[static_cast<std::size_t>(position(element))]; }
  bool all_equal(double value) const;
  /// Returns true if the held form gives element e + `count` the number of element e.
  bool repeats_with(Index count) const { return values_.size() == 1 || count % (run() * size_.value()) == 0; }
  /// Returns one number per element of a tensor with `count` elements.
  std::vector<double> expanded(Index count) const;
  const std::vector<double>& values() const { return values_; }
  Index run() const { return run_.value(); }

  /// Returns the products by element of a tensor with `count` elements.
  RepeatedReals times(const RepeatedReals& other, Index count) const;
  /// Returns the sums by element of a tensor with `count` elements.
  RepeatedReals plus(const RepeatedReals& other, Index count) const;
  /// Returns the same for `times` consecutive tensors of `count` elements each.
  RepeatedReals repeated(Index count, Index times) const;
  /// Returns 1 / x.
  RepeatedReals inverse() const;

 private:
  Index position(Index element) const { return size_.value() == 1 ? 0 : size_.remainder(run_.quotient(element)); }
  template <class Operation>
  RepeatedReals combined(const RepeatedReals& other, Index count, Operation operation) const;

  std::vector<double> values_;
  Divisor run_{1}, size_{1};  // elements that share a number; count of numbers
};

}  // namespace tacit::layout
