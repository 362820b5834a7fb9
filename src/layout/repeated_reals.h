#pragma once

#include <span>
#include <vector>

#include "layout/divisor.h"

namespace tacit::layout {

/// A number for every element of a tensor, held once a repetition: element e has values()[e / run() % values().size()].
/// One value is the same for all elements; `channels` values with a run of height * width are a number for every
/// channel.
class RepeatedReals {
 public:
  /// The same for every element.
  explicit RepeatedReals(double value = 1) : values_{value} {}
  /// Throws InputError if there is no value, one is not finite, or the run is not positive.
  RepeatedReals(std::vector<double> values, Index run);
  /// The shortest form of a list, one number an element.
  static RepeatedReals of(std::span<const double> all);

  double operator[](Index element) const { return values_[static_cast<std::size_t>(position(element))]; }
  bool all_equal(double value) const;
  /// Whether element e + count has the number of element e, by the form that is held.
  bool repeats_with(Index count) const { return values_.size() == 1 || count % (run() * size_.value()) == 0; }
  /// One number an element, of a tensor with `count`.
  std::vector<double> expanded(Index count) const;
  const std::vector<double>& values() const { return values_; }
  Index run() const { return run_.value(); }

  /// Products by element of a tensor with `count` elements.
  RepeatedReals times(const RepeatedReals& other, Index count) const;
  /// Sums by element of a tensor with `count` elements.
  RepeatedReals plus(const RepeatedReals& other, Index count) const;
  /// The same for each of `times` tensors of `count` elements that follow each other.
  RepeatedReals repeated(Index count, Index times) const;
  /// 1 / x.
  RepeatedReals inverse() const;

 private:
  Index position(Index element) const { return size_.value() == 1 ? 0 : size_.remainder(run_.quotient(element)); }
  template <class Operation>
  RepeatedReals combined(const RepeatedReals& other, Index count, Operation operation) const;

  std::vector<double> values_;
  Divisor run_{1}, size_{1};  // elements that share a number; how many numbers there are
};

}  // namespace tacit::layout
