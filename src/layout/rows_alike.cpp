#include "layout/rows_alike.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "layout/operators/combined.h"
#include "layout/operators/window_product.h"

namespace tacit::layout {
namespace {

constexpr int kRowAxis = 2, kColumnAxis = 3;

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

/// How the rows, or the columns, of feature maps lie.
struct LineDigit {
  Index slots = 1;   ///< from one to the next in its ciphertext
  Index phases = 1;  ///< in so many ciphertexts lie those that follow each other
  bool outermost = false;
};

/// Of a layout in which every row, or every column, is one value of one digit within.
std::optional<LineDigit> line_digit(const Layout& layout, int dim) {
  if (layout.shape().size() != 4) return std::nullopt;
  const auto is_line = [&](const Digit& digit) { return digit.dim == dim; };
  const auto digit = std::ranges::find_if(layout.within(), is_line);
  if (digit == layout.within().end() || digit->extent * digit->stride < layout.shape()[static_cast<std::size_t>(dim)])
    return std::nullopt;
  if (std::any_of(digit + 1, layout.within().end(), is_line)) return std::nullopt;
  // The other digits of the lines are one across, if any: no block of lines is.
  if (std::ranges::count_if(layout.across(), is_line) != (digit->stride > 1 ? 1 : 0)) return std::nullopt;
  LineDigit result{1, digit->stride, digit == layout.within().begin()};
  for (auto inner = digit + 1; inner != layout.within().end(); ++inner) result.slots *= inner->extent;
  return result;
}

/// After how many lines of a window's output the same ones come again, moved by whole periods of the weights; none
/// where they do not.
std::optional<Index> phases_of(const LinearMap& map, const WindowAxis& axis, int dim, Index period) {
  const std::optional<LineDigit> in = line_digit(map.in, dim), out = line_digit(map.out, dim);
  if (!in || !out || out->slots % period != 0) return std::nullopt;
  // Which copy of an input is read must not depend on the line: digits outside of the copies' do not change it.
  if (!(in->outermost && out->outermost) && map.in.copies_in_period().size() > 1) return std::nullopt;
  // So many lines of the input lie between two of the output that share a ciphertext, and must, too.
  const Index between = axis.stride * out->phases;
  if (between % in->phases != 0 || between / in->phases * in->slots != out->slots) return std::nullopt;
  return out->phases;
}

/// Lines of a window's output that read alike: the first of them, and how many.
struct LinesAlike {
  Index first = 0;
  std::uint32_t count = 0;
};

/// By the first tap inside the input, the last one, and the phase.
std::vector<LinesAlike> lines_alike(const WindowAxis& axis, Index inputs, Index outputs, Index phases) {
  std::map<std::tuple<Index, Index, Index>, LinesAlike> by_taps;
  for (Index y = 0; y < outputs; ++y) {
    const Index start = y * axis.stride - axis.pad_begin;
    const Index first = start < 0 ? (-start + axis.dilation - 1) / axis.dilation : 0;
    const Index last = start < inputs ? std::min(axis.kernel - 1, (inputs - 1 - start) / axis.dilation) : -1;
    ++by_taps.try_emplace({first, last, y % phases}, LinesAlike{y, 0}).first->second.count;
  }
  std::vector<LinesAlike> result;
  for (const auto& [taps, lines] : by_taps) result.push_back(lines);
  return result;
}

/// The slots of a step of the outermost digit within, if they are a power of two.
std::optional<Index> slots_of_a_step(const Layout& layout) {
  Index slots = 1;
  for (auto digit = layout.within().begin() + 1; digit != layout.within().end(); ++digit) slots *= digit->extent;
  return is_power_of_two(slots) ? std::optional(slots) : std::nullopt;
}

/// The slots from one sample to the next in a layout whose outermost digit within is all samples.
std::optional<Index> slots_of_a_sample(const Layout& layout) {
  const auto of_samples = [](const Digit& digit) { return digit.dim == 0; };
  if (layout.shape().size() < 2 || layout.shape().front() < 2 || layout.within().empty()) return std::nullopt;
  if (!of_samples(layout.within().front()) || layout.copies_in_period().size() > 1) return std::nullopt;
  if (std::ranges::count_if(layout.within(), of_samples) + std::ranges::count_if(layout.across(), of_samples) > 1)
    return std::nullopt;
  return slots_of_a_step(layout);
}

/// The first `rows` rows of an operator, some at once.
std::vector<RowsAlike> rows_at_once(Index rows, std::uint32_t times) {
  constexpr Index kRowsAtOnce = 64;
  std::vector<RowsAlike> result;
  for (Index row = 0; row < rows; row += kRowsAtOnce) result.push_back({row, std::min(rows, row + kRowsAtOnce), times});
  return result;
}

}  // namespace

std::optional<Index> row_slots(const Layout& layout) {
  if (layout.shape().size() != 4 || layout.within().empty() || layout.within().front().dim != kRowAxis)
    return std::nullopt;
  return slots_of_a_step(layout);
}

std::optional<Index> sample_slots(const LinearMap& map) {
  const std::optional<Index> in = slots_of_a_sample(map.in), out = slots_of_a_sample(map.out);
  if (!in || in != out || map.in.shape().front() != map.out.shape().front()) return std::nullopt;
  return map.op->equal_part(map.in.shape().front()) ? in : std::nullopt;
}

std::vector<RowsAlike> rows_alike(const LinearMap& map, Index period) {
  std::vector<RowsAlike> result;
  if (const std::optional<Index> sample = sample_slots(map); sample && *sample % period == 0) {
    const Index samples = map.out.shape().front();
    return rows_at_once(element_count(map.out.shape()) / samples, static_cast<std::uint32_t>(samples));
  }
  const Window* window = uniform_window(*map.op);
  if (window && (window->in() != map.in.shape() || window->out() != map.out.shape())) window = nullptr;
  const auto phases = [&](std::size_t axis, int dim) {
    return window ? phases_of(map, window->axes()[axis], dim, period) : std::nullopt;
  };
  const std::optional<Index> of_rows = phases(0, kRowAxis),
                             of_columns = of_rows ? phases(1, kColumnAxis) : std::nullopt;
  if (!of_rows) return rows_at_once(element_count(map.out.shape()), 1);
  const Shape &in = window->in(), &out = window->out();
  const std::vector<LinesAlike> lines = lines_alike(window->axes()[0], in[kRowAxis], out[kRowAxis], *of_rows);
  std::vector<LinesAlike> columns;
  if (of_columns) columns = lines_alike(window->axes()[1], in[kColumnAxis], out[kColumnAxis], *of_columns);
  for (Index plane = 0; plane < out[0] * out[1]; ++plane)
    for (const LinesAlike& line : lines) {
      const Index first = (plane * out[kRowAxis] + line.first) * out[kColumnAxis];
      if (!of_columns) result.push_back({first, first + out[kColumnAxis], line.count});
      for (const LinesAlike& column : columns)
        result.push_back({first + column.first, first + column.first + 1, line.count * column.count});
    }
  return result;
}

}  // namespace tacit::layout
