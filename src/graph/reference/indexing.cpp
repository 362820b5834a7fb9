#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "graph/reference/broadcast.h"
#include "graph/reference/gathered.h"
#include "graph/reference/operator_call.h"
#include "graph/reference/texts.h"

namespace tacit::graph::reference {
namespace {

/// Operators whose result elements are each one element of an input, or a fill.

std::vector<Tensor> transpose(const Call& call) {
  const Tensor& input = call.input(0);
  const std::size_t rank = input.shape.size();
  std::vector<std::int64_t> order(rank);
  std::iota(order.rbegin(), order.rend(), 0);
  order = integers_attribute(call.node, "perm", order);
  std::vector<std::int64_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (sorted.size() != rank || sorted[i] != static_cast<std::int64_t>(i))
      call.refuse(fmt::format("perm {} is no permutation of {} axes", to_text(order), rank));
  }
  const std::vector<std::int64_t> strides = strides_of(input.shape);
  Shape shape;
  std::vector<std::int64_t> steps;
  for (const std::int64_t axis : order) {
    shape.push_back(input.shape[static_cast<std::size_t>(axis)]);
    steps.push_back(strides[static_cast<std::size_t>(axis)]);
  }
  return {gathered(call, input, std::move(shape), 0, [&](const std::vector<std::int64_t>& position) {
    return std::inner_product(position.begin(), position.end(), steps.begin(), std::int64_t{0});
  })};
}

std::vector<Tensor> joined(const Call& call) {
  const Tensor& first = call.input(0);
  const std::size_t axis = normal_axis(call.node, integer_attribute(call.node, "axis"), first.shape.size());
  Shape shape = first.shape;
  bool integral = first.integral;
  for (std::size_t i = 1; i < call.inputs.size(); ++i) {
    const Tensor& next = call.input(i);
    Shape expected = first.shape;
    if (next.shape.size() == expected.size()) expected[axis] = next.shape[axis];
    if (next.shape != expected)
      call.refuse(
          fmt::format("shapes {} and {} differ beside axis {}", to_text(first.shape), to_text(next.shape), axis));
    shape[axis] += next.shape[axis];
    integral = integral && next.integral;
  }
  Tensor result = call.zeros(shape, integral);
  const AxisView whole = axis_view(shape, axis);
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    const Tensor& part = call.input(i);
    const std::int64_t block = part.shape[axis] * whole.inner;
    for (std::int64_t outer = 0; outer < whole.outer; ++outer)
      std::copy_n(part.data.data() + outer * block, block,
                  result.data.data() + outer * whole.extent * whole.inner + offset);
    offset += block;
  }
  return {std::move(result)};
}

/// Texts are brought to one dictionary first.
std::vector<Tensor> concatenate(const Call& call) {
  for (std::size_t i = 0; i < call.inputs.size(); ++i) call.input(i);
  if (all_texts(call, call.inputs)) {
    const std::vector<Tensor> merged = in_one_dictionary(call, call.inputs);
    std::vector<const Tensor*> parts;
    for (const Tensor& part : merged) parts.push_back(&part);
    std::vector<Tensor> result = joined({call.node, parts, call.graph, call.most_elements});
    result[0].texts = merged[0].texts;
    return result;
  }
  return joined(call);
}

std::vector<Tensor> split(const Call& call) {
  const Tensor& input = call.input(0);
  const std::size_t axis = normal_axis(call.node, integer_attribute(call.node, "axis"), input.shape.size());
  const AxisView view = axis_view(input.shape, axis);
  const auto parts = static_cast<std::int64_t>(call.node.outputs.size());
  std::vector<std::int64_t> extents;
  if (call.has(1)) {
    extents = call.integers(1);
  } else if (parts > 0) {
    extents.assign(static_cast<std::size_t>(parts), view.extent / parts);
  }
  std::int64_t total = 0;
  for (const std::int64_t extent : extents) {
    if (extent < 0 || extent > view.extent) call.refuse(fmt::format("a part of extent {} does not fit", extent));
    total += extent;
  }
  if (static_cast<std::int64_t>(extents.size()) != parts || total != view.extent)
    call.refuse(fmt::format("{} parts {} do not add up to extent {}", parts, to_text(extents), view.extent));
  std::vector<Tensor> results;
  std::int64_t offset = 0;
  for (const std::int64_t extent : extents) {
    Shape shape = input.shape;
    shape[axis] = extent;
    results.push_back(call.zeros(std::move(shape), input.integral));
    results.back().texts = input.texts;
    for (std::int64_t outer = 0; outer < view.outer; ++outer)
      std::copy_n(input.data.data() + (outer * view.extent + offset) * view.inner, extent * view.inner,
                  results.back().data.data() + outer * extent * view.inner);
    offset += extent;
  }
  return results;
}

