#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "layout/layout.h"
#include "layout/repeated_reals.h"

namespace tacit::layout {

/// Entries of one row, or of several one after the other.
struct RowEntries {
  std::vector<Index> columns;
  std::vector<double> weights;

  std::size_t size() const { return columns.size(); }
  void add(Index column, double weight) {
    columns.push_back(column);
    weights.push_back(weight);
  }
  void clear() { resize(0); }
  /// New entries are zeros of column 0.
  void resize(std::size_t count) {
    columns.resize(count);
    weights.resize(count);
  }
  /// Sorts one row by column, adds up the weights of equal columns and drops those that are 0.
  void merge();
};

class OperatorWriter;
struct OneWindow;
struct WindowPattern;

/// Some entries of an operator from feature maps of shape `in` to feature maps of shape `out`, [batch, channels, rows,
/// columns]: those that read input row stride * (output row) + offset, first <= offset <= last. The input that is read
/// holds the rows [begin, begin + rows) alone; entries of other rows are dropped.
struct RowSelection {
  Shape in, out;
  Index stride = 1, first = 0, last = 0;
  Index begin = 0, rows = 0;

  static constexpr std::size_t kRows = 2, kColumns = 3, kRank = 4;
  /// Of the input that is read.
  Shape kept() const {
    Shape shape = in;
    shape[kRows] = rows;
    return shape;
  }
};

/// A sparse matrix on the row-major flat indices of two tensors whose entries are generated, never held as a list.
/// Immutable and thread safe.
class LinearOperator {
 public:
  virtual ~LinearOperator() = default;
  const Shape& in_shape() const { return in_; }
  const Shape& out_shape() const { return out_; }

  /// Appends the entries of one row: out[row] = sum of weight * in[column]. A column may come more than once (the
  /// weights add up), and weights may be 0.
  virtual void append_row(Index row, RowEntries& entries) const = 0;

  /// out += operator(in), for `lanes` vectors side by side: element e of vector i is at [e * lanes + i].
  virtual void apply(std::span<const double> in, std::span<double> out, std::size_t lanes) const;
  /// The same, entry by entry, for the rows that follow `first`, which are all that `out` holds.
  void add_rows(Index first, std::span<const double> in, std::span<double> out, std::size_t lanes) const;

  /// Sums of the positive and of the negative weights of every row: what the row makes of inputs that share an
  /// interval.
  struct SignedSums {
    std::vector<double> positive, negative;
  };
  virtual SignedSums signed_sums() const;

  /// Writes what generates the entries. The default writes the entries themselves.
  virtual void describe(OperatorWriter& out) const;

  /// The operator whose entries lie where this one's do, but for factors of 0: without the factors around it.
  virtual const LinearOperator& pattern() const { return *this; }

  /// Where the entries lie, if the operator slides a window over a tensor. A matrix that is repeated along some axes
  /// slides a window of one element along them. The window's tensors may join axes of the operator's, and have more
  /// axes of extent 1. Products of weights and factors that underflow to 0 count as entries. Valid as long as the
  /// operator lives.
  virtual std::optional<WindowPattern> window_pattern() const;

  /// Of an operator that multiplies every element by a number and moves none: the numbers.
  virtual std::optional<RepeatedReals> diagonal() const { return std::nullopt; }

  /// Whether every row has a few entries at most, so that one pass over rows takes less than passes over tensors.
  virtual bool has_short_rows() const { return false; }

  /// Of an operator that does the same to each of `count` equal parts of its tensors, what it does to one; null of
  /// others.
  virtual std::shared_ptr<const LinearOperator> equal_part(Index) const { return nullptr; }

  /// The convolution that the operator is, whatever parts it is described by; none of others. Valid as long as the
  /// operator lives.
  virtual std::optional<OneWindow> one_window() const;

  /// An equal operator with more structure than its description has, where several windows are one; null of others.
  virtual std::shared_ptr<const LinearOperator> in_one() const { return nullptr; }

  /// The operator of a selection, where it has the structure of this one; null otherwise (see layout::selected).
  virtual std::shared_ptr<const LinearOperator> selected(const RowSelection&) const { return nullptr; }

  /// sink(column, weight) for every entry of one row.
  template <class Sink>
  void row(Index row, const Sink& sink) const {
    RowEntries entries;
    append_row(row, entries);
    for (std::size_t k = 0; k < entries.size(); ++k) sink(entries.columns[k], entries.weights[k]);
  }

 protected:
  LinearOperator(Shape in, Shape out) : in_(std::move(in)), out_(std::move(out)) {}

 private:
  Shape in_, out_;
};

using LinearOperatorPtr = std::shared_ptr<const LinearOperator>;

/// A linear operator between two layouts: the unit that lowering splits into generalised diagonals.
struct LinearMap {
  Layout in;
  Layout out;
  LinearOperatorPtr op;
};

}  // namespace tacit::layout
