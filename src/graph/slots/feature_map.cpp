#include "graph/slots/feature_map.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "graph/slots/layout_classes.h"

namespace tacit::graph::passes {
namespace {

using layout::Index;

constexpr std::size_t kChannels = 1, kRows = 2;
constexpr std::size_t kAxes = 2;  // rows and columns

/// The base-2 logarithms of gaps, of rows and of columns.
using Exponents = std::array<int, kAxes>;

int floor_log2(Index x) { return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(x))) - 1; }

// The lowest and the highest index along an axis that an element reads.
struct Reach {
  Index lowest = std::numeric_limits<Index>::max(), highest = -1;
};

Reach reach(const layout::LinearOperator& op, const Shape& in, Index element, std::size_t axis) {
  Index inner = 1;
  for (std::size_t k = axis + 1; k < in.size(); ++k) inner *= in[k];
  Reach result;
  op.row(element, [&](Index column, double) {
    const Index at = column / inner % in[axis];
    result.lowest = std::min(result.lowest, at);
    result.highest = std::max(result.highest, at);
  });
  return result;
}

// Returns the distance between the inputs of two neighbouring elements in the middle of an axis. At an edge the padding
// hides part of a window, so that both the lowest and the highest index are compared. None if no channel shows the
// stride.
std::optional<Index> stride_of(const layout::LinearOperator& op, const Shape& in, const Shape& out, std::size_t axis) {
  if (out[axis] < 2) return std::nullopt;
  const Index row = out[kRows] / 2, column = out[kRows + 1] / 2, step = axis == kRows ? out[kRows + 1] : 1;
  for (Index channel = 0; channel < out[kChannels]; ++channel) {
    const Index after = (channel * out[kRows] + row) * out[kRows + 1] + column;
    const Reach here = reach(op, in, after - step, axis), next = reach(op, in, after, axis);
    if (here.highest < 0 || next.highest < 0) continue;
    const Index stride = std::max(next.lowest - here.lowest, next.highest - here.highest);
    if (stride > 0) return stride;
    return std::nullopt;
  }
  return std::nullopt;
}

// Returns the growth of gaps from an operator's input to its output. An operator that makes larger maps has smaller
// gaps.
int growth(const layout::LinearOperator& op, const Shape& in, const Shape& out, std::size_t axis) {
  const double shrinks = static_cast<double>(in[axis]) / static_cast<double>(out[axis]);
  const int nearest = static_cast<int>(std::lround(std::log2(shrinks)));
  if (nearest < 0) return nearest;
  const std::optional<Index> stride = stride_of(op, in, out, axis);
  return floor_log2(stride.value_or(std::max<Index>(1, in[axis] / out[axis])));
}

}  // namespace

bool is_feature_map(const Shape& shape) { return shape.size() == 4 && shape[2] * shape[3] > 1; }

std::vector<FeatureMap> feature_maps(const Network& network) {
  std::vector<FeatureMap> result;
  Shape largest(kRows + kAxes, 1);
  for (const Value& value : network.values) {
    result.push_back({value.shape, {}});
    if (is_feature_map(value.shape))
      for (std::size_t k = 0; k < largest.size(); ++k) largest[k] = std::max(largest[k], value.shape[k]);
  }
  const std::vector<ValueId> classes = layout_classes(network);
  std::vector<Exponents> exponents(result.size());
  Exponents smallest{std::numeric_limits<int>::max(), std::numeric_limits<int>::max()};
  for (ValueId id = 0; id < result.size(); ++id) {
    const Shape& shape = result[id].shape;
    if (!is_feature_map(shape)) continue;
    for (std::size_t a = 0; a < kAxes; ++a) exponents[id][a] = floor_log2(largest[kRows + a] / shape[kRows + a]);
    if (const auto* affine = std::get_if<Affine>(&network.values[id].operation); affine && classes[id] == id)
      for (const AffineTerm& term : affine->terms) {
        const Shape& in = result[term.input].shape;
        if (!is_feature_map(in)) continue;
        for (std::size_t a = 0; a < kAxes; ++a)
          exponents[id][a] = exponents[term.input][a] + growth(*term.op, in, shape, kRows + a);
        break;
      }
    if (classes[id] != id) exponents[id] = exponents[classes[id]];
    for (std::size_t a = 0; a < kAxes; ++a) smallest[a] = std::min(smallest[a], exponents[id][a]);
  }
  for (ValueId id = 0; id < result.size(); ++id)
    if (is_feature_map(result[id].shape))
      result[id].gaps = {Index{1} << (exponents[id][0] - smallest[0]), Index{1} << (exponents[id][1] - smallest[1])};
  return result;
}

}  // namespace tacit::graph::passes
