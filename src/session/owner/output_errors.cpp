#include "session/owner/output_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "base/error.h"
#include "graph/attribute.h"
#include "graph/declaration.h"
#include "graph/links.h"

namespace tacit::session {
namespace {

constexpr double kNumberTolerance = 0.01;
/// Values that differ by less than this share of their magnitude do not vary: that is the rounding of float32.
constexpr double kRoundingOfFloats = 1e-6;

/// What the operators behind an output say of its elements.
enum class Evidence { none, scores, probabilities, numbers };

Evidence evidence_of(const std::string& op) {
  static const std::set<std::string> kProbabilities{"Softmax", "Sigmoid", "HardSigmoid"};
  static const std::set<std::string> kNumbers{"ai.onnx.ml.TreeEnsembleRegressor", "ai.onnx.ml.LinearRegressor",
                                              "ai.onnx.ml.SVMRegressor"};
  if (kProbabilities.contains(op)) return Evidence::probabilities;
  if (kNumbers.contains(op)) return Evidence::numbers;
  if (op == "LogSoftmax" || op == "Hardmax" || op == "ai.onnx.ml.ZipMap" || op.ends_with("Classifier"))
    return Evidence::scores;
  return Evidence::none;
}

/// Goes back from a tensor through operators that move elements, join tensors, or add and multiply constants.
Evidence evidence_behind(const graph::Graph& graph, const graph::Links& links, graph::TensorId id, int depth = 0) {
  constexpr int kDeepest = 64;
  static const std::set<std::string> kThrough{"Cast", "Transpose", "Dropout", "ai.onnx.ml.Normalizer"};
  static const std::set<std::string> kByConstants{"Add", "Sub", "Mul", "Div"};
  if (id == graph::kNoTensor || !links.makers[id] || depth > kDeepest) return Evidence::none;
  const graph::Node& node = graph.nodes[*links.makers[id]];
  if (const Evidence found = evidence_of(node.op); found != Evidence::none) return found;
  if (node.inputs.empty()) return Evidence::none;
  if (graph::has_trait(node.op, graph::kKeepsOrder) || kThrough.contains(node.op))
    return evidence_behind(graph, links, node.inputs[0], depth + 1);
  if (node.op == "Concat") {
    const Evidence first = evidence_behind(graph, links, node.inputs[0], depth + 1);
    const bool all = std::ranges::all_of(
        node.inputs, [&](graph::TensorId input) { return evidence_behind(graph, links, input, depth + 1) == first; });
    return all ? first : Evidence::none;
  }
  if (kByConstants.contains(node.op) && node.inputs.size() == 2)
    for (const std::size_t i : {0, 1})
      if (graph.is_constant(node.inputs[1 - i])) {
        const Evidence found = evidence_behind(graph, links, node.inputs[i], depth + 1);
        return found == Evidence::probabilities ? Evidence::none : found;
      }
  return Evidence::none;
}

/// True where both are NaN, or the same infinity.
bool alike(double a, double b) { return (std::isnan(a) && std::isnan(b)) || a == b; }

/// The place of the largest element that is a number.
std::size_t largest_of(std::span<const double> values) {
  std::size_t best = values.size();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isnan(values[i]) && (best == values.size() || values[i] > values[best])) best = i;
  return best;
}

bool sums_to_one(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) {
    if (!(value >= 0)) return false;
    sum += value;
  }
  return values.size() > 1 && std::abs(sum - 1) < 1e-3;
}

const std::string& text_at(const graph::Tensor& tensor, std::size_t at) {
  return tensor.texts.at(static_cast<std::size_t>(tensor.data[at]));
}

}  // namespace

std::string_view name(OutputKind kind) {
  constexpr std::array<std::string_view, 6> kNames{"scores",        "probability", "numbers", "scores or numbers",
                                                   "whole numbers", "texts"};
  return kNames.at(static_cast<std::size_t>(kind));
}

std::string_view name(ErrorMeasure measure) {
  constexpr std::array<std::string_view, 4> kNames{"share of the range", "share of 1", "share of the magnitude",
                                                   "share of the elements"};
  return kNames.at(static_cast<std::size_t>(measure));
}

