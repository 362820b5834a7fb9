#pragma once

#include <vector>

#include "layout/linear_operator.h"

namespace tacit::layout {

/// Products with a constant matrix:
///   out[r] = scale * sum over k < count of weights[weight_base[r] + k * weight_step] * in[in_base[r] + k * in_step].
/// Covers Gemm and MatMul from either side, transposed and batched, without moving a weight.
class Contraction final : public LinearOperator {
 public:
  struct Terms {
    std::vector<Index> in_base, weight_base;  ///< one number per output element
    Index in_step = 1, weight_step = 1, count = 0;
    double scale = 1;
    std::vector<double> weights;
  };
  /// Throws InputError if a base list has another size than the output, or an index leaves the input or the weights.
  Contraction(Shape in, Shape out, Terms terms);
  /// Applies the matrix [rows, columns] (row-major) to the last axis of a tensor, once for each of the leading indices.
  /// The last extent of the tensor is `columns`.
  static Contraction dense(const Shape& in, Index rows, std::vector<double> matrix);

  void append_row(Index row, RowEntries& entries) const override;
  SignedSums signed_sums() const override;
  std::optional<WindowPattern> window_pattern() const override;
  void describe(OperatorWriter& out) const override;

 private:
  Terms terms_;
};

/// out = factor * sum of `in` over the axes in `reduced`; `out` keeps them with extent 1 or drops them.
class Reduction final : public LinearOperator {
 public:
  /// Throws InputError if an axis does not exist or is named twice, or the output has another number of elements.
  Reduction(Shape in, Shape out, std::vector<Index> reduced, double factor);

  void append_row(Index row, RowEntries& entries) const override;
  void describe(OperatorWriter& out) const override;

 private:
  struct Axis {
    Index extent, stride;
  };
  static Index offset(Index element, const std::vector<Axis>& axes);
  std::vector<Index> reduced_;
  double factor_;
  std::vector<Axis> kept_axes_, reduced_axes_;
  Index reduced_count_ = 1;
};

}  // namespace tacit::layout
