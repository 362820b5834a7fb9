#include "layout/operators/matrix.h"

#include <algorithm>
#include <map>
#include <utility>

#include "layout/operator_writer.h"
#include "layout/operators/check.h"
#include "layout/operators/window.h"

namespace tacit::layout {

Contraction::Contraction(Shape in, Shape out, Terms terms)
    : LinearOperator(std::move(in), std::move(out)), terms_(std::move(terms)) {
  const Index inputs = element_count(in_shape()), outputs = element_count(out_shape());
  const auto weights = static_cast<Index>(terms_.weights.size());
  const char* op = "matrix product";
  require(static_cast<Index>(terms_.in_base.size()) == outputs && terms_.weight_base.size() == terms_.in_base.size(),
          op, "one base per output element");
  for (const Index step : {terms_.in_step, terms_.weight_step, terms_.count})
    require(step >= 0 && step <= kMaxOperatorStep, op, "steps and count must be 0 to 2^28");
  const Index last = std::max(terms_.count - 1, Index{0});
  const auto fits = [&](Index base, Index step, Index size) {
    return base >= 0 && base <= size && (terms_.count == 0 || base + last * step < size);
  };
  for (std::size_t r = 0; r < terms_.in_base.size(); ++r)
    require(fits(terms_.in_base[r], terms_.in_step, inputs) && fits(terms_.weight_base[r], terms_.weight_step, weights),
            op, "a row leaves the input or the weights");
  require_finite(terms_.weights, op);
  require_finite({&terms_.scale, 1}, op);
}

Contraction Contraction::dense(const Shape& in, Index rows, std::vector<double> matrix) {
  require(!in.empty() && rows >= 1, "matrix product", "a matrix needs a last axis and at least one row");
  const Index columns = in.back(), repeat = element_count(in) / columns;
  Shape out = in;
  out.back() = rows;
  Terms terms;
  terms.count = columns;
  terms.weights = std::move(matrix);
  for (Index i = 0; i < repeat; ++i)
    for (Index r = 0; r < rows; ++r) {
      terms.in_base.push_back(i * columns);
      terms.weight_base.push_back(r * columns);
    }
  return Contraction(in, std::move(out), std::move(terms));
}

void Contraction::append_row(Index row, RowEntries& entries) const {
  const auto r = static_cast<std::size_t>(row);
  const double* weights = terms_.weights.data() + terms_.weight_base[r];
  for (Index k = 0; k < terms_.count; ++k)
    entries.add(terms_.in_base[r] + k * terms_.in_step, terms_.scale * weights[k * terms_.weight_step]);
}

// Rows that multiply by the same weights have the same sums.
LinearOperator::SignedSums Contraction::signed_sums() const {
  std::map<Index, std::pair<double, double>> known;  // by the base of the weights
  SignedSums sums;
  for (const Index base : terms_.weight_base) {
    const auto [found, fresh] = known.try_emplace(base);
    auto& [positive, negative] = found->second;
    for (Index k = 0; fresh && k < terms_.count; ++k) {
      const double weight = terms_.scale * terms_.weights[static_cast<std::size_t>(base + k * terms_.weight_step)];
      (weight > 0 ? positive : negative) += weight;
    }
    sums.positive.push_back(positive);
    sums.negative.push_back(negative);
  }
  return sums;
}

// A product with a matrix from either side, batched or not, is a window of one element: its channels are in_step apart,
// and what lies between two of them is the axis that it slides over.
std::optional<WindowPattern> Contraction::window_pattern() const {
  const Index inputs = element_count(in_shape()), outputs = element_count(out_shape());
  const Index channels = terms_.count, places = terms_.in_step;
  if (terms_.scale == 0 || inputs == 0 || channels == 0 || places == 0 || inputs % (channels * places) != 0)
    return std::nullopt;
  const Index batch = inputs / (channels * places);
  if (outputs % (batch * places) != 0) return std::nullopt;
  const Index rows = outputs / (batch * places);
  for (Index r = 0; r < outputs; ++r) {
    const auto at = static_cast<std::size_t>(r);
    const Index of_batch = r / (rows * places), row = r / places % rows, place = r % places;
    if (terms_.in_base[at] != of_batch * channels * places + place) return std::nullopt;
    if (terms_.weight_base[at] != terms_.weight_base[static_cast<std::size_t>(row * places)]) return std::nullopt;
  }
  return WindowPattern{Window("matrix product", {batch, channels, places}, {batch, rows, places}, {WindowAxis{}}), 1,
                       [this, places](Index row, Index channel, Index /*tap*/) {
                         const Index base = terms_.weight_base[static_cast<std::size_t>(row * places)];
                         return terms_.weights[static_cast<std::size_t>(base + channel * terms_.weight_step)] != 0;
                       }};
}

void Contraction::describe(OperatorWriter& out) const {
  out.head(OperatorKind::contraction, *this);
  out.to.compact_indices(terms_.in_base);
  out.to.compact_indices(terms_.weight_base);
  out.to.i64(terms_.in_step);
  out.to.i64(terms_.weight_step);
  out.to.i64(terms_.count);
  out.to.f64(terms_.scale);
  out.to.compact_reals(terms_.weights);
}

Reduction::Reduction(Shape in, Shape out, std::vector<Index> reduced, double factor)
    : LinearOperator(std::move(in), std::move(out)), reduced_(std::move(reduced)), factor_(factor) {
  const char* op = "reduction";
  const auto rank = static_cast<Index>(in_shape().size());
  std::sort(reduced_.begin(), reduced_.end());
  for (std::size_t i = 0; i < reduced_.size(); ++i)
    require(reduced_[i] >= 0 && reduced_[i] < rank && (i == 0 || reduced_[i] != reduced_[i - 1]), op,
            "an axis does not exist or is named twice");
  require_finite({&factor_, 1}, op);
  Index stride = 1;
  for (Index d = rank; d-- > 0;) {
    const Index extent = in_shape()[static_cast<std::size_t>(d)];
    const bool is_reduced = std::binary_search(reduced_.begin(), reduced_.end(), d);
    (is_reduced ? reduced_axes_ : kept_axes_).push_back({extent, stride});
    if (is_reduced) reduced_count_ *= extent;
    stride *= extent;
  }
  require(element_count(out_shape()) * reduced_count_ == element_count(in_shape()), op,
          "the output has another number of elements");
}

/// Innermost axis first.
Index Reduction::offset(Index element, const std::vector<Axis>& axes) {
  Index result = 0;
  for (const Axis& axis : axes) {
    result += element % axis.extent * axis.stride;
    element /= axis.extent;
  }
  return result;
}

void Reduction::append_row(Index row, RowEntries& entries) const {
  const Index base = offset(row, kept_axes_);
  for (Index k = 0; k < reduced_count_; ++k) entries.add(base + offset(k, reduced_axes_), factor_);
}

void Reduction::describe(OperatorWriter& out) const {
  out.head(OperatorKind::reduction, *this);
  out.to.compact_indices(reduced_);
  out.to.f64(factor_);
}

}  // namespace tacit::layout
