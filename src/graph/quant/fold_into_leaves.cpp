#include "graph/quant/fold_into_leaves.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace tacit::graph::quant {
namespace {

using passes::Affine;
using passes::Network;
using passes::Trees;
using passes::Value;
using passes::ValueId;

/// Returns the ensemble whose scores are the sum of this ensemble's scores.
TreeEnsemble after_sum(const TreeEnsemble& ensemble, const Affine& sum, layout::Index scores) {
  TreeEnsemble result = ensemble;
  const layout::LinearOperator& op = *sum.terms[0].op;
  result.base = sum.bias.expanded(scores);
  op.apply(ensemble.base, result.base, 1);
  for (Tree& tree : result.trees)
    for (TreeNode& node : tree) {
      if (!node.leaf) continue;
      std::vector<double> weights(ensemble.base.size(), 0.0), made(result.base.size(), 0.0);
      for (const auto& [target, weight] : node.weights) weights[target] += weight;
      op.apply(weights, made, 1);
      node.weights.clear();
      for (std::size_t target = 0; target < made.size(); ++target)
        if (made[target] != 0) node.weights.emplace_back(target, made[target]);
    }
  return result;
}

/// Returns the trees that a sum reads, if the sum can be folded into their leaves.
std::optional<ValueId> foldable(const Network& network, ValueId id, const std::vector<int>& uses) {
  constexpr layout::Index kMostScores = 4;  // new scores per existing score
  if (uses[id] != 1 || std::ranges::find(network.outputs, id) == network.outputs.end()) return std::nullopt;
  const Value& value = network.values[id];
  const auto* sum = std::get_if<Affine>(&value.operation);
  if (sum == nullptr || sum->terms.size() != 1) return std::nullopt;
  const ValueId read = sum->terms[0].input;
  const auto* trees = std::get_if<Trees>(&network.values[read].operation);
  if (trees == nullptr || uses[read] != 1) return std::nullopt;
  const auto scores = static_cast<layout::Index>(trees->ensemble->targets());
  if (layout::element_count(value.shape) > kMostScores * scores) return std::nullopt;
  return read;
}

}  // namespace

Network fold_into_leaves(const Network& network) {
  const std::vector<int> uses = network.uses();
  std::map<ValueId, ValueId> trees_of;  // by sum
  std::vector<char> dropped(network.values.size(), 0);
  for (ValueId id = 0; id < network.values.size(); ++id)
    if (const std::optional<ValueId> trees = foldable(network, id, uses)) {
      trees_of[id] = *trees;
      dropped[*trees] = 1;
    }
  if (trees_of.empty()) return network;
  Network result;
  std::vector<ValueId> names(network.values.size(), 0);
  for (ValueId id = 0; id < network.values.size(); ++id) {
    if (dropped[id] != 0) continue;
    const auto found = trees_of.find(id);
    if (found == trees_of.end()) {
      names[id] = result.add(passes::renamed(network.values[id], names));
      continue;
    }
    Value value = network.values[id];
    const auto& trees = std::get<Trees>(network.values[found->second].operation);
    const auto& sum = std::get<Affine>(network.values[id].operation);
    auto ensemble =
        std::make_shared<const TreeEnsemble>(after_sum(*trees.ensemble, sum, layout::element_count(value.shape)));
    value.operation = Trees{names[trees.input], std::move(ensemble)};
    names[id] = result.add(std::move(value));
  }
  for (const ValueId output : network.outputs) result.outputs.push_back(names[output]);
  return result;
}

}  // namespace tacit::graph::quant
