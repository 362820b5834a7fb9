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
#include "graph/range.h"
#include "graph/reference/run.h"

namespace tacit::graph {
namespace {

/// The attribute of a guard that holds the error of every input of its graph.
constexpr const char* kErrors = "errors";

/// Guards that allow for errors; those that keep what is known of a value do not.
bool allows_errors(const Node& node) {
  return is_guard(node.op) && node.op != kOneOfOp && node.op != kShowsOp && !text_attribute(node, "source").empty();
}

/// The number that 98 of 100 do not exceed.
double most_of_usual(std::vector<double> numbers) {
  constexpr double kShare = 0.98;
  std::ranges::sort(numbers);
  const auto within = static_cast<std::size_t>(std::ceil(kShare * static_cast<double>(numbers.size())));
  return numbers.empty() ? 0 : numbers[within - 1];
}

std::vector<Tensor> moved(std::span<const Tensor> inputs, const std::vector<double>& errors, std::mt19937& random) {
  std::vector<Tensor> result(inputs.begin(), inputs.end());
  for (std::size_t i = 0; i < result.size() && i < errors.size(); ++i)
    if (!result[i].integral && result[i].texts.empty())
      for (double& x : result[i].data) x += (random() & 1) != 0 ? errors[i] : -errors[i];
  return result;
}

}  // namespace

GuardMoves::GuardMoves(const Graph& after) {
  for (std::size_t n = 0; n < after.nodes.size(); ++n)
    if (has_attribute(after.nodes[n], kErrors)) guards_.push_back(n);
  if (guards_.empty()) return;
  errors_ = reals_attribute(after.nodes[guards_[0]], kErrors);
  probe_ = after;
  probe_.outputs.clear();
  for (const std::size_t n : guards_) probe_.outputs.push_back(after.nodes[n].inputs[0]);
  probe_ = prune(std::move(probe_));
}

std::vector<Tensor> GuardMoves::of(std::span<const Tensor> inputs, std::vector<Tensor>* exact) const {
  constexpr int kMoves = 8;
  const std::vector<Tensor> still = reference::run(probe_, inputs);
  std::vector<Tensor> moves = still;
  for (Tensor& tensor : moves) std::ranges::fill(tensor.data, 0);
  std::mt19937 random(1);
  for (int i = 0; i < kMoves; ++i) {
    const std::vector<Tensor> found = reference::run(probe_, moved(inputs, errors_, random));
    for (std::size_t g = 0; g < moves.size(); ++g)
      for (std::size_t e = 0; e < moves[g].data.size(); ++e) {
        const double by = std::abs(found[g].data[e] - still[g].data[e]);
        moves[g].data[e] = std::max(moves[g].data[e], std::isnan(by) ? std::numeric_limits<double>::infinity() : by);
      }
  }
  for (Tensor& tensor : moves) tensor.integral = false;
  if (exact != nullptr) *exact = still;
  return moves;
}

Graph GuardMoves::with_inputs(Graph after) const {
  passes::GraphEditor editor(after);
  for (const std::size_t n : guards_) {
    Node& node = after.nodes[n];
    node.inputs.resize(1);
    node.inputs.push_back(editor.tensor(node.name + ".error", after.tensors[node.inputs[0]].shape));
    after.inputs.push_back(node.inputs.back());
  }
  return after;
}

bool is_guard(std::string_view op) {
  return op == kWithinOp || op == kOffZeroOp || op == kSettledOp || op == kOneOfOp || op == kShowsOp;
}

void allow_errors(ClientParts& client, std::span<const double> errors) {
  for (Node& node : client.after.nodes)
    if (allows_errors(node)) node.attributes[kErrors] = std::vector<double>(errors.begin(), errors.end());
}

bool wants_errors(const Graph& after) { return std::ranges::any_of(after.nodes, allows_errors); }

bool has_errors(const Graph& after) {
  return std::ranges::any_of(after.nodes, [](const Node& node) { return has_attribute(node, kErrors); });
}

std::vector<double> settle_answers(ClientParts& client, const std::vector<std::vector<std::vector<double>>>& samples) {
  constexpr double kUnseen = 3, kOfRange = 0.02, kOfWhole = 0.5;
  const Graph& after = client.after;
  const GuardMoves movement(after);
  const std::vector<std::size_t>& guards = movement.guards();
  std::vector<double> settled;
  if (guards.empty()) return settled;
  std::vector<std::vector<double>> moved(guards.size());  // by guard and sample
  std::vector<Range> ranges(guards.size());
  for (const std::vector<std::vector<double>>& sample : samples) {
    std::vector<Tensor> inputs;
    for (std::size_t i = 0; i < sample.size() && i < after.inputs.size(); ++i) {
      const TensorInfo& info = after.tensors[after.inputs[i]];
      inputs.push_back({info.shape, sample[i], info.integral});
    }
    if (inputs.size() != after.inputs.size()) return settled;  // what was kept is not among the samples
    std::vector<Tensor> exact;
    const std::vector<Tensor> moves = movement.of(inputs, &exact);
    for (std::size_t g = 0; g < guards.size(); ++g) {
      double& most = moved[g].emplace_back(0);
      for (const double by : moves[g].data) most = std::max(most, by);
      for (const double x : exact[g].data) ranges[g].include(x);
    }
  }
  for (std::size_t g = 0; g < guards.size(); ++g) {
    Node& node = client.after.nodes[guards[g]];
    if (node.op != kSettledOp || moved[g].empty()) continue;
    const double usual = most_of_usual(moved[g]), width = ranges[g].known() ? ranges[g].width() : 0;
    const bool whole = after.tensors[node.outputs[0]].integral;
    double most = std::max(kUnseen * usual, whole ? kOfWhole : kOfRange * width);
    if (!(usual < (whole ? 1 : width))) most = std::numeric_limits<double>::infinity();
    node.attributes["most"] = most;
    settled.push_back(most);
  }
  return settled;
}

void settle_answers_by(ClientParts& client, std::span<const double> most) {
  std::vector<Node*> guards;
  for (Node& node : client.after.nodes)
    if (node.op == kSettledOp && has_attribute(node, kErrors)) guards.push_back(&node);
  if (guards.size() != most.size()) return;
  for (std::size_t g = 0; g < guards.size(); ++g) guards[g]->attributes["most"] = most[g];
}

std::vector<double> usual_differences(const std::vector<std::vector<std::vector<double>>>& exact,
                                      const std::vector<std::vector<std::vector<double>>>& inexact) {
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
  for (const std::vector<double>& samples : worst) usual.push_back(most_of_usual(samples));
  return usual;
}

}  // namespace tacit::graph
