#include "graph/passes/scalar_function.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "graph/passes/graph_editor.h"
#include "graph/reference/run.h"

namespace tacit::graph::passes {
namespace {

std::string name_of(std::span<const Node> steps) {
  std::vector<std::string> operators;
  for (const Node& step : steps) operators.push_back(step.op);
  const auto has = [&](const char* op) { return std::find(operators.begin(), operators.end(), op) != operators.end(); };
  if (operators.size() == 2 && has("Sigmoid") && has("Mul")) return "Silu";
  if (operators.size() == 2 && has("HardSigmoid") && has("Mul")) return "HardSwish";
  if (operators.size() >= 4 && has("Mul") && (has("Erf") || (has("Tanh") && has("Add")))) return "Gelu";
  return chain_name(operators);
}

}  // namespace

ScalarFunction::ScalarFunction(const Graph& graph, std::span<const Node> steps, TensorId root, TensorId result)
    : name_(name_of(steps)) {
  GraphEditor editor(graph_);
  std::map<TensorId, TensorId> renamed;
  const auto add = [&](TensorId id) {
    if (id == kNoTensor || renamed.contains(id)) return;
    const std::string& name = graph.tensors[id].name;
    renamed[id] =
        graph.is_constant(id) ? editor.constant(name, {{}, graph.constant(id).data, false}) : editor.tensor(name, {});
  };
  add(root);
  for (const Node& step : steps) {
    Node copy = step;
    for (TensorId& id : copy.inputs) {
      add(id);
      if (id != kNoTensor) id = renamed.at(id);
    }
    copy.outputs.resize(1);  // a Dropout's mask is nobody's input
    add(copy.outputs[0]);
    copy.outputs[0] = renamed.at(copy.outputs[0]);
    graph_.nodes.push_back(std::move(copy));
  }
  graph_.inputs = {renamed.at(root)};
  graph_.outputs = {renamed.at(result)};
}

bool has_degree_one(const ScalarFunction& function, double reach) {
  constexpr double kTolerance = 1e-9;
  std::vector<double> points;
  for (const double share : {1.0, 0.7, 0.3, 0.1, 0.01}) {
    points.push_back(share * reach);
    points.push_back(-share * reach);
  }
  const std::vector<double> y = function(points);
  const double tolerance = kTolerance * std::max(std::abs(y[0]), std::abs(y[1]));
  for (std::size_t i = 2; i < points.size(); ++i)
    if (!(std::abs(y[i] - points[i] / points[i % 2] * y[i % 2]) <= tolerance)) return false;
  return true;
}

std::string chain_name(std::span<const std::string> operators) {
  constexpr std::size_t kLongest = 96;
  std::string joined;
  for (const std::string& op : operators) {
    if (joined.ends_with("...")) return joined;
    if (!joined.empty() && joined.size() + op.size() > kLongest) return joined + "+...";
    joined += (joined.empty() ? "" : "+") + op;
  }
  return joined;
}

std::vector<double> ScalarFunction::operator()(std::span<const double> points) const {
  Graph sized = graph_;
  const Shape shape{static_cast<std::int64_t>(points.size())};
  for (TensorInfo& info : sized.tensors)
    if (info.constant < 0) info.shape = shape;
  const Tensor input{shape, {points.begin(), points.end()}, false};
  return reference::run(sized, std::span(&input, 1)).front().data;
}

}  // namespace tacit::graph::passes
