#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "graph/reference/broadcast.h"
#include "graph/reference/gathered.h"
#include "graph/reference/operator_call.h"

namespace tacit::graph::reference {
namespace {

/// Operators whose result elements are each one element of an input, or a fill.

std::vector<Tensor> transpose(const Call& call) {
  const Tensor& input = call.input(0);
  const std::size_t rank = input.shape.size();
  std::vector<std::int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  const std::vector<std::int64_t> order = integers_attribute(call.node, "perm", {axes.rbegin(), axes.rend()});
  std::vector<std::int64_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != axes) call.refuse(fmt::format("perm {} is no permutation of {} axes", to_text(order), rank));
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

std::vector<Tensor> concatenate(const Call& call) {
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
  result.texts = first.texts;
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

/// The input as [batch, channels, height, width] with a block size that fits.
std::int64_t block_size(const Call& call) {
  if (call.input(0).shape.size() != 4)
    call.refuse(fmt::format("the input must have four axes, not {}", to_text(call.input(0).shape)));
  return integer_attribute(call.node, "blocksize");
}

/// Whether the position in a block stands before the channel in the depth (DCR) or behind it (CRD).
bool is_depth_first(const Call& call) { return text_attribute(call.node, "mode") == "DCR"; }

std::vector<Tensor> depth_to_space(const Call& call) {
  const Tensor& input = call.input(0);
  const std::int64_t block = block_size(call);
  const std::int64_t channels = input.shape[1] / (block * block);
  if (channels * block * block != input.shape[1])
    call.refuse(fmt::format("{} channels do not split into blocks of {} x {}", input.shape[1], block, block));
  const bool depth_first = is_depth_first(call);
  const auto strides = strides_of(input.shape);
  const Shape shape{input.shape[0], channels, input.shape[2] * block, input.shape[3] * block};
  return {gathered(call, input, shape, 0, [&](const std::vector<std::int64_t>& p) {
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
  const bool depth_first = is_depth_first(call);
  const auto strides = strides_of(input.shape);
  const Shape shape{input.shape[0], input.shape[1] * block * block, input.shape[2] / block, input.shape[3] / block};
  return {gathered(call, input, shape, 0, [&](const std::vector<std::int64_t>& p) {
    const std::int64_t within = depth_first ? p[1] / input.shape[1] : p[1] % (block * block);
    const std::int64_t channel = depth_first ? p[1] % input.shape[1] : p[1] / (block * block);
    return p[0] * strides[0] + channel * strides[1] + (p[2] * block + within / block) * strides[2] + p[3] * block +
           within % block;
  })};
}

/// The part of an axis that stays, and what is added to it.
struct Axis {
  std::int64_t start, extent, before, behind;
};

/// Where a position outside [0, extent) is read.
std::int64_t outside(const std::string& mode, std::int64_t at, std::int64_t extent) {
  if (mode == "constant" || extent == 0) return -1;
  if (mode == "edge") return std::clamp<std::int64_t>(at, 0, extent - 1);
  if (mode == "wrap") return (at % extent + extent) % extent;
  const std::int64_t period = std::max<std::int64_t>(2 * (extent - 1), 1);  // reflect: back and forth
  const std::int64_t within = (at % period + period) % period;
  return within < extent ? within : period - within;
}

/// Input 1 holds what is added before every axis, and then what is added behind each; negative where elements are
/// removed.
std::vector<Tensor> pad(const Call& call) {
  const Tensor& input = call.input(0);
  const std::size_t rank = input.shape.size();
  const std::vector<std::int64_t> pads = call.integers(1);
  if (pads.size() != 2 * rank) call.refuse(fmt::format("pads must hold {} values, not {}", 2 * rank, pads.size()));
  for (const std::int64_t pad : pads)
    if (std::abs(pad) > kLargestExtent) call.refuse(fmt::format("pads {} are outside [-2^31, 2^31]", to_text(pads)));
  const std::string mode = text_attribute(call.node, "mode");
  Shape shape;
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t before = pads[i], behind = pads[i + rank];
    // What a negative pad removes is gone before the rest is copied from.
    const Axis axis{std::max<std::int64_t>(-before, 0),
                    input.shape[i] + std::min<std::int64_t>(before, 0) + std::min<std::int64_t>(behind, 0),
                    std::max<std::int64_t>(before, 0), std::max<std::int64_t>(behind, 0)};
    if (axis.extent < 0) call.refuse("a negative pad removes more than there is");
    if (mode == "reflect" && std::max(axis.before, axis.behind) >= std::max<std::int64_t>(axis.extent, 1))
      call.refuse(fmt::format("a reflected pad must be smaller than the extent {}", axis.extent));
    if (mode != "constant" && axis.extent == 0 && axis.before + axis.behind > 0)
      call.refuse(fmt::format("mode '{}' cannot fill axis {}, which has no element to copy", mode, i));
    shape.push_back(axis.before + axis.extent + axis.behind);
    axes.push_back(axis);
  }
  if (element_count(shape) == 0) return {call.zeros(shape, input.integral)};  // an axis may be longer than the bound
  IndexTables tables(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    for (std::int64_t at = -axes[i].before; at < axes[i].extent + axes[i].behind; ++at) {
      const std::int64_t from = at >= 0 && at < axes[i].extent ? at : outside(mode, at, axes[i].extent);
      tables[i].push_back(from < 0 ? -1 : axes[i].start + from);
    }
  }
  return {by_tables(call, input, tables, call.has(2) ? call.scalar(2) : 0)};
}

constexpr AttributeDeclaration kSplitAxis[] = {integer("axis", 0)};
constexpr AttributeDeclaration kConcat[] = {{.name = "axis", .type = AttributeType::integer, .required = true}};
constexpr AttributeDeclaration kTranspose[] = {integers("perm")};
constexpr AttributeDeclaration kTrilu[] = {flag("upper", true)};
constexpr AttributeDeclaration kBlocks[] = {required_integer("blocksize", 1, 1 << 15), text("mode", "DCR", "DCR, CRD")};
constexpr AttributeDeclaration kPad[] = {text("mode", "constant", "constant, reflect, edge, wrap")};

constexpr Declaration kIndexingOperators[] = {
    {"Transpose", transpose, 1, "x~", Class::movement, kTranspose},
    {"Concat", concatenate, 1, "x~*", Class::movement, kConcat},
    {"Split", split, 1, "x~ lengths? -> y*", Class::movement, kSplitAxis},
    {"Slice", slice, 1, "x~ starts ends axes? steps?", Class::movement, kNoAttributes, 0,
     "constant starts, ends, axes and steps; moves elements"},
    {"Expand", expand, 8, "x~ shape", Class::movement},
    {"Tile", tile, 1, "x~ repeats", Class::movement},
    {"Trilu", triangle, 14, "x k?", Class::movement, kTrilu},
    {"NonZero", non_zero, 9, "x", Class::client},
    {"DepthToSpace", depth_to_space, 1, "x", Class::movement, kBlocks, kRowWise},
    {"SpaceToDepth", space_to_depth, 1, "x", Class::movement, kBlocks, kRowWise},
    {"Pad", pad, 1, "x pads value?", Class::movement, kPad, 0, "constant pads; moves elements"},
};

}  // namespace

std::span<const Declaration> indexing_operators() { return kIndexingOperators; }

}  // namespace tacit::graph::reference
