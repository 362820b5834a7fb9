#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "graph/integers.h"
#include "graph/reference/gathered.h"
#include "graph/reference/operator_call.h"

namespace tacit::graph::reference {
namespace {

/// Operators that write elements to places that an input names.

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
  bool fits = indices.shape == updates.shape && indices.shape.size() == result.shape.size();
  for (std::size_t i = 0; fits && i < result.shape.size(); ++i) fits = i == axis || indices.shape[i] <= result.shape[i];
  if (!fits)
    call.refuse(fmt::format("indices of shape {} and updates of shape {} do not fit an input of shape {}",
                            to_text(indices.shape), to_text(updates.shape), to_text(result.shape)));
  const Write write = write_of(call);
  const std::vector<std::int64_t> strides = strides_of(result.shape);
  std::vector<std::int64_t> position(result.shape.size(), 0);
  for (std::size_t k = 0; k < indices.data.size(); ++k) {
    std::int64_t at = 0;
    for (std::size_t i = 0; i < position.size(); ++i)
      at += strides[i] * (i == axis ? checked_index(call, indices.data[k], result.shape[i]) : position[i]);
    double& element = result.data[static_cast<std::size_t>(at)];
    element = write(element, updates.data[k]);
    for (std::size_t i = position.size(); i-- > 0;) {
      if (++position[i] < indices.shape[i]) break;
      position[i] = 0;
    }
  }
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

constexpr AttributeDeclaration kScatter[] = {text("reduction", "none", "none, add, mul, max, min"), integer("axis", 0)};
constexpr AttributeDeclaration kOneHot[] = {integer("axis", -1)};

constexpr Declaration kOperators[] = {
    {"ScatterElements", scatter_elements, 11, "x indices updates", Class::client, kScatter},
    {"ScatterND", scatter_slices, 11, "x indices updates", Class::client, std::span(kScatter).first(1)},
    {"OneHot", one_hot, 9, "indices depth values", Class::client, kOneHot, kByRunning},
};

}  // namespace

std::span<const Declaration> scatter_operators() { return kOperators; }

}  // namespace tacit::graph::reference
