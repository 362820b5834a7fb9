#include "session/owner/agreement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>

#include "base/error.h"
#include "graph/attribute.h"
#include "graph/declaration.h"
#include "graph/links.h"

namespace tacit::session {
namespace {

constexpr double kRegressionTolerance = 0.01;

/// The node that computed a tensor, seen through operators that only move elements.
const graph::Node* computing_node(const graph::Graph& graph, graph::TensorId id) {
  static const std::set<std::string> kToo{"Cast", "Transpose", "Dropout", "ai.onnx.ml.Normalizer"};
  const auto moves = [](const std::string& op) {
    return graph::has_trait(op, graph::kKeepsOrder) || kToo.contains(op);
  };
  const graph::Links links(graph);
  while (id != graph::kNoTensor && links.makers[id]) {
    const graph::Node& node = graph.nodes[*links.makers[id]];
    if (!moves(node.op) || node.inputs.empty()) return &node;
    id = node.inputs[0];
  }
  return nullptr;
}

std::int64_t elements(const graph::Graph& graph, graph::TensorId id) {
  return graph::element_count(graph.tensors.at(id).shape);
}

}  // namespace

std::string_view answer_kind_name(AnswerKind kind) {
  constexpr std::array<std::string_view, 4> kNames{"argmax", "label", "probability", "regression"};
  return kNames.at(static_cast<std::size_t>(kind));
}

Question question_of(const graph::Graph& graph) {
  Question question;
  for (std::size_t i = 1; i < graph.outputs.size(); ++i)
    if (elements(graph, graph.outputs[i]) > elements(graph, graph.outputs[question.output])) question.output = i;
  const graph::TensorId id = graph.outputs.at(question.output);
  const graph::Node* node = computing_node(graph, id);
  if (graph.tensors.at(id).integral || graph.tensors.at(id).text) {
    question.kind = AnswerKind::label;
    return question;
  }
  if (elements(graph, id) == 1)
    question.kind =
        node && (node->op == "Sigmoid" || node->op == "HardSigmoid" || node->op == "ai.onnx.ml.LinearClassifier")
            ? AnswerKind::probability
            : AnswerKind::regression;
  for (const char* name : {"classlabels_ints", "classlabels_int64s"}) {
    if (question.kind != AnswerKind::argmax || !node || !node->attributes.count(name)) continue;
    if (const auto* labels = std::get_if<std::vector<std::int64_t>>(&node->attributes.at(name)))
      if (static_cast<std::int64_t>(labels->size()) == elements(graph, id))
        question.labels.assign(labels->begin(), labels->end());
  }
  return question;
}

double answer(const Question& question, std::span<const double> values) {
  if (values.empty()) throw base::InternalError("an output without elements has no answer");
  for (const double value : values)
    if (!std::isfinite(value)) return std::nan("");
  switch (question.kind) {
    case AnswerKind::argmax: {
      const auto index = static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
      return index < question.labels.size() ? question.labels[index] : static_cast<double>(index);
    }
    case AnswerKind::probability: return values[0] > 0.5 ? 1 : 0;
    case AnswerKind::label:
    case AnswerKind::regression: return values[0];
  }
  throw base::InternalError("answer kind out of range");
}

void Scoreboard::add(std::span<const double> encrypted, std::span<const double> plain, std::optional<double> label) {
  if (encrypted.size() != plain.size())
    throw base::InternalError("the encrypted and the plaintext output differ in size");
  encrypted_.push_back(answer(question_, encrypted));
  plain_.push_back(answer(question_, plain));
  if (label) labels_.push_back(*label);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const double error = std::abs(encrypted[i] - plain[i]);
    // Once not a number, always not a number: it must not vanish in a maximum.
    if (std::isnan(error) || error > max_abs_error_) max_abs_error_ = error;
  }
}

void Scoreboard::add(std::span<const graph::Tensor> encrypted, std::span<const graph::Tensor> plain,
                     std::optional<double> label) {
  errors_.value().add(encrypted, plain);
  add(encrypted[question_.output].data, plain[question_.output].data, label);
}

bool Scoreboard::agrees(std::size_t index) const {
  if (errors_) return errors_->agrees(index);
  const double difference = std::abs(encrypted_.at(index) - plain_.at(index));
  if (question_.kind != AnswerKind::regression) return difference == 0;
  const auto [low, high] = std::minmax_element(plain_.begin(), plain_.end());
  const double range = *high > *low ? *high - *low : std::abs(plain_[index]);
  return difference <= kRegressionTolerance * range;
}

double Scoreboard::agreement() const {
  if (images() == 0) return 0;
  std::size_t agreed = 0;
  for (std::size_t i = 0; i < plain_.size(); ++i) agreed += agrees(i) ? 1 : 0;
  return static_cast<double>(agreed) / static_cast<double>(images());
}

std::optional<double> Scoreboard::accuracy(const std::vector<double>& answers) const {
  if (labels_.size() != answers.size() || labels_.empty()) return std::nullopt;
  const auto count = static_cast<double>(labels_.size());
  if (question_.kind != AnswerKind::regression) {
    double right = 0;
    for (std::size_t i = 0; i < labels_.size(); ++i) right += answers[i] == labels_[i] ? 1 : 0;
    return right / count;
  }
  double mean = 0, residual = 0, total = 0;
  for (const double label : labels_) mean += label / count;
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    residual += (labels_[i] - answers[i]) * (labels_[i] - answers[i]);
    total += (labels_[i] - mean) * (labels_[i] - mean);
  }
  if (total == 0) return std::nullopt;
  return 1 - residual / total;
}

}  // namespace tacit::session
