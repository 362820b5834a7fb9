#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/private_value.h"
#include "graph/integers.h"
#include "graph/reference/gathered.h"
#include "graph/reference/operator_call.h"

namespace tacit::graph::reference {
namespace {

/// Operators that read or write elements at places which an input names.

/// An index into an axis, negative from the end. Refuses the node where it is outside.
std::int64_t checked_index(const Call& call, double value, std::int64_t extent) {
  if (!(value >= static_cast<double>(-extent) && value < static_cast<double>(extent)))
    call.refuse(fmt::format("index {} is outside an axis of extent {}", value, extent));
  const auto index = static_cast<std::int64_t>(value);
  return index < 0 ? index + extent : index;
}

/// True where every index along `axis` may stand beside its own position on the other axes.
bool index_elements(const Shape& indices, const Shape& shape, std::size_t axis) {
  bool fit = indices.size() == shape.size();
  for (std::size_t i = 0; fit && i < shape.size(); ++i) fit = i == axis || indices[i] <= shape[i];
  return fit;
}

/// Calls visit(offset) for every index, in order: that of the element of a tensor of this shape which stands at the
/// index along `axis`, and on the other axes where the index does.
template <typename Visit>
void for_each_element(const Call& call, const Tensor& indices, const Shape& shape, std::size_t axis, Visit visit) {
  const std::vector<std::int64_t> strides = strides_of(shape);
  std::vector<std::int64_t> position(shape.size(), 0);
  for (const double index : indices.data) {
    std::int64_t at = 0;
    for (std::size_t i = 0; i < position.size(); ++i)
      at += strides[i] * (i == axis ? checked_index(call, index, shape[i]) : position[i]);
    visit(static_cast<std::size_t>(at));
    for (std::size_t i = position.size(); i-- > 0;) {
      if (++position[i] < indices.shape[i]) break;
      position[i] = 0;
    }
  }
}

std::vector<Tensor> gather_along(const Call& call, std::size_t axis) {
  const Tensor &input = call.input(0), &indices = call.input(1);
  const AxisView view = axis_view(input.shape, axis);
  const auto split_at = input.shape.begin() + static_cast<std::ptrdiff_t>(axis);
  Shape shape(input.shape.begin(), split_at);
  shape.insert(shape.end(), indices.shape.begin(), indices.shape.end());
  shape.insert(shape.end(), split_at + 1, input.shape.end());
  Tensor result = call.zeros(std::move(shape), input.integral);
  result.texts = input.texts;
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
  const std::int64_t axis = integer_attribute(call.node, "axis");
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
  const std::size_t axis = normal_axis(call.node, integer_attribute(call.node, "axis"), input.shape.size());
  if (!index_elements(indices.shape, input.shape, axis))
    call.refuse(fmt::format("indices of shape {} do not fit an input of shape {}", to_text(indices.shape),
                            to_text(input.shape)));
  Tensor result = call.zeros(indices.shape, input.integral);
  result.texts = input.texts;
  double* out = result.data.data();
  for_each_element(call, indices, input.shape, axis, [&](std::size_t at) { *out++ = input.data[at]; });
  return {std::move(result)};
}

/// Every row of the indices' last axis names a slice of the input, behind `batch_dims` axes that both share.
std::vector<Tensor> gather_slices(const Call& call) {
  const Tensor &input = call.input(0), &indices = call.input(1);
  const std::int64_t shared = integer_attribute(call.node, "batch_dims");
  const auto least_rank = static_cast<std::int64_t>(std::min(input.shape.size(), indices.shape.size()));
  if (shared < 0 || shared >= least_rank)
    call.refuse(fmt::format("batch_dims {} is outside [0, {})", shared, least_rank));
  const auto batch_axes = static_cast<std::size_t>(shared);
  const auto tuple = indices.shape.back();
  const auto room = static_cast<std::int64_t>(input.shape.size() - batch_axes);
  const bool same = std::equal(input.shape.begin(), input.shape.begin() + shared, indices.shape.begin());
  if (!same || tuple < 1 || tuple > room)
    call.refuse(fmt::format("indices of shape {} with {} shared axes do not fit an input of shape {}",
                            to_text(indices.shape), shared, to_text(input.shape)));
  const std::size_t first_kept = batch_axes + static_cast<std::size_t>(tuple);
  Shape shape(indices.shape.begin(), indices.shape.end() - 1);
  shape.insert(shape.end(), input.shape.begin() + static_cast<std::ptrdiff_t>(first_kept), input.shape.end());
  Tensor result = call.zeros(std::move(shape), input.integral);
  result.texts = input.texts;
  if (result.data.empty()) return {std::move(result)};
  const std::vector<std::int64_t> strides = strides_of(input.shape);
  const std::int64_t slice = strides[first_kept - 1];
  const std::int64_t batch = element_count(Shape(indices.shape.begin(), indices.shape.begin() + shared));
  const std::int64_t tuples = indices.size() / tuple, per_batch = tuples / batch, batch_stride = input.size() / batch;
  double* out = result.data.data();
  for (std::int64_t k = 0; k < tuples; ++k) {
    std::int64_t from = k / per_batch * batch_stride;
    for (std::int64_t i = 0; i < tuple; ++i) {
      const std::size_t axis = batch_axes + static_cast<std::size_t>(i);
      const double index = indices.data[static_cast<std::size_t>(k * tuple + i)];
      from += checked_index(call, index, input.shape[axis]) * strides[axis];
    }
    out = std::copy_n(input.data.data() + from, slice, out);
  }
  return {std::move(result)};
}

/// Keeps the slices, or without an axis the elements, whose condition holds. A condition may be shorter than the axis.
std::vector<Tensor> compress(const Call& call) {
  Tensor input = call.input(0);
  std::size_t axis = 0;
  if (has_attribute(call.node, "axis")) {
    axis = normal_axis(call.node, integer_attribute(call.node, "axis"), input.shape.size());
  } else {
    input.shape = {input.size()};
  }
  const Tensor& condition = call.input(1);
  if (condition.shape.size() != 1 || condition.size() > input.shape[axis])
    call.refuse(fmt::format("a condition of shape {} does not fit an axis of extent {}", to_text(condition.shape),
                            input.shape[axis]));
  IndexTables tables = identity_tables(input.shape);
  tables[axis].clear();
  for (std::size_t i = 0; i < condition.data.size(); ++i) {
    if (condition.data[i] != 0) tables[axis].push_back(static_cast<std::int64_t>(i));
  }
  return {by_tables(call, input, tables)};
}

using Write = std::function<double(double, double)>;

/// What happens to the element that an update meets. Integers wrap around in their type.
Write write_of(const Call& call) {
  const std::string name = text_attribute(call.node, "reduction");
  if (name == "none") return [](double, double update) { return update; };
  if (call.input(0).integral && (name == "add" || name == "mul"))
    return [&call, adds = name == "add"](double old, double update) {
      const std::uint64_t a = bits_of(old), b = bits_of(update);
      const double result = wrapped(adds ? a + b : a * b, call.integer_type(0));
      if (std::abs(result) == kLostInteger) call.refuse("an integer that it makes is beyond 2^53");
      return result;
    };
  if (name == "add") return [](double old, double update) { return old + update; };
  if (name == "mul") return [](double old, double update) { return old * update; };
  if (name == "max") return [](double old, double update) { return std::max(old, update); };
  return [](double old, double update) { return std::min(old, update); };
}

std::vector<Tensor> scatter_elements(const Call& call) {
  Tensor result = call.input(0);
  const Tensor &indices = call.input(1), &updates = call.input(2);
  const std::size_t axis = normal_axis(call.node, integer_attribute(call.node, "axis"), result.shape.size());
  if (indices.shape != updates.shape || !index_elements(indices.shape, result.shape, axis))
    call.refuse(fmt::format("indices of shape {} and updates of shape {} do not fit an input of shape {}",
                            to_text(indices.shape), to_text(updates.shape), to_text(result.shape)));
  const Write write = write_of(call);
  const double* update = updates.data.data();
  for_each_element(call, indices, result.shape, axis,
                   [&](std::size_t at) { result.data[at] = write(result.data[at], *update++); });
  return {std::move(result)};
}

/// Every row of the indices' last axis names the slice that an update goes to.
std::vector<Tensor> scatter_slices(const Call& call) {
  Tensor result = call.input(0);
  const Tensor &indices = call.input(1), &updates = call.input(2);
  const auto rank = static_cast<std::int64_t>(result.shape.size());
  if (indices.shape.empty() || indices.shape.back() < 1 || indices.shape.back() > rank)
    call.refuse(fmt::format("indices of shape {} do not fit an input of shape {}", to_text(indices.shape),
                            to_text(result.shape)));
  const std::int64_t tuple = indices.shape.back();
  Shape expected(indices.shape.begin(), indices.shape.end() - 1);
  expected.insert(expected.end(), result.shape.begin() + tuple, result.shape.end());
  if (updates.shape != expected)
    call.refuse(fmt::format("updates of shape {} do not fit: {} is needed", to_text(updates.shape), to_text(expected)));
  const Write write = write_of(call);
  if (updates.data.empty()) return {std::move(result)};
  const std::vector<std::int64_t> strides = strides_of(result.shape);
  const std::int64_t slice = strides[static_cast<std::size_t>(tuple - 1)];
  for (std::int64_t k = 0; k < indices.size() / tuple; ++k) {
    std::int64_t to = 0;
    for (std::int64_t i = 0; i < tuple; ++i) {
      const auto axis = static_cast<std::size_t>(i);
      const double index = indices.data[static_cast<std::size_t>(k * tuple + i)];
      to += checked_index(call, index, result.shape[axis]) * strides[axis];
    }
    for (std::int64_t i = 0; i < slice; ++i) {
      double& element = result.data[static_cast<std::size_t>(to + i)];
      element = write(element, updates.data[static_cast<std::size_t>(k * slice + i)]);
    }
  }
  return {std::move(result)};
}

/// A new axis of extent `depth` with the second value at the index and the first elsewhere, or everywhere for an index
/// outside [-depth, depth).
std::vector<Tensor> one_hot(const Call& call) {
  constexpr double kMostDepth = 0x1p28;
  const Tensor &indices = call.input(0), &values = call.input(2);
  const double depth = std::trunc(call.scalar(1));
  if (!(depth >= 0 && depth <= kMostDepth)) call.refuse(fmt::format("depth {} is outside [0, 2^28]", depth));
  if (values.size() != 2) call.refuse("its values must be two: off and on");
  const std::size_t axis = normal_axis(call.node, integer_attribute(call.node, "axis"), indices.shape.size() + 1);
  Shape shape = indices.shape;
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), static_cast<std::int64_t>(depth));
  Tensor result = call.zeros(std::move(shape), values.integral);
  std::fill(result.data.begin(), result.data.end(), values.data[0]);
  const AxisView view = axis_view(result.shape, axis);
  for (std::int64_t outer = 0; outer < view.outer; ++outer) {
    for (std::int64_t inner = 0; inner < view.inner; ++inner) {
      double index = std::trunc(indices.data[static_cast<std::size_t>(outer * view.inner + inner)]);
      if (index < 0) index += depth;
      if (!(index >= 0 && index < depth)) continue;
      const std::int64_t at = (outer * view.extent + static_cast<std::int64_t>(index)) * view.inner + inner;
      result.data[static_cast<std::size_t>(at)] = values.data[1];
    }
  }
  return {std::move(result)};
}

