#include "graph/slots/sharding_places.h"

#include <algorithm>

#include "graph/passes/operator_kind.h"
#include "layout/sharding/carried.h"
#include "layout/sharding/operator_rules.h"

namespace tacit::graph::passes {
namespace {

// True if a tensor in one block says nothing about the tensor on the other side of an operator: the operator adds up or
// slides a window.
bool says_nothing(const layout::ShardingRule& rule, const layout::ArraySharding& sharding) {
  using Role = layout::ShardingFactor::Role;
  if (sharding.is_split()) return false;
  return std::ranges::any_of(
             rule.factors(),
             [](const layout::ShardingFactor& factor) { return factor.role == Role::reduced && factor.extent > 1; }) ||
         std::ranges::any_of(rule.inputs(), [](const layout::ShardingOperand& operand) {
           return std::ranges::any_of(operand, [](const layout::ShardingDim& dim) { return dim.halo.has_value(); });
         });
}

}  // namespace

bool is_encrypted(const Graph& graph, TensorId id) { return id != kNoTensor && !graph.is_constant(id); }

ShardingPlaces::ShardingPlaces(const Network& network, const Graph& graph, const ShardingAnalysis& analysis)
    : network_(network), graph_(graph), analysis_(analysis), links_(graph) {
  for (ValueId id = 0; id < network.values.size(); ++id)
    if (network.values[id].tensor != kNoTensor) values_[network.values[id].tensor].push_back(id);
}

std::optional<ShardingPlace> ShardingPlaces::here(TensorId tensor, const layout::ArraySharding& sharding) const {
  const auto found = values_.find(tensor);
  if (found == values_.end()) return std::nullopt;
  const Shape &shape = graph_.tensors[tensor].shape, &held = network_.values[found->second.front()].shape;
  if (shape == held) return ShardingPlace{found->second, sharding};
  // Functions and products hold their tensor in the shape of their operand.
  const base::Feasible<layout::ShardingRule> rule = layout::reshape_rule(shape, held);
  const auto reshaped = rule ? layout::carried_forward(*rule, 0, 0, sharding) : std::nullopt;
  return reshaped ? std::optional(ShardingPlace{found->second, *reshaped}) : std::nullopt;
}

std::optional<ShardingPlace> ShardingPlaces::of_input(TensorId tensor, const layout::ArraySharding& sharding) const {
  if (values_.contains(tensor)) return here(tensor, sharding);
  if (!links_.makers[tensor]) return std::nullopt;
  const Node& node = graph_.nodes[*links_.makers[tensor]];
  const std::optional<layout::ShardingRule>& rule = analysis_.rules[*links_.makers[tensor]];
  if (!rule || says_nothing(*rule, sharding)) return std::nullopt;
  const std::vector<std::size_t> encrypted = private_inputs(graph_, node);
  if (encrypted.size() != 1) return std::nullopt;  // each operand of a sum would need these blocks
  const auto before = layout::carried_back(*rule, 0, encrypted.front(), sharding);
  return before ? of_input(node.inputs[encrypted.front()], *before) : std::nullopt;
}

std::optional<ShardingPlace> ShardingPlaces::of_output(TensorId tensor, const layout::ArraySharding& sharding) const {
  if (values_.contains(tensor)) return here(tensor, sharding);
  if (links_.readers[tensor].size() != 1) return std::nullopt;
  const std::size_t reader = links_.readers[tensor].front();
  const Node& node = graph_.nodes[reader];
  const std::optional<layout::ShardingRule>& rule = analysis_.rules[reader];
  if (!rule || says_nothing(*rule, sharding)) return std::nullopt;
  const auto input = static_cast<std::size_t>(std::ranges::find(node.inputs, tensor) - node.inputs.begin());
  const auto after = layout::carried_forward(*rule, input, 0, sharding);
  return after ? of_output(node.outputs.at(0), *after) : std::nullopt;
}

}  // namespace tacit::graph::passes
