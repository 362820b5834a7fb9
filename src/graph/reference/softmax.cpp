#include <algorithm>
#include <cmath>

#include "graph/reference/operator_call.h"

namespace tacit::graph::reference {
namespace {

/// Calls function(first element, stride, count) for every line along the operator's axis.
template <typename Function>
std::vector<Tensor> along_axis(const Call& call, Function function) {
  Tensor result = call.input(0);
  const std::size_t axis = normal_axis(call.node, integer_attribute(call.node, "axis"), result.shape.size());
  const AxisView view = axis_view(result.shape, axis);
  if (view.extent == 0) return {std::move(result)};
  for (std::int64_t outer = 0; outer < view.outer; ++outer) {
    for (std::int64_t inner = 0; inner < view.inner; ++inner)
      function(result.data.data() + outer * view.extent * view.inner + inner, view.inner, view.extent);
  }
  return {std::move(result)};
}

double largest(const double* line, std::int64_t stride, std::int64_t count) {
  double most = line[0];
  for (std::int64_t i = 1; i < count; ++i) most = std::max(most, line[i * stride]);
  return most;
}

std::vector<Tensor> softmax(const Call& call) {
  return along_axis(call, [](double* line, std::int64_t stride, std::int64_t count) {
    const double most = largest(line, stride, count);
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i) sum += line[i * stride] = std::exp(line[i * stride] - most);
    for (std::int64_t i = 0; i < count; ++i) line[i * stride] /= sum;
  });
}

std::vector<Tensor> log_softmax(const Call& call) {
  return along_axis(call, [](double* line, std::int64_t stride, std::int64_t count) {
    const double most = largest(line, stride, count);
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i) sum += std::exp(line[i * stride] - most);
    const double shift = most + std::log(sum);
    for (std::int64_t i = 0; i < count; ++i) line[i * stride] -= shift;
  });
}

std::vector<Tensor> hardmax(const Call& call) {
  return along_axis(call, [](double* line, std::int64_t stride, std::int64_t count) {
    std::int64_t best = 0;
    for (std::int64_t i = 1; i < count; ++i) {
      if (line[i * stride] > line[best * stride]) best = i;
    }
    for (std::int64_t i = 0; i < count; ++i) line[i * stride] = i == best ? 1 : 0;
  });
}

constexpr AttributeDeclaration kAxis[] = {integer("axis", -1)};

constexpr Declaration kOperators[] = {
    {"Softmax", softmax, 1, "x", Class::client, kAxis, kAlongAxis},
    {"LogSoftmax", log_softmax, 1, "x", Class::client, kAxis, kAlongAxis},
    {"Hardmax", hardmax, 1, "x", Class::client, kAxis, kAlongAxis},
};

}  // namespace

std::span<const Declaration> softmax_operators() { return kOperators; }

}  // namespace tacit::graph::reference
