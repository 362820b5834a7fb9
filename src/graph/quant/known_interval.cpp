#include "graph/quant/known_interval.h"

#include <algorithm>
#include <span>
#include <vector>

#include "graph/declaration.h"
#include "graph/integers.h"
#include "graph/links.h"

namespace tacit::graph::quant {
namespace {

using Interval = std::pair<double, double>;

/// Returns the interval of the integers of a type, if there are few enough for an input to hold them one by one.
std::optional<Interval> interval_of(IntegerType type) {
  constexpr double kMost = 65536;
  const IntegerRange range = range_of(type);
  return range.highest - range.lowest < kMost ? std::optional(Interval{range.lowest, range.highest}) : std::nullopt;
}

/// Returns an interval that a tensor of the client cannot leave before encryption: a Clip saturates it, or its type
/// ends there.
std::optional<Interval> saturated(const Graph& before, TensorId id) {
  const Links links(before);
  while (const std::optional<std::size_t> maker = links.makers[id]) {
    const Node& node = before.nodes[*maker];
    const auto bound = [&](std::size_t i) {
      return i < node.inputs.size() && node.inputs[i] != kNoTensor && before.is_constant(node.inputs[i])
                 ? before.constant(node.inputs[i]).data
                 : std::vector<double>{};
    };
    if (node.op == "Clip" && bound(1).size() == 1 && bound(2).size() == 1 && bound(1) <= bound(2))
      return Interval{bound(1)[0], bound(2)[0]};
    if (!has_trait(node.op, kKeepsOrder) && node.op != "Transpose") return std::nullopt;
    id = node.inputs[0];
  }
  const TensorInfo& info = before.tensors[id];
  return info.integral ? interval_of(info.integers) : std::nullopt;
}

}  // namespace

std::optional<Interval> known_interval(const ClientParts& client, const std::optional<Interval>& inputs) {
  if (inputs && only_moves(client)) return inputs;
  const Graph& before = client.before;
  std::optional<Interval> all;
  for (const TensorId id : std::span(before.outputs).first(before.outputs.size() - client.kept)) {
    const std::optional<Interval> one = saturated(before, id);
    if (!one) return std::nullopt;
    all = all ? Interval{std::min(all->first, one->first), std::max(all->second, one->second)} : *one;
  }
  return all;
}

}  // namespace tacit::graph::quant
