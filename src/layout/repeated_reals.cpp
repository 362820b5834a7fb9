#include "layout/repeated_reals.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/error.h"

namespace tacit::layout {

RepeatedReals::RepeatedReals(std::vector<double> values, Index run)
    : values_(std::move(values)), run_(run), size_(static_cast<Index>(values_.size())) {
  if (values_.empty() || run < 1) base::refuse("repeated numbers: there is none, or none is repeated");
  for (const double value : values_)
    if (!std::isfinite(value)) base::refuse("repeated numbers: one is not finite");
}

RepeatedReals RepeatedReals::of(std::span<const double> all) {
  if (all.empty()) return RepeatedReals(1);
  std::size_t run = 0;
  for (std::size_t e = 1; e < all.size(); ++e)
    if (all[e] != all[e - 1]) run = std::gcd(run, e);  // every change begins a run
  if (run == 0) return RepeatedReals({all[0]}, 1);
  run = std::gcd(run, all.size());
  const std::size_t runs = all.size() / run;
  std::size_t period = runs;
  const auto repeats = [&](std::size_t p) {
    for (std::size_t r = p; r < runs; ++r)
      if (all[r * run] != all[(r - p) * run]) return false;
    return true;
  };
  for (std::size_t p = 1; p < runs; ++p)
    if (runs % p == 0 && repeats(p)) {
      period = p;
      break;
    }
  std::vector<double> values;
  for (std::size_t r = 0; r < period; ++r) values.push_back(all[r * run]);
  return RepeatedReals(std::move(values), static_cast<Index>(run));
}

bool RepeatedReals::all_equal(double value) const {
  return std::all_of(values_.begin(), values_.end(), [&](double x) { return x == value; });
}

std::vector<double> RepeatedReals::expanded(Index count) const {
  std::vector<double> all(static_cast<std::size_t>(count));
  for (Index e = 0; e < count; ++e) all[static_cast<std::size_t>(e)] = (*this)[e];
  return all;
}

// Element by element only where the two repeat in different ways.
template <class Operation>
RepeatedReals RepeatedReals::combined(const RepeatedReals& other, Index count, Operation operation) const {
  const bool one = values_.size() == 1, one_other = other.values_.size() == 1;
  if (one || one_other || (run() == other.run() && values_.size() == other.values_.size())) {
    const RepeatedReals& longer = one ? other : *this;
    std::vector<double> values(longer.values_.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = operation(values_[one ? 0 : i], other.values_[one_other ? 0 : i]);
    return RepeatedReals(std::move(values), longer.run());
  }
  std::vector<double> all = expanded(count);
  for (Index e = 0; e < count; ++e)
    all[static_cast<std::size_t>(e)] = operation(all[static_cast<std::size_t>(e)], other[e]);
  return of(all);
}

RepeatedReals RepeatedReals::times(const RepeatedReals& other, Index count) const {
  return combined(other, count, std::multiplies<>());
}

RepeatedReals RepeatedReals::plus(const RepeatedReals& other, Index count) const {
  return combined(other, count, std::plus<>());
}

RepeatedReals RepeatedReals::repeated(Index count, Index times) const {
  if (repeats_with(count)) return *this;
  std::vector<double> one = expanded(count), all;
  for (Index t = 0; t < times; ++t) all.insert(all.end(), one.begin(), one.end());
  return of(all);
}

RepeatedReals RepeatedReals::inverse() const {
  std::vector<double> values;
  for (const double value : values_) values.push_back(1 / value);
  return RepeatedReals(std::move(values), run());
}

}  // namespace tacit::layout
