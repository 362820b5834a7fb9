#include "graph/owned_inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"
#include "graph/prune.h"

namespace tacit::graph {
namespace {

std::string quoted(const std::vector<std::string>& names) { return fmt::format("'{}'", fmt::join(names, "', '")); }

std::vector<std::string> input_names(const Graph& before) {
  std::vector<std::string> names;
  for (const TensorId id : before.inputs) names.push_back(before.tensors[id].name);
  return names;
}

/// Returns the inputs of the model with these names, in their order.
std::vector<TensorId> inputs_named(const Graph& before, std::span<const std::string> names) {
  std::vector<TensorId> inputs;
  for (const std::string& name : names) {
    const auto found =
        std::ranges::find_if(before.inputs, [&](TensorId id) { return before.tensors[id].name == name; });
    if (found == before.inputs.end())
      base::refuse("the model has no input '{}'; name one of its inputs {}", name, quoted(input_names(before)));
    if (std::ranges::find(inputs, *found) != inputs.end())
      base::refuse("input '{}' is named twice; name every input once", name);
    inputs.push_back(*found);
  }
  return inputs;
}

}  // namespace

std::vector<std::vector<std::string>> origins_of_encrypted(const ClientParts& parts) {
  const Graph& before = parts.before;
  std::vector<std::set<std::size_t>> origins(before.tensors.size());
  for (std::size_t i = 0; i < before.inputs.size(); ++i) origins[before.inputs[i]].insert(i);
  for (const Node& node : before.nodes)
    for (const TensorId made : node.outputs)
      for (const TensorId read : node.inputs)
        if (made != kNoTensor && read != kNoTensor) origins[made].insert(origins[read].begin(), origins[read].end());
  std::vector<std::vector<std::string>> names(before.outputs.size() - parts.kept);
  for (std::size_t i = 0; i < names.size(); ++i)
    for (const std::size_t input : origins[before.outputs[i]])
      names[i].push_back(before.tensors[before.inputs[input]].name);
  return names;
}

OwnedInputs owned_inputs(const ClientParts& parts, std::span<const std::string> names) {
  const Graph& before = parts.before;
  const std::vector<TensorId> inputs = inputs_named(before, names);
  if (parts.kept > 0)
    base::refuse(
        "the model returns inputs unchanged ({}), so one owner must encrypt all of them; encrypt without --only",
        quoted(kept_outputs(parts)));
  OwnedInputs owned{.parts = parts, .encrypted = {}};
  std::set<std::string> used;
  const auto given = [&](const std::string& name) { return std::ranges::find(names, name) != names.end(); };
  const std::vector<std::vector<std::string>> origins = origins_of_encrypted(parts);
  for (std::size_t i = 0; i < origins.size(); ++i) {
    if (std::ranges::none_of(origins[i], given)) continue;
    if (!std::ranges::all_of(origins[i], given))
      base::refuse(
          "the client computes tensor '{}' from the inputs {} before it encrypts, so one owner must have them: give "
          "all of them with --only, or compile with --client-before off",
          before.tensors[before.outputs[i]].name, quoted(origins[i]));
    used.insert(origins[i].begin(), origins[i].end());
    owned.encrypted.push_back(i);
  }
  for (const std::string& name : names)
    if (!used.contains(name))
      base::refuse("nothing that is encrypted depends on input '{}'; leave it out, no owner needs to give it", name);
  Graph& own = owned.parts.before;
  own.inputs = inputs;
  own.outputs.clear();
  for (const std::size_t i : owned.encrypted) own.outputs.push_back(before.outputs[i]);
  own = prune(std::move(own));
  std::erase_if(owned.parts.nodes, [&](const ClientNode& node) {
    return node.before && std::ranges::find(own.nodes, node.name, &Node::name) == own.nodes.end();
  });
  return owned;
}

}  // namespace tacit::graph
