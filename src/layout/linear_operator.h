#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "layout/layout.h"
#include "layout/repeated_reals.h"

namespace tacit::layout {

/// The entries of one row, or of several consecutive rows.
struct RowEntries {
  std::vector<Index> columns;
  std::vector<double> weights;

  std::size_t size() const { return columns.size(); }
  void add(Index column, double weight) {
    columns.push_back(column);
    weights.push_back(weight);
  }
  void clear() { resize(0); }
  /// Resizes the lists. New entries are zeros of column 0.
  void resize(std::size_t count) {
    columns.resize(count);
    weights.resize(count);
  }
  /// Sorts one row by column, adds the weights of equal columns and drops those that are 0.
  void merge();
};

class OperatorWriter;
struct OneWindow;
struct WindowPattern;

/// Selects entries of an operator from feature maps of shape `in` to feature maps of shape `out`, [batch, channels,
/// rows, columns]. A selected entry reads the input row stride * (output row) + offset with first <= offset <= last.
/// The input holds the rows [begin, begin + rows) alone; entries of other rows are dropped.
struct RowSelection {
  Shape in, out;
  Index stride = 1, first = 0, last = 0;
  Index begin = 0, rows = 0;

  static constexpr std::size_t kRows = 2, kColumns = 3, kRank = 4;
  /// Returns the shape of the input with the kept rows.
  Shape kept() const {
    Shape shape = in;
    shape[kRows] = rows;
    return shape;
  }
};

/// A sparse matrix on the row-major flat indices of two tensors. Its entries are generated, never held as a list.
/// Immutable and thread safe.
class LinearOperator {
 public:
  virtual ~LinearOperator() = default;
  const Shape& in_shape() const { return in_; }
  const Shape& out_shape() const { return out_; }

  /// Appends the entries of one row: out[row] = sum of weight * in[column]. A column may occur more than once (the
  /// weights add up), and weights may be 0.
  virtual void append_row(Index row, RowEntries& entries) const = 0;

  /// Computes out += operator(in) for `lanes` interleaved vectors: element e of vector i is at [e * lanes + i].
  virtual void apply(std::span<const double> in, std::span<double> out, std::size_t lanes) const;
  /// Computes the same entry by entry, for the rows from `first` on. `out` holds these rows alone.
  void add_rows(Index first, std::span<const double> in, std::span<double> out, std::size_t lanes) const;

  /// The sums of the positive and of the negative weights of every row. They bound the results of a row for inputs that
  /// share an interval.
  struct SignedSums {
    std::vector<double> positive, negative;
  };
  virtual SignedSums signed_sums() const;

  /// Writes the generator of the entries. The default writes the entries themselves.
  virtual void describe(OperatorWriter& out) const;

  /// Returns the operator without the factors around it. Its entries have the same positions, except where factors are
  /// 0.
  virtual const LinearOperator& pattern() const { return *this; }

  /// Returns the pattern of the entries if the operator slides a window over a tensor. A matrix that is repeated along
  /// some axes slides a window of one element along them. The window's tensors may join axes of the operator's, and
  /// have more axes of extent 1. Products of weights and factors that underflow to 0 count as entries. The result is
  /// valid as long as the operator lives.
  virtual std::optional<WindowPattern> window_pattern() const;

  /// Returns the numbers of an operator that multiplies every element by a number and moves none; else nothing.
  virtual std::optional<RepeatedReals> diagonal() const { return std::nullopt; }

  /// Returns true if every row has few entries, so that one pass over rows is faster than passes over tensors.
  virtual bool has_short_rows() const { return false; }

  /// Returns the operator of one part, if this operator does the same to each of `count` equal parts of its tensors;
  /// else null. The argument is `count`.
  virtual std::shared_ptr<const LinearOperator> equal_part(Index) const { return nullptr; }

  /// Returns the convolution that equals the operator, even if its description has several parts; else nothing. The
  /// result is valid as long as the operator lives.
  virtual std::optional<OneWindow> one_window() const;

  /// Returns an equal operator with more structure than the description has, if several windows are one; else null.
  virtual std::shared_ptr<const LinearOperator> in_one() const { return nullptr; }

  /// Returns the operator of a selection if it has the structure of this one; else null (see layout::selected).
  virtual std::shared_ptr<const LinearOperator> selected(const RowSelection&) const { return nullptr; }

  /// Calls sink(column, weight) for every entry of one row.
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

/// A linear operator between two layouts. Lowering splits it into generalised diagonals.
struct LinearMap {
  Layout in;
  Layout out;
  LinearOperatorPtr op;
};

}  // namespace tacit::layout
