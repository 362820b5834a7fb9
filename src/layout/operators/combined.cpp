#include "layout/operators/combined.h"

#include "layout/operators/check.h"

namespace tacit::layout {

Composed::Composed(LinearOperatorPtr outer, LinearOperatorPtr inner)
    : outer_(std::move(outer)), inner_(std::move(inner)) {
  require(element_count(outer_->in_shape()) == element_count(inner_->out_shape()), "composition",
          "the outer operator reads another number of elements than the inner one makes");
}

void Composed::row(Index row, const Sink& sink) const {
  outer_->row(row, [&](Index middle, double weight) {
    inner_->row(middle, [&](Index column, double inner_weight) { sink(column, weight * inner_weight); });
  });
}

Sum::Sum(LinearOperatorPtr left, LinearOperatorPtr right) : left_(std::move(left)), right_(std::move(right)) {
  require(left_->in_shape() == right_->in_shape() && left_->out_shape() == right_->out_shape(), "sum of operators",
          "the shapes differ");
}

void Sum::row(Index row, const Sink& sink) const {
  left_->row(row, sink);
  right_->row(row, sink);
}

Scaled::Scaled(LinearOperatorPtr op, double factor, Shape in, Shape out)
    : op_(std::move(op)), factor_(factor), in_(std::move(in)), out_(std::move(out)) {
  require(
      element_count(in_) == element_count(op_->in_shape()) && element_count(out_) == element_count(op_->out_shape()),
      "scaled operator", "a shape has another number of elements");
  require_finite({&factor_, 1}, "scaled operator");
}

void Scaled::row(Index row, const Sink& sink) const {
  op_->row(row, [&](Index column, double weight) { sink(column, factor_ * weight); });
}

}  // namespace tacit::layout
