#pragma once

#include "layout/linear_operator.h"
#include "layout/operators/window.h"

namespace tacit::layout {

/// Two operators. They are read as one window if their combination is one.
class OperatorPair : public LinearOperator {
 public:
  const LinearOperator& pattern() const override { return one_ ? one_->pattern() : *this; }
  std::optional<WindowPattern> window_pattern() const override;
  std::optional<OneWindow> one_window() const override;
  LinearOperatorPtr in_one() const override { return one_; }

 protected:
  using LinearOperator::LinearOperator;
  std::shared_ptr<const Convolution> one_;  // null if it is no window, or no known one
  double held_ = 0;                         // weights of its parts
};

/// outer(inner(x)), streamed: nothing is multiplied out except windows that are one together. The intermediate shapes
/// may differ if they have the same number of elements.
class Composed final : public OperatorPair {
 public:
  /// Throws InputError if the operators do not fit each other.
  Composed(LinearOperatorPtr outer, LinearOperatorPtr inner);
  void append_row(Index row, RowEntries& entries) const override;
  void apply(std::span<const double> in, std::span<double> out, std::size_t lanes) const override;
  LinearOperatorPtr selected(const RowSelection& selection) const override;
  void describe(OperatorWriter& out) const override;

 private:
  /// Selects from the parts. The outer operator must leave rows in place.
  LinearOperatorPtr selected_of_parts(const RowSelection& selection) const;

  LinearOperatorPtr outer_, inner_;
  bool applied_in_one_ = false;  // because that takes fewer products
};

/// left(x) + right(x). Two windows are read as one.
class Sum final : public OperatorPair {
 public:
  /// Throws InputError if the shapes differ.
  Sum(LinearOperatorPtr left, LinearOperatorPtr right);
  void append_row(Index row, RowEntries& entries) const override;
  void apply(std::span<const double> in, std::span<double> out, std::size_t lanes) const override;
  LinearOperatorPtr selected(const RowSelection& selection) const override;
  void describe(OperatorWriter& out) const override;
  bool has_short_rows() const override { return !one_ && left_->has_short_rows() && right_->has_short_rows(); }

 private:
  LinearOperatorPtr left_, right_;
};

/// Factors for every row and every column around an operator: out[r] = rows[r] * sum over c of op(r, c) * columns[c] *
/// in[c]. The tensors may have other shapes with as many elements.
class Scaled final : public LinearOperator {
 public:
  /// Throws InputError if a shape has another number of elements.
  Scaled(LinearOperatorPtr op, RepeatedReals rows, RepeatedReals columns, Shape in, Shape out);
  void append_row(Index row, RowEntries& entries) const override;
  void apply(std::span<const double> in, std::span<double> out, std::size_t lanes) const override;
  SignedSums signed_sums() const override;
  LinearOperatorPtr selected(const RowSelection& selection) const override;
  void describe(OperatorWriter& out) const override;
  const LinearOperator& pattern() const override;
  std::optional<WindowPattern> window_pattern() const override;
  std::optional<RepeatedReals> diagonal() const override;
  bool has_short_rows() const override { return op_->has_short_rows(); }
  LinearOperatorPtr equal_part(Index count) const override;
  LinearOperatorPtr in_one() const override;
  /// Puts the factors around the selected part of the operator inside.
  LinearOperatorPtr around(const LinearOperatorPtr& selected, const RowSelection& selection) const;
  const LinearOperatorPtr& op() const { return op_; }
  const RepeatedReals& rows() const { return rows_; }
  const RepeatedReals& columns() const { return columns_; }

 private:
  LinearOperatorPtr op_;
  RepeatedReals rows_, columns_;
};

/// Returns the operator with these factors. Factors around factors are multiplied.
LinearOperatorPtr scaled(const LinearOperatorPtr& op, const RepeatedReals& rows,
                         const RepeatedReals& columns = RepeatedReals());
/// Returns the same matrix between tensors of other shapes with as many elements.
LinearOperatorPtr reshaped(const LinearOperatorPtr& op, const Shape& in, const Shape& out);
/// Returns outer(inner(x)). An operator that only multiplies elements becomes factors of the other, which keeps its
/// structure.
LinearOperatorPtr composed(const LinearOperatorPtr& outer, const LinearOperatorPtr& inner);

}  // namespace tacit::layout
