#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "graph/reference/operator_call.h"
#include "graph/reference/rounding.h"

namespace tacit::graph::reference {
namespace {

/// Operators that keep the order of the elements and those that make or read shapes.

Tensor of_integers(const std::vector<std::int64_t>& values) {
  return {{static_cast<std::int64_t>(values.size())}, {values.begin(), values.end()}, true};
}

std::vector<Tensor> with_shape(const Call& call, Shape shape) {
  Tensor result = call.input(0);
  if (element_count(shape) != result.size())
    call.refuse(fmt::format("a tensor of shape {} does not fit the shape {}", to_text(result.shape), to_text(shape)));
  result.shape = std::move(shape);
  return {std::move(result)};
}

std::vector<Tensor> identity(const Call& call) { return {call.input(0)}; }

std::vector<Tensor> dropout(const Call& call) {
  if (call.has(2) && call.scalar(2) != 0)
    call.refuse("training mode is not supported; export the model in evaluation mode");
  std::vector<Tensor> results{call.input(0)};
  if (call.wants_output(1)) {
    results.push_back(call.zeros(results[0].shape, true));
    std::fill(results[1].data.begin(), results[1].data.end(), 1.0);
  }
  return results;
}

std::vector<Tensor> reshape(const Call& call) {
  const Shape& from = call.input(0).shape;
  Shape to = call.integers(1);
  const bool zero_is_zero = flag_attribute(call.node, "allowzero");
  std::optional<std::size_t> unknown;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (to[i] == 0 && !zero_is_zero) {
      if (i >= from.size())
        call.refuse(fmt::format("shape {} copies an axis that {} lacks", to_text(to), to_text(from)));
      to[i] = from[i];
    }
    if (to[i] == -1) {
      if (unknown) call.refuse(fmt::format("shape {} leaves two axes open", to_text(to)));
      unknown = i;
    } else if (to[i] < 0) {
      call.refuse(fmt::format("shape {} has a negative extent", to_text(to)));
    }
  }
  if (unknown) {
    to[*unknown] = 1;
    const std::int64_t known = element_count(to), total = call.input(0).size();
    if (known == 0 || total % known != 0)
      call.refuse(
          fmt::format("a tensor of shape {} does not fit the shape {}", to_text(from), to_text(call.integers(1))));
    to[*unknown] = total / known;
  }
  return with_shape(call, std::move(to));
}

std::vector<Tensor> flatten(const Call& call) {
  const Shape& from = call.input(0).shape;
  const auto rank = static_cast<std::int64_t>(from.size());
  std::int64_t axis = integer_attribute(call.node, "axis");
  if (axis < -rank || axis > rank) call.refuse(fmt::format("axis {} is outside a tensor of rank {}", axis, rank));
  if (axis < 0) axis += rank;
  return with_shape(call, {element_count(Shape(from.begin(), from.begin() + axis)),
                           element_count(Shape(from.begin() + axis, from.end()))});
}

std::vector<Tensor> squeeze(const Call& call) {
  const Shape& from = call.input(0).shape;
  std::vector<bool> dropped(from.size());
  if (call.has(1)) {
    for (const std::int64_t axis : call.integers(1)) {
      const std::size_t at = normal_axis(call.node, axis, from.size());
      if (from[at] != 1) call.refuse(fmt::format("axis {} of shape {} is not of extent 1", axis, to_text(from)));
      dropped[at] = true;
    }
  } else {
    for (std::size_t i = 0; i < from.size(); ++i) dropped[i] = from[i] == 1;
  }
  Shape to;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!dropped[i]) to.push_back(from[i]);
  }
  return with_shape(call, std::move(to));
}

std::vector<Tensor> unsqueeze(const Call& call) {
  const Shape& from = call.input(0).shape;
  const std::vector<std::int64_t> axes = call.integers(1);
  const std::size_t rank = from.size() + axes.size();
  std::vector<bool> inserted(rank);
  for (const std::int64_t axis : axes) {
    const std::size_t at = normal_axis(call.node, axis, rank);
    if (inserted[at]) call.refuse(fmt::format("axis {} is inserted twice", axis));
    inserted[at] = true;
  }
  Shape to;
  auto next = from.begin();
  for (std::size_t i = 0; i < rank; ++i) to.push_back(inserted[i] ? 1 : *next++);
  return with_shape(call, std::move(to));
}

