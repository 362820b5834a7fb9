#include "graph/passes/post_process.h"

#include <algorithm>
#include <map>
#include <set>

#include "graph/attribute.h"

namespace tacit::graph::passes {
namespace {

using program::PostStep;

const std::set<std::string> kShapeOnly = {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "Cast"};

TensorId add_tensor(Graph& graph, const std::string& name, const Shape& shape) {
  graph.tensors.push_back({name, shape, false, -1});
  return static_cast<TensorId>(graph.tensors.size() - 1);
}

TensorId add_constant(Graph& graph, const std::string& name, Tensor value) {
  const TensorId id = add_tensor(graph, name, value.shape);
  graph.tensors[id].constant = static_cast<std::int64_t>(graph.constants.size());
  graph.constants.push_back(std::move(value));
  return id;
}

// What the classifier's outputs are made of: the steps on top of its affine scores.
struct Classifier {
  TensorId logits = kNoTensor;
  std::vector<PostStep> label, scores;
};

std::vector<PostStep> score_steps(const Node& node, std::size_t rows, std::size_t classes) {
  const std::string transform = text_attribute(node, "post_transform", "NONE");
  if (transform == "LOGISTIC") return {{"sigmoid", -1, {}}};
  if (rows < classes)
    refuse(node,
           "one row of coefficients for two classes is supported with post_transform LOGISTIC only; export one "
           "row for each class");
  if (transform == "NONE") return {};
  if (transform == "SOFTMAX") return {{"softmax", 1, {}}};
  refuse(node, "post_transform " + transform + " is not supported; NONE, LOGISTIC and SOFTMAX are");
}

// Replaces the node by a Gemm: scores = x * coefficients^T + intercepts.
Classifier lower_classifier(Graph& graph, Node& node) {
  std::vector<double> coefficients = reals_attribute(node, "coefficients");
  std::vector<double> intercepts = reals_attribute(node, "intercepts");
  std::vector<std::int64_t> integer_labels = integers_attribute(node, "classlabels_ints");
  if (integer_labels.empty()) integer_labels = integers_attribute(node, "classlabels_int64s");
  if (has_attribute(node, "classlabels_strings") && !texts_attribute(node, "classlabels_strings").empty())
    refuse(node, "text labels are not supported; export the model with integer class labels");
  const Shape& shape = graph.tensors[node.inputs[0]].shape;
  if (shape.size() != 2 || coefficients.empty())
    refuse(node, "an input of shape " + to_text(shape) + " with " + std::to_string(coefficients.size()) +
                     " coefficients is not supported; it takes [batch, features] and one coefficient for each feature "
                     "and class");
  const std::int64_t batch = shape[0], features = shape[1];
  if (static_cast<std::int64_t>(coefficients.size()) % features != 0)
    refuse(node, "the number of coefficients is not a multiple of the number of features");
  std::size_t rows = coefficients.size() / static_cast<std::size_t>(features);
  const std::size_t classes = integer_labels.empty() ? std::max<std::size_t>(rows, 2) : integer_labels.size();
  if (intercepts.empty()) intercepts.assign(rows, 0.0);
  if (intercepts.size() != rows || (rows != classes && !(rows == 1 && classes == 2)))
    refuse(node, "coefficients, intercepts and class labels do not agree in number");
  Classifier result;
  result.scores = score_steps(node, rows, classes);
  if (rows == 1) {  // sigmoid(-s) = 1 - sigmoid(s): the second class's score gives the first's
    std::vector<double> both;
    for (const double c : coefficients) both.push_back(-c);
    both.insert(both.end(), coefficients.begin(), coefficients.end());
    coefficients = std::move(both);
    intercepts = {-intercepts[0], intercepts[0]};
    rows = 2;
  }
  result.label = {{"argmax", 1, {}}};
  bool counting = true;
  for (std::size_t k = 0; k < integer_labels.size(); ++k)
    counting = counting && integer_labels[k] == static_cast<std::int64_t>(k);
  if (!counting) result.label.push_back({"labels", -1, {integer_labels.begin(), integer_labels.end()}});
  const auto count = static_cast<std::int64_t>(rows);
  const TensorId weights = add_constant(graph, node.name + ".coefficients", {{count, features}, coefficients, false});
  const TensorId bias = add_constant(graph, node.name + ".intercepts", {{count}, intercepts, false});
  result.logits = add_tensor(graph, raw_scores_name(node), {batch, count});
  node = Node{"Gemm", node.name, {node.inputs[0], weights, bias}, {result.logits}, {{"transB", std::int64_t{1}}}};
  return result;
}

bool is_sigmoid(const Recognised& recognised, const Node& node) {
  return node.op == kFunctionOp && recognised.functions.at(node.outputs[0]).name() == "Sigmoid";
}

}  // namespace

std::string raw_scores_name(const Node& classifier) { return classifier.name + ".logits"; }

SplitGraph split_post_processing(Recognised recognised, bool enabled) {
  SplitGraph result;
  Graph& graph = recognised.graph;
  std::map<TensorId, Classifier> labels, scores;
  for (Node& node : graph.nodes) {
    if (!enabled || node.op != "ai.onnx.ml.LinearClassifier") continue;
    const std::vector<TensorId> outputs = node.outputs;
    const Classifier classifier = lower_classifier(graph, node);
    if (outputs[0] != kNoTensor) labels[outputs[0]] = classifier;
    if (outputs.size() > 1 && outputs[1] != kNoTensor) scores[outputs[1]] = classifier;
  }
  std::map<TensorId, const Node*> producer;
  for (const Node& node : graph.nodes)
    for (const TensorId id : node.outputs) producer[id] = &node;

  std::vector<TensorId> sources;
  for (const TensorId output : graph.outputs) {
    PlannedOutput planned{graph.tensors[output].name, output, {}, graph.tensors[output].shape};
    std::vector<PostStep> backwards;
    TensorId pending = output;  // behind operators that only change the shape
    while (enabled) {
      if (labels.contains(pending) || scores.contains(pending)) {
        const bool label = labels.contains(pending);
        const Classifier& classifier = label ? labels.at(pending) : scores.at(pending);
        const std::vector<PostStep>& steps = label ? classifier.label : classifier.scores;
        backwards.insert(backwards.end(), steps.rbegin(), steps.rend());
        planned.source = classifier.logits;
        break;
      }
      if (!producer.contains(pending)) break;
      const Node& node = *producer.at(pending);
      const std::size_t rank = graph.tensors[node.inputs[0]].shape.size();
      if (kShapeOnly.contains(node.op) && backwards.empty()) {
        pending = node.inputs[0];
        continue;
      }
      if (node.op == "Softmax" || node.op == "LogSoftmax") {
        const std::size_t axis = normal_axis(node, integer_attribute(node, "axis", -1), rank);
        backwards.push_back({node.op == "Softmax" ? "softmax" : "log_softmax", static_cast<int>(axis), {}});
      } else if (node.op == "ArgMax" && integer_attribute(node, "select_last_index", 0) == 0) {
        const std::size_t axis = normal_axis(node, integer_attribute(node, "axis", 0), rank);
        backwards.push_back({"argmax", static_cast<int>(axis), {}});
      } else if (is_sigmoid(recognised, node)) {
        backwards.push_back({"sigmoid", -1, {}});
      } else {
        break;
      }
      pending = node.inputs[0];
      planned.source = pending;
    }
    planned.steps.assign(backwards.rbegin(), backwards.rend());
    result.outputs.push_back(planned);
    if (std::find(sources.begin(), sources.end(), planned.source) == sources.end()) sources.push_back(planned.source);
  }
  graph.outputs = sources;
  drop_unread(graph);
  result.encrypted = std::move(recognised);
  return result;
}

}  // namespace tacit::graph::passes
