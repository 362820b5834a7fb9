#include "graph/client_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/error.h"
#include "graph/declaration.h"

namespace tacit::graph {
namespace {

std::optional<std::size_t> first_nan(std::span<const double> numbers) {
  const auto found = std::ranges::find_if(numbers, [](double number) { return std::isnan(number); });
  if (found == numbers.end()) return std::nullopt;
  return static_cast<std::size_t>(found - numbers.begin());
}

/// Operators that are made for NaN, or give back what they read.
bool may_read_nan(const Node& node) {
  return is(node.op, Class::movement) || node.op == "Where" || node.op == "IsNaN" || node.op == "ai.onnx.ml.Imputer";
}

/// The first output of a graph that a node's results reach; the node's own name where none is reached.
std::string output_behind(const Graph& graph, const Node& node) {
  std::set<TensorId> reached(node.outputs.begin(), node.outputs.end());
  for (const Node& other : graph.nodes)
    if (std::ranges::any_of(other.inputs, [&](TensorId id) { return id != kNoTensor && reached.contains(id); }))
      reached.insert(other.outputs.begin(), other.outputs.end());
  for (const TensorId id : graph.outputs)
    if (reached.contains(id)) return graph.tensors[id].name;
  return node.name;
}

/// Follows NaN through a run of the client's part.
class NanTrail {
 public:
  NanTrail(const Graph& graph, std::span<const std::vector<double>> decrypted) : graph_(graph) {
    for (std::size_t i = 0; i < std::min(decrypted.size(), graph.inputs.size()); ++i)
      if (const auto element = first_nan(decrypted[i])) found_[graph.inputs[i]] = {"decryption", *element};
  }

  void follow(const Node& node, std::span<const Tensor> made) {
    const Nan* read = nullptr;
    for (const TensorId id : node.inputs)
      if (const auto at = found_.find(id); at != found_.end() && read == nullptr) read = &at->second;
    bool any = false;
    for (std::size_t k = 0; k < std::min(node.outputs.size(), made.size()); ++k) {
      const auto element = first_nan(made[k].data);
      if (!element) continue;
      any = true;
      if (node.outputs[k] != kNoTensor)
        found_[node.outputs[k]] = {read ? read->origin : fmt::format("node '{}' ({})", node.name, node.op), *element};
    }
    if (read == nullptr || any || may_read_nan(node)) return;
    base::refuse(
        "output '{}' has no answer: node '{}' ({}) reads element {} of a tensor that {} made NaN, and its result would "
        "look right; errors of the encrypted part took the argument to where the function is not defined: more "
        "precision (--bits, --scheme ckks) keeps it inside",
        output_behind(graph_, node), node.name, node.op, read->element, read->origin);
  }

 private:
  struct Nan {
    std::string origin;
    std::size_t element = 0;
  };
  const Graph& graph_;
  std::map<TensorId, Nan> found_;  ///< by tensor: the first element that is NaN
};

}  // namespace

std::vector<Tensor> answers_of(const ClientRun& run, std::span<const std::vector<double>> decrypted,
                               std::span<const Tensor> kept) {
  NanTrail trail(run.parts().after, decrypted);
  return run.after(decrypted, kept, [&](const Node& node, std::span<const Tensor> made) { trail.follow(node, made); });
}

void require_numbers(const ClientParts& parts, std::span<const Tensor> outputs) {
  for (std::size_t o = 0; o < outputs.size(); ++o)
    if (const auto element = first_nan(outputs[o].data))
      base::refuse(
          "output '{}', element {}: the answer is NaN, which is not shown; either errors of the encrypted part took an "
          "argument of the client's part to where its function is not defined, or the model gives NaN for this input",
          parts.after.tensors[parts.after.outputs.at(o)].name, *element);
}

}  // namespace tacit::graph
