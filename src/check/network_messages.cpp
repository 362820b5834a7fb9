#include "check/network_messages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.h"
#include "base/wipe.h"
#include "graph/attribute.h"
#include "graph/reference/run.h"

namespace tacit::check {

using graph::kNoTensor;
using graph::Node;
using graph::Tensor;
using graph::TensorId;

NetworkMessages::NetworkMessages(const graph::Graph& graph) : graph_(graph), links_(graph) {
  for (TensorId t = 0; t < graph.tensors.size(); ++t) ids_.emplace(graph.tensors[t].name, t);
}

TensorId NetworkMessages::id(const std::string& name) const {
  const auto found = ids_.find(name);
  if (found == ids_.end()) base::refuse("the model has no tensor '{}' to validate against", name);
  return found->second;
}

NetworkMessages::Between NetworkMessages::between(TensorId wanted, const std::vector<TensorId>& known) const {
  std::set<std::size_t> nodes;
  std::optional<TensorId> missing;
  std::vector<TensorId> pending{wanted};
  while (!pending.empty()) {
    const TensorId tensor = pending.back();
    pending.pop_back();
    if (tensor == kNoTensor || graph_.is_constant(tensor) ||
        std::find(known.begin(), known.end(), tensor) != known.end())
      continue;
    const std::optional<std::size_t> maker = links_.makers[tensor];
    if (!maker) {
      if (!missing) missing = tensor;
      continue;
    }
    if (!nodes.insert(*maker).second) continue;
    const Node& node = graph_.nodes[*maker];
    pending.insert(pending.end(), node.inputs.begin(), node.inputs.end());
  }
  if (!missing) return {{nodes.begin(), nodes.end()}, {}};
  // What does not follow from the known tensors may be left out further on, as a Gather leaves elements out.
  std::set<TensorId> reached(known.begin(), known.end()), made;  // by a node that reads a known tensor; by any node
  Between result;
  for (const std::size_t n : nodes) {
    const Node& node = graph_.nodes[n];
    const auto is_made = [&](TensorId id) {
      return id == kNoTensor || graph_.is_constant(id) || made.contains(id) || reached.contains(id);
    };
    const bool reads = std::ranges::any_of(node.inputs, [&](TensorId id) { return reached.contains(id); });
    if (!reads && !std::ranges::all_of(node.inputs, is_made)) continue;
    for (const TensorId id : node.inputs)
      if (!is_made(id)) result.unmade.insert(id);
    (reads ? reached : made).insert(node.outputs.begin(), node.outputs.end());
    result.nodes.push_back(n);
  }
  for (const TensorId id : result.unmade)
    if (graph_.tensors[id].integral || graph_.tensors[id].text) refuse_dependence(wanted, *missing);
  if (!reached.contains(wanted)) refuse_dependence(wanted, *missing);
  return result;
}

void NetworkMessages::refuse_dependence(TensorId wanted, TensorId on) const {
  base::refuse("tensor '{}' depends on '{}', which its operands do not make", graph_.tensors[wanted].name,
               graph_.tensors[on].name);
}

std::vector<double> NetworkMessages::operator()(const std::string& name, std::span<const KnownTensor> known) const {
  const TensorId wanted = id(name);
  std::size_t samples = 1;
  if (!known.empty())
    samples = known.front().elements->size() /
              static_cast<std::size_t>(std::max<std::int64_t>(graph::element_count(shape(known.front().name)), 1));
  std::vector<double> result;
  for (std::size_t sample = 0; sample < samples; ++sample) {
    std::map<TensorId, Tensor> values;
    for (const KnownTensor& tensor : known) {
      const graph::Shape& of_one = shape(tensor.name);
      const auto size = static_cast<std::size_t>(graph::element_count(of_one));
      if (tensor.elements->size() != size * samples)
        base::refuse("tensor '{}' has shape {} and {} elements were decrypted for {} samples", tensor.name,
                     graph::to_text(of_one), tensor.elements->size(), samples);
      const auto begin = tensor.elements->begin() + static_cast<std::ptrdiff_t>(sample * size);
      values.insert_or_assign(id(tensor.name),
                              Tensor{of_one, {begin, begin + static_cast<std::ptrdiff_t>(size)}, false});
    }
    std::vector<double> one = message(wanted, std::move(values));
    result.insert(result.end(), one.begin(), one.end());
    base::wipe(one);
  }
  return result;
}

const graph::Shape& NetworkMessages::shape(const std::string& name) const { return graph_.tensors[id(name)].shape; }

std::vector<double> NetworkMessages::message(TensorId wanted, std::map<TensorId, Tensor> values) const {
  std::vector<TensorId> known;
  for (const auto& [tensor, value] : values) known.push_back(tensor);
  const auto operands_of = [&](const Node& node) {
    std::vector<const Tensor*> operands;
    for (const TensorId input : node.inputs)
      operands.push_back(input == kNoTensor          ? nullptr
                         : graph_.is_constant(input) ? &graph_.constant(input)
                                                     : &values.at(input));
    return operands;
  };
  const Between way = between(wanted, known);
  for (const TensorId id : way.unmade) {
    const graph::Shape& of_one = graph_.tensors[id].shape;
    values.emplace(
        id, Tensor{of_one, std::vector<double>(static_cast<std::size_t>(graph::element_count(of_one)), std::nan("")),
                   false});
  }
  for (const std::size_t n : way.nodes) {
    const Node& node = graph_.nodes[n];
    std::vector<Tensor> made = graph::reference::evaluate(graph_, node, operands_of(node));
    for (std::size_t o = 0; o < node.outputs.size() && o < made.size(); ++o)
      if (node.outputs[o] != kNoTensor) values.try_emplace(node.outputs[o], std::move(made[o]));
  }
  std::vector<double> result = values.at(wanted).data;
  for (auto& [tensor, value] : values) base::wipe(value.data);
  if (!way.unmade.empty() && std::ranges::any_of(result, [](double x) { return std::isnan(x); })) {
    base::wipe(result);
    refuse_dependence(wanted, *way.unmade.begin());
  }
  return result;
}

std::string NetworkMessages::operators(const std::string& name, std::span<const std::string> known) const {
  std::vector<TensorId> ids;
  for (const std::string& tensor : known) ids.push_back(id(tensor));
  std::vector<std::string> texts;
  for (const std::size_t n : between(id(name), ids).nodes)
    texts.push_back(fmt::format("{} '{}'", graph_.nodes[n].op, graph_.nodes[n].name));
  return fmt::to_string(fmt::join(texts, " + "));
}

}  // namespace tacit::check
