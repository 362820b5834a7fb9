#include "layout/sparse_rows.h"

#include <cmath>

#include "layout/operator_writer.h"
#include "layout/operators/check.h"

namespace tacit::layout {

SparseRows::SparseRows(Shape in, Shape out, std::vector<Index> row_begin, std::vector<Index> columns,
                       std::vector<double> weights)
    : LinearOperator(std::move(in), std::move(out)),
      row_begin_(std::move(row_begin)),
      columns_(std::move(columns)),
      weights_(std::move(weights)) {
  check();
}

SparseRows::SparseRows(Shape in, Shape out, const std::function<void(Index row, RowEntries& entries)>& append)
    : LinearOperator(std::move(in), std::move(out)), row_begin_{0} {
  const Index rows = element_count(out_shape());
  RowEntries entries;
  for (Index row = 0; row < rows; ++row) {
    entries.clear();
    append(row, entries);
    columns_.insert(columns_.end(), entries.columns.begin(), entries.columns.end());
    weights_.insert(weights_.end(), entries.weights.begin(), entries.weights.end());
    row_begin_.push_back(static_cast<Index>(columns_.size()));
  }
  check();
}

void SparseRows::check() const {
  const auto need = [](bool holds, const char* what) { require(holds, "linear operator", what); };
  need(static_cast<Index>(row_begin_.size()) == element_count(out_shape()) + 1, "one row per output element");
  need(columns_.size() == weights_.size(), "one weight per column");
  need(row_begin_.front() == 0 && row_begin_.back() == static_cast<Index>(columns_.size()),
       "the rows cover all entries");
  for (std::size_t i = 1; i < row_begin_.size(); ++i) need(row_begin_[i - 1] <= row_begin_[i], "rows in rising order");
  const Index count = element_count(in_shape());
  for (const Index column : columns_) need(column >= 0 && column < count, "every column lies in the input");
  for (const double weight : weights_) need(std::isfinite(weight), "every weight is finite");
}

SparseRows SparseRows::of(const LinearOperator& op) {
  return SparseRows(op.in_shape(), op.out_shape(), [&](Index row, RowEntries& entries) {
    op.append_row(row, entries);
    entries.merge();
  });
}

SparseRows SparseRows::transpose_of(const LinearOperator& op) {
  const SparseRows rows = of(op);
  std::vector<Index> begin(static_cast<std::size_t>(element_count(rows.in_shape())) + 1, 0);
  for (const Index column : rows.columns_) ++begin[static_cast<std::size_t>(column) + 1];
  for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
  std::vector<Index> columns(rows.columns_.size());
  std::vector<double> weights(rows.weights_.size());
  std::vector<Index> next(begin.begin(), begin.end() - 1);
  for (std::size_t row = 0; row + 1 < rows.row_begin_.size(); ++row)
    for (auto k = static_cast<std::size_t>(rows.row_begin_[row]);
         k < static_cast<std::size_t>(rows.row_begin_[row + 1]); ++k) {
      const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(rows.columns_[k])]++);
      columns[at] = static_cast<Index>(row);
      weights[at] = rows.weights_[k];
    }
  return SparseRows(rows.out_shape(), rows.in_shape(), std::move(begin), std::move(columns), std::move(weights));
}

void SparseRows::append_row(Index row, RowEntries& entries) const {
  const auto at = static_cast<std::size_t>(row);
  const Index begin = row_begin_[at], end = row_begin_[at + 1];
  entries.columns.insert(entries.columns.end(), columns_.begin() + begin, columns_.begin() + end);
  entries.weights.insert(entries.weights.end(), weights_.begin() + begin, weights_.begin() + end);
}

void SparseRows::describe(OperatorWriter& out) const {
  out.head(OperatorKind::sparse_rows, *this);
  out.to.compact_indices(row_begin_);
  out.to.compact_indices(columns_);
  out.to.compact_reals(weights_);
}

LinearOperatorPtr no_entries(Shape in, Shape out) {
  return std::make_shared<SparseRows>(std::move(in), std::move(out), [](Index, RowEntries&) {});
}

bool has_no_entries(const LinearOperator& op) {
  const auto* rows = dynamic_cast<const SparseRows*>(&op);
  return rows != nullptr && rows->columns().empty();
}

}  // namespace tacit::layout
