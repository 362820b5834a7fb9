#include "graph/client_guards.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>

#include "graph/attribute.h"
#include "graph/passes/graph_editor.h"
#include "graph/prune.h"
#include "graph/reference/run.h"

namespace tacit::graph {
namespace {

/// The attribute of a guard that holds the error of every input of its graph.
constexpr const char* kErrors = "errors";

/// Guards that allow for errors; those that keep what is known of a value do not.
bool allows_errors(const Node& node) { return is_guard(node.op) && !text_attribute(node, "source").empty(); }

std::vector<Tensor> moved(std::span<const Tensor> inputs, const std::vector<double>& errors, std::mt19937& random) {
  std::vector<Tensor> result(inputs.begin(), inputs.end());
  for (std::size_t i = 0; i < result.size() && i < errors.size(); ++i)
    if (!result[i].integral && result[i].texts.empty())
      for (double& x : result[i].data) x += (random() & 1) != 0 ? errors[i] : -errors[i];
  return result;
}

}  // namespace

bool is_guard(std::string_view op) { return op == kWithinOp || op == kOffZeroOp; }

void allow_errors(ClientParts& client, std::span<const double> errors) {
  for (Node& node : client.after.nodes)
    if (allows_errors(node)) node.attributes[kErrors] = std::vector<double>(errors.begin(), errors.end());
}

bool wants_errors(const Graph& after) { return std::ranges::any_of(after.nodes, allows_errors); }

bool has_errors(const Graph& after) {
  return std::ranges::any_of(after.nodes, [](const Node& node) { return has_attribute(node, kErrors); });
}

Graph with_errors(const Graph& after, std::span<const Tensor> inputs) {
  constexpr int kMoves = 8;
  std::vector<std::size_t> guards;
  for (std::size_t n = 0; n < after.nodes.size(); ++n)
    if (has_attribute(after.nodes[n], kErrors)) guards.push_back(n);
  if (guards.empty()) return after;
  const std::vector<double> errors = reals_attribute(after.nodes[guards[0]], kErrors);
  Graph probe = after;
  probe.outputs.clear();
  for (const std::size_t n : guards) probe.outputs.push_back(after.nodes[n].inputs[0]);
  probe = prune(std::move(probe));

  const std::vector<Tensor> exact = reference::run(probe, inputs);
  std::vector<Tensor> moves = exact;
  for (Tensor& tensor : moves) std::ranges::fill(tensor.data, 0);
  std::mt19937 random(1);
  for (int i = 0; i < kMoves; ++i) {
    const std::vector<Tensor> found = reference::run(probe, moved(inputs, errors, random));
    for (std::size_t g = 0; g < guards.size(); ++g)
      for (std::size_t e = 0; e < exact[g].data.size(); ++e) {
        const double by = std::abs(found[g].data[e] - exact[g].data[e]);
        moves[g].data[e] = std::max(moves[g].data[e], std::isnan(by) ? std::numeric_limits<double>::infinity() : by);
      }
  }
  Graph result = after;
  passes::GraphEditor editor(result);
  for (std::size_t g = 0; g < guards.size(); ++g) {
    Node& node = result.nodes[guards[g]];
    node.inputs.resize(1);
    node.inputs.push_back(editor.constant(node.name + ".error", moves[g]));
  }
  return result;
}

std::vector<double> usual_differences(const std::vector<std::vector<std::vector<double>>>& exact,
                                      const std::vector<std::vector<std::vector<double>>>& inexact) {
  constexpr double kShare = 0.98;
  std::vector<std::vector<double>> worst;  // by tensor and sample
  for (std::size_t s = 0; s < std::min(exact.size(), inexact.size()); ++s) {
    worst.resize(std::max(worst.size(), exact[s].size()));
    for (std::size_t t = 0; t < std::min(exact[s].size(), inexact[s].size()); ++t) {
      double& most = worst[t].emplace_back(0);
      for (std::size_t e = 0; e < std::min(exact[s][t].size(), inexact[s][t].size()); ++e)
        most = std::max(most, std::abs(exact[s][t][e] - inexact[s][t][e]));
    }
  }
  std::vector<double> usual;
  for (std::vector<double>& samples : worst) {
    std::ranges::sort(samples);
    const auto within = static_cast<std::size_t>(std::ceil(kShare * static_cast<double>(samples.size())));
    usual.push_back(samples.empty() ? 0 : samples[within - 1]);
  }
  return usual;
}

}  // namespace tacit::graph
