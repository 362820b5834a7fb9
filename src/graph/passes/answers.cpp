#include "graph/passes/answers.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <string>

#include "graph/declaration.h"
#include "graph/passes/operator_kind.h"

namespace tacit::graph::passes {
namespace {

constexpr double kLargestError = 1.0 / 16;
constexpr double kNoiseDeviations = 12, kLargestNoise = 1.0 / 1024;
/// Of noise, that a value may not feel; and on how many samples the sensitivity of values is measured.
constexpr double kValueDeviations = 8;
constexpr std::size_t kProbedSamples = 256;
/// Of an output's range: the step by which the sensitivity of values is measured.
constexpr double kProbe = 1e-4;

double share(double error, double allowed) {
  if (error == 0) return 0;
  return allowed > 0 && std::isfinite(error) ? error / allowed : std::numeric_limits<double>::infinity();
}

/// True if the client maps tensor `id` by one of `operators`, behind what only moves or casts it.
bool reaches(const Graph& after, TensorId id, const std::set<std::string>& operators) {
  std::set<TensorId> moved{id};
  for (const Node& node : after.nodes) {
    if (std::ranges::none_of(node.inputs, [&](TensorId input) { return moved.contains(input); })) continue;
    if (operators.contains(node.op)) return true;
    if (has_trait(node.op, kKeepsOrder) || node.op == "Cast" || node.op == "Concat") moved.insert(node.outputs[0]);
  }
  return false;
}

}  // namespace

Answers::Answers(const ClientParts& client, std::vector<std::vector<std::vector<double>>> exact)
    : client_(client), exact_(std::move(exact)) {
  const Graph& after = client_.after;
  static const std::set<std::string> kSigns{"Greater", "Less", "Sigmoid", "Sign", "tacit.LinearVotes"};
  for (std::size_t o = 0; o < after.inputs.size(); ++o) {
    double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
    for (const auto& outputs : exact_)
      for (const double x : outputs[o]) {
        lowest = std::min(lowest, x);
        highest = std::max(highest, x);
      }
    const double range = std::max(highest - lowest, 0.0);
    const bool single = !exact_.empty() && exact_[0][o].size() == 1;
    const Kind kind = !single ? Kind::largest : reaches(after, after.inputs[o], kSigns) ? Kind::sign : Kind::number;
    double allowed = range * (kind == Kind::number ? kValueTolerance : kLargestError);
    if (after.tensors[after.inputs[o]].integral) allowed = std::min(allowed, kMostNoiseOfIntegers);
    rules_.push_back({kind, allowed, range});
  }
  if (!exact_.empty()) find_values();
}

// The model's real outputs that the client computes by more than moving elements. Others are scores, or numbers that a
// rule holds.
void Answers::find_values() {
  const Graph& after = client_.after;
  std::set<TensorId> computed;
  for (const Node& node : after.nodes) {
    const bool moves = is(node.op, Class::movement) || node.op == "Cast" || node.op == "ai.onnx.ml.ZipMap";
    const bool on_computed = std::ranges::any_of(node.inputs, [&](TensorId id) { return computed.contains(id); });
    if (!moves || on_computed) computed.insert(node.outputs.begin(), node.outputs.end());
  }
  for (std::size_t o = 0; o < after.outputs.size(); ++o) {
    const TensorInfo& info = after.tensors[after.outputs[o]];
    if (!info.integral && !info.text && computed.contains(after.outputs[o])) values_.push_back({o, 0});
  }
  if (values_.empty()) return;
  for (const auto& outputs : exact_) exact_values_.push_back(run_after(client_, outputs));
  for (Value& value : values_) {
    double lowest = HUGE_VAL, highest = -HUGE_VAL;
    for (const std::vector<Tensor>& outputs : exact_values_)
      for (const double x : outputs[value.output].data) {
        if (!std::isfinite(x)) continue;
        lowest = std::min(lowest, x);
        highest = std::max(highest, x);
      }
    value.range = std::max(highest - lowest, 0.0);
  }
  std::erase_if(values_, [](const Value& value) { return !(value.range > 0); });
  for (std::size_t o = 0; o < rules_.size() && !values_.empty(); ++o) {
    const double step = kProbe * rules_[o].range;
    const bool whole = after.tensors[after.inputs[o]].integral;  // what is rounded moves nothing
    sensitivities_.push_back(step > 0 && !whole ? sensitivity(o, step) : 0);
  }
}

bool Answers::shows_values() const {
  return !values_.empty() || std::ranges::any_of(rules_, [](const Rule& rule) { return rule.kind == Kind::number; });
}

double Answers::value_margin(std::size_t sample, const std::vector<std::vector<double>>& outputs) const {
  double used = 0;
  for (std::size_t o = 0; o < sensitivities_.size(); ++o)
    for (std::size_t k = 0; k < outputs[o].size(); ++k)
      used = std::max(used, share(std::abs(outputs[o][k] - exact_[sample][o][k]) * sensitivities_[o], kValueTolerance));
  return used;
}

double Answers::sensitivity(std::size_t output, double step) const {
  double moved = 0;
  const std::size_t samples = std::min(kProbedSamples, exact_.size());
  for (std::size_t i = 0; i < samples; ++i) {
    const std::size_t s = i * exact_.size() / samples;
    std::vector<std::vector<double>> outputs = exact_[s];
    // Errors of different elements are independent: neighbours step in opposite directions.
    for (std::size_t k = 0; k < outputs[output].size(); ++k) outputs[output][k] += k % 2 == 0 ? step : -step;
    const std::vector<Tensor> found = run_after(client_, outputs);
    for (const Value& value : values_) {
      const std::vector<double>&exact = exact_values_[s][value.output].data, &got = found[value.output].data;
      for (std::size_t k = 0; k < exact.size(); ++k)
        if (std::isfinite(got[k] - exact[k])) moved = std::max(moved, std::abs(got[k] - exact[k]) / value.range);
    }
  }
  return moved / step;
}

double Answers::used_margin(std::size_t sample, const std::vector<std::vector<double>>& outputs) const {
  double used = value_margin(sample, outputs);
  for (std::size_t o = 0; o < rules_.size(); ++o) {
    const std::vector<double>&exact = exact_[sample][o], &found = outputs[o];
    const auto best = static_cast<std::size_t>(std::max_element(exact.begin(), exact.end()) - exact.begin());
    for (std::size_t k = 0; k < exact.size(); ++k) {
      used = std::max(used, share(std::abs(found[k] - exact[k]), rules_[o].allowed));
      if (rules_[o].kind == Kind::sign) used = std::max(used, share(std::abs(found[k] - exact[k]), std::abs(exact[k])));
      if (rules_[o].kind != Kind::largest || k == best) continue;
      const double gap = exact[best] - exact[k], closed = gap - (found[best] - found[k]);
      if (closed > 0 || !std::isfinite(closed)) used = std::max(used, share(closed, gap));
    }
  }
  return used;
}

double Answers::changed_share(const std::vector<std::vector<std::vector<double>>>& outputs) const {
  std::size_t changed = 0;
  std::vector<std::vector<double>> tried;
  for (std::size_t s = 0; s < exact_.size(); ++s)
    for (std::size_t from = 0; from < exact_.size(); ++from) {
      tried = exact_[s];
      for (std::size_t o = 0; o < tried.size(); ++o)
        for (std::size_t k = 0; k < tried[o].size(); ++k) tried[o][k] += outputs[from][o][k] - exact_[from][o][k];
      if (used_margin(s, tried) >= 1) ++changed;
    }
  return static_cast<double>(changed) / static_cast<double>(std::max<std::size_t>(exact_.size() * exact_.size(), 1));
}

std::vector<double> Answers::allowed_noise(const std::vector<std::vector<std::vector<double>>>& outputs) const {
  std::vector<double> allowed;
  for (const Rule& rule : rules_)
    allowed.push_back(std::min(kLargestNoise * rule.range, rule.allowed / kNoiseDeviations));
  for (std::size_t o = 0; o < sensitivities_.size(); ++o)
    if (sensitivities_[o] > 0)
      allowed[o] = std::min(allowed[o], kValueTolerance / (kValueDeviations * sensitivities_[o]));
  for (std::size_t s = 0; s < exact_.size(); ++s) {
    if (2 * used_margin(s, outputs[s]) >= 1) continue;
    for (std::size_t o = 0; o < rules_.size(); ++o) {
      std::vector<double> sorted = exact_[s][o];
      if (rules_[o].kind == Kind::sign) allowed[o] = std::min(allowed[o], std::abs(sorted[0]) / kNoiseDeviations);
      if (rules_[o].kind != Kind::largest || sorted.size() < 2) continue;
      std::nth_element(sorted.begin(), sorted.begin() + 1, sorted.end(), std::greater<>());
      const double gap = *std::max_element(sorted.begin(), sorted.begin() + 1) - sorted[1];
      allowed[o] = std::min(allowed[o], gap / std::sqrt(2.0) / kNoiseDeviations);  // both numbers are noisy
    }
  }
  return allowed;
}

}  // namespace tacit::graph::passes