/// For every index a row of zeros with a one at the index; negative ones count from the end. Unlike OneHot, it refuses
/// an index outside the rows, which has no meaning in a table.
std::vector<Tensor> index_rows(const Call& call) {
  const Tensor& indices = call.input(0);
  const std::int64_t rows = integer_attribute(call.node, "rows");
  Tensor result = call.zeros({indices.size(), rows});
  for (std::size_t i = 0; i < indices.data.size(); ++i) {
    const double index = indices.data[i];
    if (!(index >= static_cast<double>(-rows) && index < static_cast<double>(rows)))
      call.refuse(fmt::format("index {} of the input is {}, and the table has {} rows: indices from {} to {} are in it",
                              i, base::private_value(index), rows, -rows, rows - 1));
    const auto at = static_cast<std::int64_t>(index) + (index < 0 ? rows : 0);
    result.data[i * static_cast<std::size_t>(rows) + static_cast<std::size_t>(at)] = 1;
  }
  return {std::move(result)};
}

constexpr AttributeDeclaration kIndexRows[] = {required_integer("rows", 1, kLargestExtent)};
constexpr AttributeDeclaration kFirstAxis[] = {integer("axis", 0)};
constexpr AttributeDeclaration kBatches[] = {integer("batch_dims", 0)};
constexpr AttributeDeclaration kCompress[] = {{"axis", AttributeType::integer}};  // absent: of the flattened input
constexpr AttributeDeclaration kScatter[] = {text("reduction", "none", "none, add, mul, max, min"), kFirstAxis[0]};
constexpr AttributeDeclaration kOneHot[] = {integer("axis", -1)};
constexpr std::string_view kPicks = "constant indices; moves elements";

constexpr Declaration kGatherScatterOperators[] = {
    {"Gather", gather, 1, "x~ indices", Class::movement, kFirstAxis, kLookup, kPicks},
    {"GatherElements", gather_elements, 11, "x~ indices", Class::client, kFirstAxis, kLookup},
    {"GatherND", gather_slices, 11, "x~ indices", Class::movement, kBatches, kLookup, kPicks},
    {"Compress", compress, 9, "x~ condition", Class::client, kCompress},
    {"ai.onnx.ml.ArrayFeatureExtractor", extract_features, 1, "x~ indices", Class::movement, kNoAttributes, kLookup,
     kPicks},
    {"ScatterElements", scatter_elements, 11, "x indices updates", Class::client, kScatter},
    {"ScatterND", scatter_slices, 11, "x indices updates", Class::client, std::span(kScatter).first(1)},
    {"OneHot", one_hot, 9, "indices depth values", Class::client, kOneHot, kByRunning},
    {"tacit.IndexRows", index_rows, 0, "indices", Class::client, kIndexRows},
};

}  // namespace

std::span<const Declaration> gather_scatter_operators() { return kGatherScatterOperators; }

}  // namespace tacit::graph::reference
