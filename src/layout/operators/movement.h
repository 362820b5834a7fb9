#pragma once

#include <vector>

#include "layout/linear_operator.h"

namespace tacit::layout {

/// out[i] = in[i]. The shapes may differ if they have the same number of elements. Reshape, Flatten, Squeeze.
class Identity final : public LinearOperator {
 public:
  /// Throws InputError if the shapes have different numbers of elements.
  Identity(Shape in, Shape out);
  explicit Identity(const Shape& shape) : Identity(shape, shape) {}
  void append_row(Index row, RowEntries& entries) const override { entries.add(row, 1.0); }
  void apply(std::span<const double> in, std::span<double> out, std::size_t lanes) const override;
  bool has_short_rows() const override { return true; }
  void describe(OperatorWriter& out) const override;
  std::optional<RepeatedReals> diagonal() const override { return RepeatedReals(1); }
};

/// out[i] = weights[i] * in[source[i]], or 0 where source[i] is kNothing: slices, zero padding, transposes, pieces of
/// concatenations and splits, broadcasts, factors per element.
class Gather final : public LinearOperator {
 public:
  static constexpr Index kNothing = -1;
  /// Takes one source per output element, and one weight per output element or none (all ones). Throws InputError if a
  /// size does not fit, a source is outside the input, or a weight is not finite.
  Gather(Shape in, Shape out, std::vector<Index> source, std::vector<double> weights = {});

  void append_row(Index row, RowEntries& entries) const override;
  void apply(std::span<const double> in, std::span<double> out, std::size_t lanes) const override;
  bool has_short_rows() const override { return true; }
  void describe(OperatorWriter& out) const override;
  const std::vector<Index>& source() const { return source_; }
  const std::vector<double>& weights() const { return weights_; }

 private:
  std::vector<Index> source_;
  std::vector<double> weights_;
};

}  // namespace tacit::layout
