#include "layout/linear_operator.h"

#include <algorithm>
#include <numeric>

#include "base/parallel.h"
#include "base/vectorised.h"
#include "layout/operator_writer.h"
#include "layout/operators/window.h"
#include "layout/sparse_rows.h"

namespace tacit::layout {

void RowEntries::merge() {
  std::vector<std::size_t> order(size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return columns[a] < columns[b]; });
  RowEntries merged;
  for (std::size_t k = 0; k < order.size();) {
    const Index column = columns[order[k]];
    double weight = 0;
    for (; k < order.size() && columns[order[k]] == column; ++k) weight += weights[order[k]];
    if (weight != 0) merged.add(column, weight);
  }
  *this = std::move(merged);
}

namespace {

/// Entries of rows that follow each other: those of row r end at ends[r].
struct RowsOfEntries {
  RowEntries entries;
  std::vector<std::size_t> ends;
};

/// out[r] += the sum of weight * in[column] over the entries of row r, for so many vectors side by side.
template <std::size_t kLanes>
[[gnu::always_inline]] inline void add_sums(const RowsOfEntries& rows, const double* in, double* out) {
  const Index* columns = rows.entries.columns.data();
  const double* weights = rows.entries.weights.data();
  std::size_t k = 0;
  for (const std::size_t end : rows.ends) {
    double sums[kLanes] = {};
    for (; k < end; ++k) {
      const double* from = in + static_cast<std::size_t>(columns[k]) * kLanes;
      for (std::size_t i = 0; i < kLanes; ++i) sums[i] += weights[k] * from[i];
    }
    for (std::size_t i = 0; i < kLanes; ++i) out[i] += sums[i];
    out += kLanes;
  }
}

TACIT_VECTORISED void add_sums_of_16(const RowsOfEntries& rows, const double* in, double* out) {
  add_sums<16>(rows, in, out);
}

void add_sums_of_any(const RowsOfEntries& rows, const double* in, double* out, std::size_t lanes) {
  std::vector<double> sums(lanes);
  std::size_t k = 0;
  for (const std::size_t end : rows.ends) {
    std::ranges::fill(sums, 0.0);
    for (; k < end; ++k) {
      const double* from = in + static_cast<std::size_t>(rows.entries.columns[k]) * lanes;
      for (std::size_t i = 0; i < lanes; ++i) sums[i] += rows.entries.weights[k] * from[i];
    }
    for (std::size_t i = 0; i < lanes; ++i) out[i] += sums[i];
    out += lanes;
  }
}

void add_sums(const RowsOfEntries& rows, const double* in, double* out, std::size_t lanes) {
  if (lanes == 16) return add_sums_of_16(rows, in, out);
  if (lanes == 1) return add_sums<1>(rows, in, out);
  add_sums_of_any(rows, in, out, lanes);
}

}  // namespace

void LinearOperator::add_rows(Index first, std::span<const double> in, std::span<double> out, std::size_t lanes) const {
  constexpr std::size_t kRows = 256, kEntries = 4096;  // what is written is still in the nearest cache when it is read
  const std::size_t rows = out.size() / lanes;
  RowsOfEntries some;
  for (std::size_t row = 0; row < rows; row += some.ends.size()) {
    some.entries.clear();
    some.ends.clear();
    for (std::size_t r = row; r < rows && some.ends.size() < kRows && some.entries.size() < kEntries; ++r) {
      append_row(first + static_cast<Index>(r), some.entries);
      some.ends.push_back(some.entries.size());
    }
    add_sums(some, in.data(), out.data() + row * lanes, lanes);
  }
}

void LinearOperator::apply(std::span<const double> in, std::span<double> out, std::size_t lanes) const {
  const std::size_t rows = out.size() / lanes, parts = std::min(rows, static_cast<std::size_t>(base::thread_limit()));
  base::parallel_for(0, parts, [&](std::size_t part) {
    const std::size_t first = rows * part / parts, end = rows * (part + 1) / parts;
    add_rows(static_cast<Index>(first), in, out.subspan(first * lanes, (end - first) * lanes), lanes);
  });
}

LinearOperator::SignedSums LinearOperator::signed_sums() const {
  const auto rows = static_cast<std::size_t>(element_count(out_shape()));
  SignedSums sums{std::vector<double>(rows), std::vector<double>(rows)};
  RowEntries entries;
  for (std::size_t row = 0; row < rows; ++row) {
    entries.clear();
    append_row(static_cast<Index>(row), entries);
    for (const double weight : entries.weights) (weight > 0 ? sums.positive : sums.negative)[row] += weight;
  }
  return sums;
}

std::optional<WindowPattern> LinearOperator::window_pattern() const { return std::nullopt; }

std::optional<OneWindow> LinearOperator::one_window() const { return std::nullopt; }

void LinearOperator::describe(OperatorWriter& out) const { SparseRows::of(*this).describe(out); }

}  // namespace tacit::layout
