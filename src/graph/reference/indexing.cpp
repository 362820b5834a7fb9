#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "graph/reference/broadcast.h"
#include "graph/reference/operator_call.h"

namespace tacit::graph::reference {
namespace {

/// Operators whose result elements are each one element of an input, or a fill.

/// Fills `result` by source(position): the offset into `input`, or -1 for the fill. Positions run in row-major order.
template <typename Source>
Tensor gathered(const Tensor& input, Shape shape, double fill, Source source) {
  Tensor result = zeros(std::move(shape), input.integral);
  std::vector<std::int64_t> position(result.shape.size(), 0);
  for (double& value : result.data) {
    const std::int64_t from = source(position);
    value = from < 0 ? fill : input.data[static_cast<std::size_t>(from)];
    for (std::size_t i = position.size(); i-- > 0;) {
      if (++position[i] < result.shape[i]) break;
      position[i] = 0;
    }
  }
  return result;
}

/// Reads along per-axis tables of indices: the element at p comes from (tables[0][p0], tables[1][p1], ...).
Tensor by_tables(const Tensor& input, const std::vector<std::vector<std::int64_t>>& tables, double fill = 0) {
  const std::vector<std::int64_t> strides = strides_of(input.shape);
  Shape shape;
  for (const auto& table : tables) shape.push_back(static_cast<std::int64_t>(table.size()));
  return gathered(input, std::move(shape), fill, [&](const std::vector<std::int64_t>& position) {
    std::int64_t at = 0;
    for (std::size_t i = 0; i < position.size(); ++i) {
      const std::int64_t index = tables[i][static_cast<std::size_t>(position[i])];
      if (index < 0) return std::int64_t{-1};
      at += index * strides[i];
    }
    return at;
  });
}

std::vector<std::vector<std::int64_t>> identity_tables(const Shape& shape) {
  std::vector<std::vector<std::int64_t>> tables;
  for (const std::int64_t extent : shape) {
    tables.emplace_back(static_cast<std::size_t>(extent));
    std::iota(tables.back().begin(), tables.back().end(), 0);
  }
  return tables;
}

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
  return {gathered(input, std::move(shape), 0, [&](const std::vector<std::int64_t>& position) {
    return std::inner_product(position.begin(), position.end(), steps.begin(), std::int64_t{0});
  })};
}

std::vector<Tensor> concatenate(const Call& call) {
  const Tensor& first = call.input(0);
  const std::size_t axis = normal_axis(call.node, integer_attribute(call.node, "axis", 0), first.shape.size());
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
  Tensor result = zeros(shape, integral);
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

std::vector<Tensor> split(const Call& call) {
  const Tensor& input = call.input(0);
  const std::size_t axis = normal_axis(call.node, integer_attribute(call.node, "axis", 0), input.shape.size());
  const AxisView view = axis_view(input.shape, axis);
  const auto parts = static_cast<std::int64_t>(call.node.outputs.size());
  std::vector<std::int64_t> extents;
  if (call.has(1)) {
    extents = call.integers(1);
  } else if (parts > 0 && view.extent % parts == 0) {
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
    results.push_back(zeros(std::move(shape), input.integral));
    for (std::int64_t outer = 0; outer < view.outer; ++outer)
      std::copy_n(input.data.data() + (outer * view.extent + offset) * view.inner, extent * view.inner,
                  results.back().data.data() + outer * extent * view.inner);
    offset += extent;
  }
  return results;
}

std::vector<Tensor> slice(const Call& call) {
  const Tensor& input = call.input(0);
  const std::vector<std::int64_t> starts = call.integers(1), ends = call.integers(2);
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
    const auto bound = [&](std::int64_t at) {
      if (at < 0) at += extent;
      return step > 0 ? std::clamp<std::int64_t>(at, 0, extent) : std::clamp<std::int64_t>(at, -1, extent - 1);
    };
    // A negative step that runs to the very front is written as an end below -extent.
    const std::int64_t start = bound(starts[i]), end = bound(ends[i]);
    tables[axis].clear();
    for (std::int64_t at = start; step > 0 ? at < end : at > end; at += step) tables[axis].push_back(at);
  }
  return {by_tables(input, tables)};
}

std::vector<Tensor> pad(const Call& call) {
  const Tensor& input = call.input(0);
  const std::size_t rank = input.shape.size();
  const std::vector<std::int64_t> pads = call.integers(1);
  if (pads.size() != 2 * rank) call.refuse(fmt::format("pads must hold {} values, not {}", 2 * rank, pads.size()));
  const std::string mode = text_attribute(call.node, "mode", "constant");
  if (mode != "constant" && mode != "reflect" && mode != "edge")
    call.refuse(fmt::format("mode '{}' is none of constant, reflect, edge", mode));
  Shape shape;
  for (std::size_t i = 0; i < rank; ++i) {
    shape.push_back(input.shape[i] + pads[i] + pads[i + rank]);
    if (shape[i] < 0) call.refuse("a negative pad removes more than there is");
    if (mode == "reflect" && std::max(pads[i], pads[i + rank]) >= std::max<std::int64_t>(input.shape[i], 1))
      call.refuse(fmt::format("a reflected pad must be smaller than the extent {}", input.shape[i]));
  }
  element_count(shape);
  std::vector<std::vector<std::int64_t>> tables(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t extent = input.shape[i];
    for (std::int64_t at = -pads[i]; at < extent + pads[i + rank]; ++at) {
      std::int64_t from = at;
      if (at < 0 || at >= extent) {
        from = mode == "constant" ? -1
               : mode == "edge"   ? std::clamp<std::int64_t>(at, 0, std::max<std::int64_t>(extent - 1, 0))
               : at < 0           ? -at
                                  : 2 * (extent - 1) - at;
        if (extent == 0) from = -1;
      }
      tables[i].push_back(from);
    }
  }
  return {by_tables(input, tables, call.has(2) ? call.scalar(2) : 0)};
}

/// An index into an axis, negative from the end; refused outside.
std::int64_t checked_index(const Call& call, double value, std::int64_t extent) {
  if (!(value >= static_cast<double>(-extent) && value < static_cast<double>(extent)))
    call.refuse(fmt::format("index {} is outside an axis of extent {}", value, extent));
  const auto index = static_cast<std::int64_t>(value);
  return index < 0 ? index + extent : index;
}

std::vector<Tensor> gather_along(const Call& call, std::size_t axis) {
  const Tensor &input = call.input(0), &indices = call.input(1);
  const AxisView view = axis_view(input.shape, axis);
  const auto split_at = input.shape.begin() + static_cast<std::ptrdiff_t>(axis);
  Shape shape(input.shape.begin(), split_at);
  shape.insert(shape.end(), indices.shape.begin(), indices.shape.end());
  shape.insert(shape.end(), split_at + 1, input.shape.end());
  Tensor result = zeros(std::move(shape), input.integral);
  double* out = result.data.data();
  for (std::int64_t outer = 0; outer < view.outer; ++outer) {
    for (const double index : indices.data) {
      const std::int64_t at = checked_index(call, index, view.extent);
      out = std::copy_n(input.data.data() + (outer * view.extent + at) * view.inner, view.inner, out);
    }
  }
  return {std::move(result)};
}

std::vector<Tensor> gather(const Call& call) {
  const std::int64_t axis = integer_attribute(call.node, "axis", 0);
  return gather_along(call, normal_axis(call.node, axis, call.input(0).shape.size()));
}

/// ai.onnx.ml: columns of the last axis; a vector is seen as one row.
std::vector<Tensor> extract_features(const Call& call) {
  if (call.input(0).shape.empty()) call.refuse("the input must have at least one axis");
  std::vector<Tensor> result = gather_along(call, call.input(0).shape.size() - 1);
  Shape& shape = result[0].shape;
  shape.assign(call.input(0).shape.begin(), call.input(0).shape.end() - 1);
  if (shape.empty()) shape.push_back(1);
  shape.push_back(call.input(1).size());
  return result;
}

std::vector<Tensor> gather_elements(const Call& call) {
  const Tensor &input = call.input(0), &indices = call.input(1);
  const std::size_t axis = normal_axis(call.node, integer_attribute(call.node, "axis", 0), input.shape.size());
  bool fits = indices.shape.size() == input.shape.size();
  for (std::size_t i = 0; fits && i < input.shape.size(); ++i) fits = i == axis || indices.shape[i] <= input.shape[i];
  if (!fits)
    call.refuse(fmt::format("indices of shape {} do not fit an input of shape {}", to_text(indices.shape),
                            to_text(input.shape)));
  const std::vector<std::int64_t> strides = strides_of(input.shape);
  std::size_t next = 0;
  return {gathered(input, indices.shape, 0, [&](const std::vector<std::int64_t>& position) {
    std::int64_t at = 0;
    for (std::size_t i = 0; i < position.size(); ++i)
      at += strides[i] * (i == axis ? checked_index(call, indices.data[next], input.shape[i]) : position[i]);
    ++next;
    return at;
  })};
}

std::vector<Tensor> expand(const Call& call) {
  const Tensor& input = call.input(0);
  const Shape wanted = call.integers(1);
  element_count(wanted);
  const auto shape = broadcast_shape(input.shape, wanted);
  if (!shape)
    call.refuse(fmt::format("a tensor of shape {} does not expand to {}", to_text(input.shape), to_text(wanted)));
  Tensor result = zeros(*shape, input.integral);
  BroadcastIndex at(input.shape, *shape);
  for (double& value : result.data) {
    value = input.data[static_cast<std::size_t>(at.offset())];
    at.next();
  }
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
  return {by_tables(input, tables)};
}

/// The input as [batch, channels, height, width] with a block size that fits.
std::int64_t block_size(const Call& call) {
  if (call.input(0).shape.size() != 4)
    call.refuse(fmt::format("the input must have four axes, not {}", to_text(call.input(0).shape)));
  const std::int64_t block = integer_attribute(call.node, "blocksize", 0);
  if (block < 1 || block > (1 << 15)) call.refuse(fmt::format("a block size of {} is outside [1, 32768]", block));
  return block;
}

std::vector<Tensor> depth_to_space(const Call& call) {
  const Tensor& input = call.input(0);
  const std::int64_t block = block_size(call);
  const std::int64_t channels = input.shape[1] / (block * block);
  if (channels * block * block != input.shape[1])
    call.refuse(fmt::format("{} channels do not split into blocks of {} x {}", input.shape[1], block, block));
  const bool depth_first = text_attribute(call.node, "mode", "DCR") == "DCR";
  const auto strides = strides_of(input.shape);
  const Shape shape{input.shape[0], channels, input.shape[2] * block, input.shape[3] * block};
  return {gathered(input, shape, 0, [&](const std::vector<std::int64_t>& p) {
    const std::int64_t within = p[2] % block * block + p[3] % block;
    const std::int64_t channel = depth_first ? within * channels + p[1] : p[1] * block * block + within;
    return p[0] * strides[0] + channel * strides[1] + p[2] / block * strides[2] + p[3] / block;
  })};
}

std::vector<Tensor> space_to_depth(const Call& call) {
  const Tensor& input = call.input(0);
  const std::int64_t block = block_size(call);
  if (input.shape[2] % block != 0 || input.shape[3] % block != 0)
    call.refuse(fmt::format("a map {} does not split into blocks of {}", to_text(input.shape), block));
  const auto strides = strides_of(input.shape);
  const Shape shape{input.shape[0], input.shape[1] * block * block, input.shape[2] / block, input.shape[3] / block};
  return {gathered(input, shape, 0, [&](const std::vector<std::int64_t>& p) {
    const std::int64_t within = p[1] / input.shape[1], channel = p[1] % input.shape[1];
    return p[0] * strides[0] + channel * strides[1] + (p[2] * block + within / block) * strides[2] + p[3] * block +
           within % block;
  })};
}

std::vector<Tensor> non_zero(const Call& call) {
  const Tensor& input = call.input(0);
  const std::vector<std::int64_t> strides = strides_of(input.shape);
  std::vector<std::int64_t> found;
  for (std::size_t i = 0; i < input.data.size(); ++i) {
    if (input.data[i] != 0) found.push_back(static_cast<std::int64_t>(i));
  }
  const std::size_t rank = input.shape.size();
  Tensor result = zeros({static_cast<std::int64_t>(rank), static_cast<std::int64_t>(found.size())}, true);
  for (std::size_t i = 0; i < rank; ++i) {
    for (std::size_t k = 0; k < found.size(); ++k)
      result.data[i * found.size() + k] = static_cast<double>(found[k] / strides[i] % input.shape[i]);
  }
  return {std::move(result)};
}

constexpr NamedOperator kOperators[] = {
    {"Transpose", transpose},
    {"Concat", concatenate},
    {"Split", split},
    {"Slice", slice},
    {"Pad", pad},
    {"Gather", gather},
    {"GatherElements", gather_elements},
    {"Expand", expand},
    {"Tile", tile},
    {"DepthToSpace", depth_to_space},
    {"SpaceToDepth", space_to_depth},
    {"NonZero", non_zero},
    {"ai.onnx.ml.ArrayFeatureExtractor", extract_features},
};

}  // namespace

std::span<const NamedOperator> indexing_operators() { return kOperators; }

}  // namespace tacit::graph::reference