std::vector<OutputForm> output_forms(const graph::Graph& graph) {
  const graph::Links links(graph);
  const bool labelled = std::ranges::any_of(graph.outputs, [&](graph::TensorId id) {
    const graph::TensorInfo& info = graph.tensors.at(id);
    return (info.integral || info.text) && graph::element_count(info.shape) == 1;
  });
  std::vector<OutputForm> forms;
  for (const graph::TensorId id : graph.outputs) {
    const graph::TensorInfo& info = graph.tensors.at(id);
    OutputForm form{info.name, OutputKind::open, static_cast<std::size_t>(graph::element_count(info.shape))};
    const Evidence evidence = evidence_behind(graph, links, id);
    if (info.text) {
      form.kind = OutputKind::texts;
    } else if (info.integral) {
      form.kind = OutputKind::whole_numbers;
    } else {
      form.of_one = evidence == Evidence::probabilities;
      if (form.elements == 1)
        form.kind = evidence == Evidence::probabilities || evidence == Evidence::scores ? OutputKind::probability
                                                                                        : OutputKind::numbers;
      else if (evidence == Evidence::numbers)
        form.kind = OutputKind::numbers;
      else if (evidence != Evidence::none || labelled)
        form.kind = OutputKind::scores;
    }
    forms.push_back(std::move(form));
  }
  return forms;
}

OutputErrors::OutputErrors(std::vector<OutputForm> forms) {
  for (OutputForm& form : forms) {
    const bool reals = form.kind != OutputKind::whole_numbers && form.kind != OutputKind::texts;
    const std::size_t targets = !reals ? 0 : form.elements <= kMostTargets ? form.elements : 1;
    outputs_.push_back({std::move(form), std::vector<Target>(targets)});
  }
}

std::optional<std::string> OutputErrors::nan_in(std::span<const graph::Tensor> answers,
                                                std::span<const graph::Tensor> exact) {
  std::optional<std::string> first;
  for (std::size_t o = 0; o < outputs_.size(); ++o)
    for (std::size_t e = 0; e < answers[o].data.size(); ++e) {
      if (!std::isnan(answers[o].data[e]) || std::isnan(exact[o].data.at(e))) continue;
      ++outputs_[o].nan;
      if (!first)
        first = fmt::format(
            "output '{}', element {}: the answer is NaN and the model's is not; errors of the encrypted part took an "
            "argument of the client's part to where its function is not defined",
            outputs_[o].form.name, e);
    }
  return first;
}

void OutputErrors::add(std::span<const graph::Tensor> answers, std::span<const graph::Tensor> exact) {
  if (answers.size() != outputs_.size() || exact.size() != outputs_.size())
    throw base::InternalError("a row has another number of outputs than the model");
  for (std::size_t o = 0; o < outputs_.size(); ++o) {
    Output& output = outputs_[o];
    const graph::Tensor &answer = answers[o], &right = exact[o];
    if (answer.data.size() != right.data.size() || right.data.size() != output.form.elements)
      throw base::InternalError("the encrypted and the plaintext output differ in size");
    output.elements += static_cast<std::int64_t>(right.data.size());
    if (!output.targets.empty()) {
      add_reals(output, answer.data, right.data);
      continue;
    }
    std::int64_t different = 0;
    for (std::size_t e = 0; e < right.data.size(); ++e) {
      const bool texts = !right.texts.empty() && !answer.texts.empty();
      const bool equal = texts ? text_at(answer, e) == text_at(right, e) : alike(answer.data[e], right.data[e]);
      different += equal ? 0 : 1;
    }
    output.mismatches += different;
    output.same.push_back(different == 0 ? 1 : 0);
  }
  ++rows_;
}

void OutputErrors::add_reals(Output& output, std::span<const double> answers, std::span<const double> exact) {
  bool same = true;
  std::vector<double> off(output.targets.size(), 0.0);
  for (std::size_t e = 0; e < exact.size(); ++e) {
    const std::size_t t = output.targets.size() == 1 ? 0 : e;
    Target& target = output.targets[t];
    if (std::isfinite(exact[e])) {
      target.lowest = std::min(target.lowest, exact[e]);
      target.highest = std::max(target.highest, exact[e]);
    }
    ++target.count;
    double error = std::abs(answers[e] - exact[e]);
    if (!std::isfinite(exact[e]) || !std::isfinite(answers[e])) {
      if (alike(answers[e], exact[e])) continue;
      ++output.mismatches;
      same = false;
      error = HUGE_VAL;
    }
    off[t] = std::max(off[t], error);
    target.largest = std::max(target.largest, error);
    target.sum += error;
  }
  output.probabilities = output.probabilities && sums_to_one(exact);
  switch (output.form.kind) {
    case OutputKind::probability: same = same && (answers[0] > 0.5) == (exact[0] > 0.5); break;
    case OutputKind::numbers: output.off.push_back(std::move(off)); break;
    default: same = same && largest_of(answers) == largest_of(exact);
  }
  output.same.push_back(same ? 1 : 0);
}

