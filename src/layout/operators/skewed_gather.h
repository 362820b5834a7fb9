#pragma once

#include "layout/linear_operator.h"

namespace tacit::layout {

/// Copies of a tensor in which one coordinate of the input turns: it advances with coordinates of the result, and
/// begins again at its end.
///     out[i_0, i_1, ...] = in[p + stride * (t modulo extent)]
///     p = sum of strides[d] * i_d
///     t = sum of turns[d] * i_d
///
/// The operands of a product of two encrypted matrices are placed so, that the numbers that are multiplied meet (Jiang,
/// Kim, Lauter, Song 2018).
class SkewedGather final : public LinearOperator {
 public:
  /// The places of the input that the elements of the result are read from.
  struct Places {
    std::vector<Index> strides;  ///< by dimension of the result
    std::vector<Index> turns;    ///< by dimension of the result: steps of the turning coordinate, 0 or more
    Index extent = 1;            ///< number of values of the turning coordinate
    Index stride = 0;            ///< distance between neighbours of the turning coordinate
  };
  /// Throws InputError if a size does not fit, a number is negative, or a place is outside the input.
  SkewedGather(Shape in, Shape out, Places places);

  void append_row(Index row, RowEntries& entries) const override { entries.add(source(row), 1.0); }
  void apply(std::span<const double> in, std::span<double> out, std::size_t lanes) const override;
  bool has_short_rows() const override { return true; }
  void describe(OperatorWriter& out) const override;
  /// The parts are ranges of the first dimension of the result, if each reads the next range of the input.
  std::shared_ptr<const LinearOperator> equal_part(Index count) const override;

 private:
  Index source(Index row) const;

  Places places_;
};

}  // namespace tacit::layout
