#include "layout/operators/movement.h"

#include "layout/operator_writer.h"
#include "layout/operators/check.h"

namespace tacit::layout {

Identity::Identity(Shape in, Shape out) : LinearOperator(std::move(in), std::move(out)) {
  require(element_count(in_shape()) == element_count(out_shape()), "identity",
          "the shapes have different numbers of elements");
}

Gather::Gather(Shape in, Shape out, std::vector<Index> source, std::vector<double> weights)
    : LinearOperator(std::move(in), std::move(out)), source_(std::move(source)), weights_(std::move(weights)) {
  const Index count = element_count(in_shape());
  require(static_cast<Index>(source_.size()) == element_count(out_shape()), "gather", "one source per output element");
  require(weights_.empty() || weights_.size() == source_.size(), "gather", "one weight per output element, or none");
  for (const Index from : source_)
    require(from >= kNothing && from < count, "gather", "a source lies outside the input");
  require_finite(weights_, "gather");
}

void Gather::append_row(Index row, RowEntries& entries) const {
  const auto r = static_cast<std::size_t>(row);
  if (source_[r] != kNothing) entries.add(source_[r], weights_.empty() ? 1.0 : weights_[r]);
}

void Identity::apply(std::span<const double> in, std::span<double> out, std::size_t) const {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += in[i];
}

void Gather::apply(std::span<const double> in, std::span<double> out, std::size_t lanes) const {
  for (std::size_t r = 0; r < source_.size(); ++r) {
    if (source_[r] == kNothing) continue;
    const double weight = weights_.empty() ? 1.0 : weights_[r];
    const double* from = in.data() + static_cast<std::size_t>(source_[r]) * lanes;
    for (std::size_t i = 0; i < lanes; ++i) out[r * lanes + i] += weight * from[i];
  }
}

void Identity::describe(OperatorWriter& out) const { out.head(OperatorKind::identity, *this); }

void Gather::describe(OperatorWriter& out) const {
  out.head(OperatorKind::gather, *this);
  out.to.compact_indices(source_);
  out.to.compact_reals(weights_);
}

}  // namespace tacit::layout