std::vector<Tensor> slice(const Call& call) {
  constexpr std::int64_t kLargestEnd = 2147483647;  // "to the end" in 32 bits
  const Tensor& input = call.input(0);
  const std::vector<std::int64_t> starts = call.positions(1), ends = call.positions(2);
  std::vector<std::int64_t> axes(starts.size()), steps(starts.size(), 1);
  std::iota(axes.begin(), axes.end(), 0);
  if (call.has(3)) axes = call.integers(3);
  if (call.has(4)) steps = call.integers(4);
  if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size())
    call.refuse("starts, ends, axes and steps must hold the same number of values");
  auto tables = identity_tables(input.shape);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t axis = normal_axis(call.node, axes[i], input.shape.size());
    const std::int64_t extent = input.shape[axis], step = steps[i];
    if (step == 0) call.refuse("a slice needs a step other than zero");
    if (step < 0 && (ends[i] == kLargestEnd || ends[i] > std::int64_t{1} << 53))
      call.refuse(
          fmt::format("a slice backward that ends at {} is empty for some runtimes and runs to the front for "
                      "others; end it at the least integer",
                      ends[i]));
    const auto bound = [&](std::int64_t at, std::int64_t least, std::int64_t most) {
      return std::max(least, std::min(at < 0 ? at + extent : at, most));
    };
    // A negative step that runs to the very front is written as an end below -extent.
    const std::int64_t start = step > 0 ? bound(starts[i], 0, extent) : bound(starts[i], 0, extent - 1);
    const std::int64_t end = extent == 0 ? start
                             : step > 0  ? bound(ends[i], 0, extent)
                                         : bound(ends[i], -1, extent - 1);
    tables[axis].clear();
    for (std::int64_t at = start; step > 0 ? at < end : at > end; at += step) tables[axis].push_back(at);
  }
  return {by_tables(call, input, tables)};
}

std::vector<Tensor> expand(const Call& call) {
  const Tensor& input = call.input(0);
  const Shape wanted = call.integers(1);
  element_count(wanted);
  const auto shape = broadcast_shape(input.shape, wanted);
  if (!shape)
    call.refuse(fmt::format("a tensor of shape {} does not expand to {}", to_text(input.shape), to_text(wanted)));
  Tensor result = call.zeros(*shape, input.integral);
  result.texts = input.texts;
  BroadcastIndex at(input.shape, *shape);
  for (double& value : result.data) value = input.data[at.next()];
  return {std::move(result)};
}

std::vector<Tensor> tile(const Call& call) {
  const Tensor& input = call.input(0);
  const std::vector<std::int64_t> repeats = call.integers(1);
  if (repeats.size() != input.shape.size())
    call.refuse(fmt::format("{} repeats do not fit a tensor of shape {}", repeats.size(), to_text(input.shape)));
  Shape shape;
  for (std::size_t i = 0; i < repeats.size(); ++i) {
    if (repeats[i] < 0 || repeats[i] > (std::int64_t{1} << 31))
      call.refuse(fmt::format("{} repeats are outside [0, 2^31]", repeats[i]));
    shape.push_back(input.shape[i] * repeats[i]);
  }
  element_count(shape);
  auto tables = identity_tables(input.shape);
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const std::vector<std::int64_t> once = tables[i];
    tables[i].clear();
    for (std::int64_t k = 0; k < repeats[i]; ++k) tables[i].insert(tables[i].end(), once.begin(), once.end());
  }
  return {by_tables(call, input, tables)};
}

/// Keeps the upper or lower triangle of matrices, from the k-th diagonal on.
std::vector<Tensor> triangle(const Call& call) {
  Tensor result = call.input(0);
  const std::size_t rank = result.shape.size();
  if (rank < 2) call.refuse(fmt::format("a tensor of shape {} holds no matrix", to_text(result.shape)));
  const bool upper = flag_attribute(call.node, "upper");
  const double diagonal = call.has(1) ? call.scalar(1) : 0;
  const std::int64_t rows = result.shape[rank - 2], columns = result.shape[rank - 1];
  for (std::size_t i = 0; i < result.data.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    const double offset = static_cast<double>(at % columns - at / columns % rows);
    if (upper ? offset < diagonal : offset > diagonal) result.data[i] = 0;
  }
  return {std::move(result)};
}

std::vector<Tensor> non_zero(const Call& call) {
  const Tensor& input = call.input(0);
  const std::vector<std::int64_t> strides = strides_of(input.shape);
  std::vector<std::int64_t> found;
  for (std::size_t i = 0; i < input.data.size(); ++i) {
    if (input.data[i] != 0) found.push_back(static_cast<std::int64_t>(i));
  }
  const std::size_t rank = input.shape.size();
  Tensor result = call.zeros({static_cast<std::int64_t>(rank), static_cast<std::int64_t>(found.size())}, true);
  for (std::size_t i = 0; i < rank; ++i) {
    for (std::size_t k = 0; k < found.size(); ++k)
      result.data[i * found.size() + k] = static_cast<double>(found[k] / strides[i] % input.shape[i]);
  }
  return {std::move(result)};
}

constexpr AttributeDeclaration kAxis[] = {integer("axis", 0)};
constexpr AttributeDeclaration kConcat[] = {{.name = "axis", .type = AttributeType::integer, .required = true}};
constexpr AttributeDeclaration kTranspose[] = {integers("perm")};
constexpr AttributeDeclaration kTrilu[] = {flag("upper", true)};

constexpr Declaration kOperators[] = {
    {"Transpose", transpose, 1, "x~", Class::movement, kTranspose},
    {"Concat", concatenate, 1, "x~*", Class::movement, kConcat},
    {"Split", split, 1, "x~ lengths? -> y*", Class::movement, kAxis},
    {"Slice", slice, 1, "x~ starts ends axes? steps?", Class::movement, kNoAttributes, 0,
     "constant starts, ends, axes and steps; moves elements"},
    {"Expand", expand, 8, "x~ shape", Class::movement},
    {"Tile", tile, 1, "x~ repeats", Class::movement},
    {"Trilu", triangle, 14, "x k?", Class::movement, kTrilu},
    {"NonZero", non_zero, 9, "x", Class::client},
};

}  // namespace

std::span<const Declaration> indexing_operators() { return kOperators; }

}  // namespace tacit::graph::reference
