#include "graph/quant/split_inputs.h"

#include <algorithm>
#include <map>

namespace tacit::graph::quant {
namespace {

using passes::Network;
using passes::Private;
using passes::Trees;
using passes::ValueId;

/// True if every feature that these trees read is a function of one element of a private input.
bool follows_from_inputs(const Network& network, const Trees& trees, const ValueRoundings& roundings) {
  std::vector<char> known(static_cast<std::size_t>(trees.ensemble->features), 0);
  for (const Tree& tree : trees.ensemble->trees)
    for (const TreeNode& node : tree) {
      if (node.leaf || known[static_cast<std::size_t>(node.feature)] != 0) continue;
      const auto chain = FeatureChain::of(network, roundings, trees.input, node.feature);
      if (!chain || !chain->input()) return false;
      known[static_cast<std::size_t>(node.feature)] = 1;
    }
  return true;
}

}  // namespace

std::vector<std::size_t> split_shared_inputs(Network& network, const FeatureGrids& grids,
                                             const ValueRoundings& roundings) {
  const std::size_t count = network.values.size();
  std::vector<char> splits(count, 0), copied(count, 0);  // trees that get an input, and the values before them
  std::size_t inputs = 0;
  for (auto id = static_cast<ValueId>(count); id-- > 0;) {
    if (const auto* input = std::get_if<Private>(&network.values[id].operation))
      inputs = std::max(inputs, input->input + 1);
    if (const auto* trees = std::get_if<Trees>(&network.values[id].operation);
        trees != nullptr && !grids.covers(id) && follows_from_inputs(network, *trees, roundings)) {
      splits[id] = 1;
      copied[trees->input] = 1;
    } else if (copied[id] != 0) {
      for (const ValueId operand : passes::operands(network.values[id])) copied[operand] = 1;
    }
  }
  std::vector<std::size_t> origins;
  Network result;
  std::vector<ValueId> names(count, 0), copies(count, 0);
  // Inputs come first, in the order of their positions.
  const auto is_input = [&](ValueId id) { return std::holds_alternative<Private>(network.values[id].operation); };
  for (ValueId id = 0; id < count; ++id)
    if (is_input(id)) names[id] = result.add(network.values[id]);
  for (ValueId id = 0; id < count; ++id) {
    if (!is_input(id) || copied[id] == 0) continue;
    passes::Value copy = network.values[id];
    auto& input = std::get<Private>(copy.operation);
    origins.push_back(input.input);
    input.input = inputs + origins.size() - 1;
    copies[id] = result.add(std::move(copy));
  }
  for (ValueId id = 0; id < count; ++id) {
    if (is_input(id)) continue;
    names[id] = result.add(passes::renamed(network.values[id], splits[id] != 0 ? copies : names));
    if (copied[id] != 0) copies[id] = result.add(passes::renamed(network.values[id], copies));
  }
  for (const ValueId output : network.outputs) result.outputs.push_back(names[output]);
  if (!origins.empty()) network = std::move(result);
  return origins;
}

}  // namespace tacit::graph::quant