ErrorMeasure OutputErrors::measure_of(const Output& output) {
  if (output.targets.empty()) return ErrorMeasure::elements;
  if (output.form.of_one || (output.probabilities && output.elements > 0)) return ErrorMeasure::one;
  const bool varies = std::ranges::any_of(output.targets, [](const Target& target) {
    return target.highest - target.lowest >
           kRoundingOfFloats * std::max(std::abs(target.lowest), std::abs(target.highest));
  });
  const bool open = output.form.kind == OutputKind::open || output.form.kind == OutputKind::scores;
  return varies || (open && output.targets.size() > 1) ? ErrorMeasure::range : ErrorMeasure::magnitude;
}

double OutputErrors::unit_of(const Output& output, const Target& target) {
  if (measure_of(output) == ErrorMeasure::one) return 1;
  const auto width = [](const Target& of) {
    const double magnitude = std::max(std::abs(of.lowest), std::abs(of.highest));
    return of.highest - of.lowest > kRoundingOfFloats * magnitude ? of.highest - of.lowest : 0.0;
  };
  if (!(target.lowest <= target.highest)) return 1;  // it was never finite
  if (const double own = width(target); own > 0) return own;
  // It does not vary. Scores are compared with each other, numbers stand for themselves.
  Target all;
  for (const Target& other : output.targets) {
    all.lowest = std::min(all.lowest, other.lowest);
    all.highest = std::max(all.highest, other.highest);
  }
  const bool numbers = output.form.kind == OutputKind::numbers;
  const double magnitude = std::abs(target.highest), among = width(all);
  if (numbers) return magnitude > 0 ? magnitude : among > 0 ? among : 1;
  return among > 0 ? among : magnitude > 0 ? magnitude : 1;
}

bool OutputErrors::agrees(const Output& output, std::size_t row) const {
  if (output.same.at(row) == 0) return false;
  if (output.form.kind != OutputKind::numbers) return true;
  for (std::size_t t = 0; t < output.targets.size(); ++t) {
    const Target& target = output.targets[t];
    const double error = output.off[row][t];
    const bool zero = target.lowest == 0 && target.highest == 0;  // nothing is near to zero by a share of it
    if (error > (zero ? 0.0 : kNumberTolerance * unit_of(output, target))) return false;
  }
  return true;
}

bool OutputErrors::agrees(std::size_t row) const {
  return std::ranges::all_of(outputs_, [&](const Output& output) { return agrees(output, row); });
}

std::vector<OutputError> OutputErrors::account() const {
  std::vector<OutputError> list;
  for (const Output& output : outputs_) {
    OutputError error{output.form.name, output.form.kind, measure_of(output)};
    error.nan = output.nan;
    error.mismatches = output.mismatches;
    for (std::size_t row = 0; row < rows_; ++row) error.agreeing += agrees(output, row) ? 1 : 0;
    if (error.measure == ErrorMeasure::elements) {
      if (output.elements > 0)
        error.largest = error.mean = static_cast<double>(output.mismatches) / static_cast<double>(output.elements);
      list.push_back(std::move(error));
      continue;
    }
    for (const Target& target : output.targets) {
      if (target.count == 0) continue;
      const double unit = unit_of(output, target);
      TargetError of{target.largest / unit, target.sum / static_cast<double>(target.count) / unit, 0, 0};
      if (target.lowest <= target.highest) {
        of.lowest = target.lowest;
        of.highest = target.highest;
      }
      if (of.largest >= error.largest) {
        error.largest = of.largest;
        error.mean = of.mean;
      }
      error.targets.push_back(of);
    }
    if (error.targets.size() < 2) error.targets.clear();
    list.push_back(std::move(error));
  }
  return list;
}

}  // namespace tacit::session
