#pragma once

#include "layout/linear_operator.h"

namespace tacit::layout {

/// outer(inner(x)), streamed: nothing is multiplied out. The intermediate shapes may differ in all but their number of
/// elements.
class Composed final : public LinearOperator {
 public:
  /// Throws InputError if the operators do not fit each other.
  Composed(LinearOperatorPtr outer, LinearOperatorPtr inner);
  const Shape& in_shape() const override { return inner_->in_shape(); }
  const Shape& out_shape() const override { return outer_->out_shape(); }
  void row(Index row, const Sink& sink) const override;
  const LinearOperatorPtr& outer() const { return outer_; }
  const LinearOperatorPtr& inner() const { return inner_; }

 private:
  LinearOperatorPtr outer_, inner_;
};

/// left(x) + right(x).
class Sum final : public LinearOperator {
 public:
  /// Throws InputError if the shapes differ.
  Sum(LinearOperatorPtr left, LinearOperatorPtr right);
  const Shape& in_shape() const override { return left_->in_shape(); }
  const Shape& out_shape() const override { return left_->out_shape(); }
  void row(Index row, const Sink& sink) const override;
  const LinearOperatorPtr& left() const { return left_; }
  const LinearOperatorPtr& right() const { return right_; }

 private:
  LinearOperatorPtr left_, right_;
};

/// factor * op(x) between tensors of other shapes with as many elements.
class Scaled final : public LinearOperator {
 public:
  /// Throws InputError if a shape has another number of elements or the factor is not finite.
  Scaled(LinearOperatorPtr op, double factor, Shape in, Shape out);
  Scaled(const LinearOperatorPtr& op, double factor) : Scaled(op, factor, op->in_shape(), op->out_shape()) {}
  const Shape& in_shape() const override { return in_; }
  const Shape& out_shape() const override { return out_; }
  void row(Index row, const Sink& sink) const override;
  const LinearOperatorPtr& op() const { return op_; }
  double factor() const { return factor_; }

 private:
  LinearOperatorPtr op_;
  double factor_;
  Shape in_, out_;
};

}  // namespace tacit::layout
