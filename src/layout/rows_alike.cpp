#include "layout/rows_alike.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "layout/operators/combined.h"
#include "layout/operators/window.h"

namespace tacit::layout {
namespace {

constexpr int kRows = 2, kColumns = 3;

/// The same number for every element of a channel.
bool is_by_channel(const RepeatedReals& factors, const Shape& shape) {
  return factors.values().size() == 1 || factors.run() % (shape[kRows] * shape[kColumns]) == 0;
}

/// The window of an operator whose weights do not depend on where it is.
const Window* uniform_window(const LinearOperator& op) {
  if (const std::optional<OneWindow> window = op.one_window()) return &window->op->window();
  const auto* factors = dynamic_cast<const Scaled*>(&op);
  const Window* window = factors ? uniform_window(*factors->op()) : nullptr;
  return window && window->in().size() == 4 && is_by_channel(factors->rows(), window->out()) &&
                 is_by_channel(factors->columns(), window->in())
             ? window
             : nullptr;
}

/// Where a row of feature maps is one digit, of which all rows are different values.
bool holds_every_row(const Layout& layout) {
  const Digit& digit = layout.within().front();
  if (digit.stride != 1 || digit.extent < layout.shape()[kRows]) return false;
  const auto is_row = [](const Digit& other) { return other.dim == kRows; };
  return std::none_of(layout.within().begin() + 1, layout.within().end(), is_row) &&
         std::ranges::none_of(layout.across(), is_row);
}

/// Feature maps of one sample whose rows can be alike; null otherwise.
const Window* window_over_rows(const LinearMap& map, Index period) {
  const std::optional<Index> in = row_slots(map.in), out = row_slots(map.out);
  if (!in || !out || *out % period != 0 || !holds_every_row(map.in) || !holds_every_row(map.out)) return nullptr;
  const Window* window = uniform_window(*map.op);
  if (!window || window->in() != map.in.shape() || window->out() != map.out.shape()) return nullptr;
  return window->axes().front().stride * *in == *out ? window : nullptr;
}

}  // namespace

std::optional<Index> row_slots(const Layout& layout) {
  if (layout.shape().size() != 4 || layout.within().empty() || layout.within().front().dim != kRows)
    return std::nullopt;
  Index slots = 1;
  for (auto digit = layout.within().begin() + 1; digit != layout.within().end(); ++digit) slots *= digit->extent;
  return std::has_single_bit(static_cast<std::uint64_t>(slots)) ? std::optional(slots) : std::nullopt;
}

std::vector<RowsAlike> rows_alike(const LinearMap& map, Index period) {
  constexpr Index kRowsAtOnce = 64;
  std::vector<RowsAlike> result;
  const Window* window = window_over_rows(map, period);
  if (window == nullptr) {
    const Index rows = element_count(map.out.shape());
    for (Index row = 0; row < rows; row += kRowsAtOnce) result.push_back({row, std::min(rows, row + kRowsAtOnce)});
    return result;
  }
  const WindowAxis& axis = window->axes().front();
  const Shape& out = window->out();
  std::map<std::pair<Index, Index>, RowsAlike> by_taps;  // the first tap inside the input and the last
  for (Index y = 0; y < out[kRows]; ++y) {
    const Index start = y * axis.stride - axis.pad_begin, end = window->in()[kRows];
    const Index first = start < 0 ? (-start + axis.dilation - 1) / axis.dilation : 0;
    const Index last = start < end ? std::min(axis.kernel - 1, (end - 1 - start) / axis.dilation) : -1;
    const auto [known, fresh] = by_taps.try_emplace({first, last}, RowsAlike{y, y + 1});
    if (!fresh) ++known->second.times;
  }
  for (Index plane = 0; plane < out[0] * out[1]; ++plane)
    for (const auto& [taps, rows] : by_taps) {
      const Index first = (plane * out[kRows] + rows.first) * out[kColumns];
      result.push_back({first, first + out[kColumns], rows.times});
    }
  return result;
}

}  // namespace tacit::layout
