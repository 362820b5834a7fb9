#include "layout/rows_alike.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "layout/operators/combined.h"
#include "layout/operators/window_product.h"

namespace tacit::layout {
namespace {

constexpr int kRows = 2, kColumns = 3;

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

/// Slots from a row of feature maps to the next one in its ciphertext, where the outermost digit within is their rows.
Index slots_of_row(const Layout& layout) {
  Index slots = 1;
  for (auto digit = layout.within().begin() + 1; digit != layout.within().end(); ++digit) slots *= digit->extent;
  return slots;
}

/// Where every row of feature maps is one value of the outermost digit within: in how many ciphertexts rows that follow
/// each other lie. None elsewhere.
std::optional<Index> phases_of_rows(const Layout& layout) {
  if (layout.shape().size() != 4 || layout.within().empty()) return std::nullopt;
  const Digit& digit = layout.within().front();
  if (digit.dim != kRows || digit.extent * digit.stride < layout.shape()[kRows]) return std::nullopt;
  const auto is_row = [](const Digit& other) { return other.dim == kRows; };
  if (std::any_of(layout.within().begin() + 1, layout.within().end(), is_row)) return std::nullopt;
  // The rows' other digits are one across, if any: no block of rows is.
  const auto across = std::ranges::count_if(layout.across(), is_row);
  return across == (digit.stride > 1 ? 1 : 0) ? std::optional(digit.stride) : std::nullopt;
}

/// A window over feature maps, and after how many rows of its output the same rows come again.
struct WindowOverRows {
  const Window* window = nullptr;
  Index phases = 1;
};

/// Feature maps whose rows can be alike; none otherwise.
std::optional<WindowOverRows> window_over_rows(const LinearMap& map, Index period) {
  const std::optional<Index> in = phases_of_rows(map.in), out = phases_of_rows(map.out);
  if (!in || !out) return std::nullopt;
  const Index in_row = slots_of_row(map.in), out_row = slots_of_row(map.out);
  const Window* window = uniform_window(*map.op);
  if (!window || window->in() != map.in.shape() || window->out() != map.out.shape() || out_row % period != 0)
    return std::nullopt;
  // So many rows of the input lie between two of the output that share a ciphertext, and must, too.
  const Index between = window->axes().front().stride * *out;
  if (between % *in != 0 || between / *in * in_row != out_row) return std::nullopt;
  return WindowOverRows{window, *out};
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
  const std::optional<WindowOverRows> over_rows = window_over_rows(map, period);
  if (!over_rows) {
    const Index rows = element_count(map.out.shape());
    for (Index row = 0; row < rows; row += kRowsAtOnce) result.push_back({row, std::min(rows, row + kRowsAtOnce)});
    return result;
  }
  const Window* window = over_rows->window;
  const WindowAxis& axis = window->axes().front();
  const Shape& out = window->out();
  // By the first tap inside the input, the last one, and the phase.
  std::map<std::tuple<Index, Index, Index>, RowsAlike> by_taps;
  for (Index y = 0; y < out[kRows]; ++y) {
    const Index start = y * axis.stride - axis.pad_begin, end = window->in()[kRows];
    const Index first = start < 0 ? (-start + axis.dilation - 1) / axis.dilation : 0;
    const Index last = start < end ? std::min(axis.kernel - 1, (end - 1 - start) / axis.dilation) : -1;
    const auto [known, fresh] = by_taps.try_emplace({first, last, y % over_rows->phases}, RowsAlike{y, y + 1});
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
