#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "graph/reference/operator_call.h"

namespace tacit::graph::reference {
namespace {

/// The k largest or smallest elements along an axis, best first, whether the node asks for order or not. Of equal
/// elements the one with the lower index comes first; NaN comes last.
std::vector<Tensor> top_k(const Call& call) {
  const Tensor& input = call.input(0);
  const std::size_t axis = normal_axis(call.node, integer_attribute(call.node, "axis"), input.shape.size());
  const bool largest = flag_attribute(call.node, "largest");
  const AxisView view = axis_view(input.shape, axis);
  const double wanted = call.scalar(1);
  if (!(wanted >= 0 && wanted <= static_cast<double>(view.extent)))
    call.refuse(fmt::format("K is {}, outside [0, {}], the extent of its axis", wanted, view.extent));
  const auto k = static_cast<std::int64_t>(wanted);
  Shape shape = input.shape;
  shape[axis] = k;
  Tensor values = call.zeros(shape, input.integral), indices = call.zeros(shape, true);
  if (values.data.empty()) return {std::move(values), std::move(indices)};
  std::vector<std::int64_t> order(static_cast<std::size_t>(view.extent));
  for (std::int64_t outer = 0; outer < view.outer; ++outer) {
    for (std::int64_t inner = 0; inner < view.inner; ++inner) {
      const double* line = input.data.data() + outer * view.extent * view.inner + inner;
      std::iota(order.begin(), order.end(), 0);
      std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](std::int64_t left, std::int64_t right) {
        const double a = line[left * view.inner], b = line[right * view.inner];
        if (std::isnan(a) || std::isnan(b)) return std::isnan(a) == std::isnan(b) ? left < right : std::isnan(b);
        if (a == b) return left < right;
        return largest ? a > b : a < b;
      });
      for (std::int64_t i = 0; i < k; ++i) {
        const auto at = static_cast<std::size_t>((outer * k + i) * view.inner + inner);
        indices.data[at] = static_cast<double>(order[static_cast<std::size_t>(i)]);
        values.data[at] = line[order[static_cast<std::size_t>(i)] * view.inner];
      }
    }
  }
  return {std::move(values), std::move(indices)};
}

constexpr AttributeDeclaration kTopK[] = {integer("axis", -1), flag("largest", true), flag("sorted", true)};

constexpr Declaration kOperators[] = {
    {"TopK", top_k, 1, "x k -> values indices", Class::client, kTopK, kAlongAxis},
};

}  // namespace

std::span<const Declaration> sorting_operators() { return kOperators; }

}  // namespace tacit::graph::reference