std::vector<Tensor> shape_of(const Call& call) {
  const Shape& shape = call.input(0).shape;
  const auto rank = static_cast<std::int64_t>(shape.size());
  const auto bound = [&](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank); };
  const std::int64_t start = bound(integer_attribute(call.node, "start"));
  const std::int64_t end = std::max(start, bound(integer_attribute(call.node, "end", rank)));
  return {of_integers(Shape(shape.begin() + start, shape.begin() + end))};
}

std::vector<Tensor> size_of(const Call& call) {
  return {Tensor{{}, {static_cast<double>(element_count(call.input(0).shape))}, true}};
}

std::vector<Tensor> constant_of_shape(const Call& call) {
  Tensor value{{1}, {0.0}, false};
  if (const auto found = call.node.attributes.find("value"); found != call.node.attributes.end()) {
    const Tensor* stated = std::get_if<Tensor>(&found->second);
    if (stated == nullptr || stated->data.size() != 1) call.refuse("attribute 'value' must hold one element");
    if (!stated->texts.empty()) call.refuse("attribute 'value' holds a text, where a number is needed");
    value = *stated;
  }
  Tensor result = call.zeros(call.integers(0), value.integral);
  std::fill(result.data.begin(), result.data.end(), value.data[0]);
  return {std::move(result)};
}

std::vector<Tensor> range(const Call& call) {
  const double start = call.scalar(0), limit = call.scalar(1), step = call.scalar(2);
  if (step == 0 || !std::isfinite(start) || !std::isfinite(limit) || !std::isfinite(step))
    call.refuse("a range needs finite ends and a step other than zero");
  const FloatFormat format = call.rounding(0);
  const auto rounded = [&](double value) { return call.input(0).integral ? value : round_to(format, value); };
  const double count = std::max(std::ceil(rounded(limit - start) / step), 0.0);
  if (!(count < 0x1p31)) call.refuse("a range has too many elements");
  Tensor result = call.zeros({static_cast<std::int64_t>(count)}, call.input(0).integral);
  for (std::size_t i = 0; i < result.data.size(); ++i)
    result.data[i] = start + rounded(rounded(static_cast<double>(i)) * step);
  return {std::move(result)};
}

constexpr AttributeDeclaration kReshape[] = {flag("allowzero")};
constexpr AttributeDeclaration kFlatten[] = {integer("axis", 1)};
constexpr AttributeDeclaration kShape[] = {{"end", AttributeType::integer}, integer("start", 0)};  // to the last axis
constexpr AttributeDeclaration kDropout[] = {{"seed", AttributeType::integer}};
constexpr AttributeDeclaration kConstantOfShape[] = {{"value", AttributeType::tensor}};  // one element; absent: 0
constexpr std::string_view kVanishes = "vanishes";

constexpr Declaration kShapeOperators[] = {
    {"Identity", identity, 1, "x~", Class::movement, kNoAttributes, kRowWise | kKeepsOrder, kVanishes},
    {"Dropout", dropout, 1, "x ratio? training_mode? -> y mask?", Class::movement, kDropout, kRowWise, kVanishes},
    {"Reshape", reshape, 1, "x~ shape", Class::movement, kReshape, kRowWise | kKeepsOrder},
    {"Flatten", flatten, 1, "x~", Class::movement, kFlatten, kRowWise | kKeepsOrder},
    {"Squeeze", squeeze, 1, "x~ axes?", Class::movement, kNoAttributes, kRowWise | kKeepsOrder},
    {"Unsqueeze", unsqueeze, 1, "x~ axes", Class::movement, kNoAttributes, kRowWise | kKeepsOrder},
    {"Shape", shape_of, 1, "x~", Class::client, kShape},
    {"Size", size_of, 1, "x~", Class::client},
    {"ConstantOfShape", constant_of_shape, 9, "shape", Class::client, kConstantOfShape},
    {"Range", range, 11, "start limit delta", Class::client},
};

}  // namespace

std::span<const Declaration> shape_operators() { return kShapeOperators; }

}  // namespace tacit::graph::reference
