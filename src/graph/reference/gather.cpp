#include <fmt/format.h>

#include <algorithm>

#include "graph/reference/gathered.h"
#include "graph/reference/operator_call.h"

namespace tacit::graph::reference {
namespace {

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
  bool fits = indices.shape.size() == input.shape.size();
  for (std::size_t i = 0; fits && i < input.shape.size(); ++i) fits = i == axis || indices.shape[i] <= input.shape[i];
  if (!fits)
    call.refuse(fmt::format("indices of shape {} do not fit an input of shape {}", to_text(indices.shape),
                            to_text(input.shape)));
  const std::vector<std::int64_t> strides = strides_of(input.shape);
  std::size_t next = 0;
  return {gathered(call, input, indices.shape, 0, [&](const std::vector<std::int64_t>& position) {
    std::int64_t at = 0;
    for (std::size_t i = 0; i < position.size(); ++i)
      at += strides[i] * (i == axis ? checked_index(call, indices.data[next], input.shape[i]) : position[i]);
    ++next;
    return at;
  })};
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

constexpr AttributeDeclaration kAxis[] = {integer("axis", 0)};
constexpr AttributeDeclaration kBatches[] = {integer("batch_dims", 0)};
constexpr AttributeDeclaration kCompress[] = {{"axis", AttributeType::integer}};  // absent: of the flattened input
constexpr std::string_view kPicks = "constant indices; moves elements";

constexpr Declaration kOperators[] = {
    {"Gather", gather, 1, "x~ indices", Class::movement, kAxis, kLookup, kPicks},
    {"GatherElements", gather_elements, 11, "x~ indices", Class::client, kAxis, kLookup},
    {"GatherND", gather_slices, 11, "x~ indices", Class::movement, kBatches, kLookup, kPicks},
    {"Compress", compress, 9, "x~ condition", Class::client, kCompress},
    {"ai.onnx.ml.ArrayFeatureExtractor", extract_features, 1, "x~ indices", Class::movement, kNoAttributes, kLookup,
     kPicks},
};

}  // namespace

std::span<const Declaration> gather_operators() { return kOperators; }

}  // namespace tacit::graph::reference
