#include "graph/passes/answers.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <set>
#include <string>

#include "graph/declaration.h"
#include "graph/passes/operator_kind.h"
#include "graph/prune.h"
#include "graph/range.h"

namespace tacit::graph::passes {
namespace {

constexpr double kLargestError = 1.0 / 16;
constexpr double kNoiseDeviations = 12, kLargestNoise = 1.0 / 1024;
/// The deviations of noise that may not change a value, and the samples on which the sensitivity of values is measured.
constexpr double kValueDeviations = 8;
constexpr std::size_t kProbedSamples = 256;
/// The step by which the sensitivity of values is measured, as a share of an output's range.
constexpr double kProbe = 1e-4;

double share(double error, double allowed) {
  if (error == 0) return 0;
  return allowed > 0 && std::isfinite(error) ? error / allowed : std::numeric_limits<double>::infinity();
}

/// True if the client maps tensor `id` by one of `operators`. Movements and casts may be between.
bool reaches(const Graph& after, TensorId id, const std::set<std::string>& operators) {
  std::set<TensorId> moved{id};
  for (const Node& node : after.nodes) {
    if (std::ranges::none_of(node.inputs, [&](TensorId input) { return moved.contains(input); })) continue;
    if (operators.contains(node.op)) return true;
    if (has_trait(node.op, kKeepsOrder) || node.op == "Cast" || node.op == "Concat") moved.insert(node.outputs[0]);
  }
  return false;
}

/// True if the client only moves and casts tensor `id`.
bool is_read_as_it_is(const Graph& after, TensorId id) {
  std::set<TensorId> moved{id};
  for (const Node& node : after.nodes) {
    if (std::ranges::none_of(node.inputs, [&](TensorId input) { return moved.contains(input); })) continue;
    if (!is(node.op, Class::movement) && node.op != "Cast" && node.op != "ai.onnx.ml.ZipMap") return false;
    moved.insert(node.outputs.begin(), node.outputs.end());
  }
  return true;
}

/// A number with a range below this share of the widest counts as constant.
constexpr double kNarrowest = 1e-12;

bool are_unlike(const std::vector<double>& ranges) {
  if (ranges.size() > kMostNumbers) return false;
  double widest = 0, narrowest = std::numeric_limits<double>::infinity();
  for (const double range : ranges) widest = std::max(widest, range);
  for (const double range : ranges)
    if (range > kNarrowest * widest) narrowest = std::min(narrowest, range);
  return widest > 0 && widest >= kUnlikeNumbers * narrowest;
}

}  // namespace

Answers::Answers(const ClientParts& client, std::vector<Numbers> exact, std::vector<char> far)
    : client_(client), far_(std::move(far)), exact_(std::move(exact)) {
  const std::vector<TensorId> scores = find_scores();
  const Graph& after = client_.after;
  static const std::set<std::string> kSigns{"Greater", "Less", "Sigmoid", "Sign", "tacit.LinearVotes"};
  for (std::size_t o = 0; o < after.inputs.size(); ++o) {
    const bool single = !exact_.empty() && exact_scores()[0][o].size() == 1;
    const std::vector<double> ranges = ranges_of_elements(o);
    const bool unlike = are_unlike(ranges) && is_read_as_it_is(after, scores[o]);
    const Kind kind = unlike                              ? Kind::numbers
                      : !single                           ? Kind::largest
                      : reaches(after, scores[o], kSigns) ? Kind::sign
                                                          : Kind::number;
    Rule rule{kind, 0, 0};
    if (unlike) {
      rule.range = *std::ranges::max_element(ranges);
      for (const double range : ranges) rule.each.push_back(kValueTolerance * std::max(range, rule.range * kNarrowest));
    } else {
      Range shown;
      for (std::size_t s = 0; s < exact_scores().size(); ++s)
        for (const double x : exact_scores()[s][o])
          if (is_ordinary(s)) shown.include(x);
      rule.range = shown.width();
    }
    const bool of_numbers = kind == Kind::number || kind == Kind::numbers;
    rule.allowed = rule.range * (of_numbers ? kValueTolerance : kLargestError);
    if (after.tensors[after.inputs[o]].integral) rule.allowed = std::min(rule.allowed, kMostNoiseOfIntegers);
    rules_.push_back(std::move(rule));
  }
  for (std::size_t o = 0; o < rules_.size() && !scores_are_outputs_; ++o) {
    const double step = kProbe * rules_[o].range;
    if (!(step > 0) || after.tensors[after.inputs[o]].integral) continue;
    for (const bool in_turns : {false, true})
      probe(to_scores_, o, step, in_turns, [&](std::size_t s, const std::vector<Tensor>& found) {
        for (std::size_t k = 0; k < found[o].data.size(); ++k)
          rules_[o].gain = std::max(rules_[o].gain, std::abs(found[o].data[k] - exact_scores_[s][o][k]) / step);
      });
  }
  if (!exact_.empty()) find_values();
}

std::vector<double> Answers::ranges_of_elements(std::size_t output) const {
  std::vector<Range> shown(exact_.empty() ? 0 : exact_scores()[0][output].size());
  for (std::size_t s = 0; s < exact_scores().size(); ++s)
    for (std::size_t k = 0; k < shown.size(); ++k)
      if (is_ordinary(s)) shown[k].include(exact_scores()[s][output][k]);
  std::vector<double> ranges;
  for (const Range& range : shown) ranges.push_back(range.width());
  return ranges;
}

// Returns the scores. The client's operators before scores are piecewise linear, so that `Rule::gain` of a small step
// holds for larger steps.
std::vector<TensorId> Answers::find_scores() {
  const Graph& after = client_.after;
  std::vector<TensorId> scores = after.inputs;
  for (TensorId& last : scores) {
    std::set<TensorId> reached{last}, on_the_way = reached;
    for (const Node& node : after.nodes) {
      const std::vector<std::size_t> read = private_inputs(after, node);
      if (read.empty() || !std::ranges::all_of(read, [&](std::size_t i) { return reached.contains(node.inputs[i]); }))
        continue;
      const bool mixes = is(node.op, Class::linear) || is(node.op, Class::maxima);
      if (!mixes && !is(node.op, Class::movement) && node.op != "Relu" && !(node.op == "Cast" && casts_to_real(node)))
        continue;
      reached.insert(node.outputs[0]);
      if (!mixes) continue;
      last = node.outputs[0];
      on_the_way = reached;
    }
    on_the_way_.merge(on_the_way);
  }
  scores_are_outputs_ = scores == after.inputs;
  if (scores_are_outputs_) return scores;
  to_scores_.after = after;
  to_scores_.after.outputs = scores;
  to_scores_.after = prune(std::move(to_scores_.after));
  for (const Numbers& outputs : exact_) exact_scores_.push_back(scores_of(outputs));
  return scores;
}

Numbers Answers::scores_of(const Numbers& outputs) const {
  return scores_are_outputs_ ? outputs : numbers_of(run_after(to_scores_, outputs));
}

template <class Found>
void Answers::probe(const ClientParts& part, std::size_t output, double step, bool in_turns, const Found& found) const {
  const std::size_t samples = std::min(kProbedSamples, exact_.size());
  for (std::size_t i = 0; i < samples; ++i) {
    const std::size_t s = i * exact_.size() / samples;
    Numbers outputs = exact_[s];
    for (std::size_t k = 0; k < outputs[output].size(); ++k)
      outputs[output][k] += in_turns && k % 2 == 1 ? -step : step;
    found(s, run_after(part, outputs));
  }
}

// Finds the model's real outputs that the client computes from scores by more than movements. Other outputs are scores,
// or numbers that a rule holds.
void Answers::find_values() {
  const Graph& after = client_.after;
  std::set<TensorId> computed;
  for (const Node& node : after.nodes) {
    const bool moves = is(node.op, Class::movement) || node.op == "Cast" || node.op == "ai.onnx.ml.ZipMap" ||
                       on_the_way_.contains(node.outputs[0]);
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
    Range shown;
    for (std::size_t s = 0; s < exact_values_.size(); ++s)
      for (const double x : exact_values_[s][value.output].data)
        if (std::isfinite(x) && is_ordinary(s)) shown.include(x);
    value.range = shown.width();
  }
  std::erase_if(values_, [](const Value& value) { return !(value.range > 0); });
  for (std::size_t o = 0; o < rules_.size() && !values_.empty(); ++o) {
    const double step = kProbe * rules_[o].range;
    const bool whole = after.tensors[after.inputs[o]].integral;  // a rounded output moves nothing
    sensitivities_.push_back(step > 0 && !whole ? sensitivity(o, step) : 0);
  }
}

bool Answers::shows_values() const {
  return !values_.empty() || std::ranges::any_of(rules_, [](const Rule& rule) {
    return rule.kind == Kind::number || rule.kind == Kind::numbers;
  });
}

double Answers::value_margin(std::size_t sample, const Numbers& outputs) const {
  double used = 0;
  for (std::size_t o = 0; o < sensitivities_.size(); ++o)
    for (std::size_t k = 0; k < outputs[o].size(); ++k)
      used = std::max(used, share(std::abs(outputs[o][k] - exact_[sample][o][k]) * sensitivities_[o], kValueTolerance));
  return used;
}

double Answers::sensitivity(std::size_t output, double step) const {
  double moved = 0;
  // Errors of different elements are independent: neighbours step in opposite directions.
  probe(client_, output, step, true, [&](std::size_t s, const std::vector<Tensor>& found) {
    for (const Value& value : values_) {
      const std::vector<double>&exact = exact_values_[s][value.output].data, &got = found[value.output].data;
      for (std::size_t k = 0; k < exact.size(); ++k)
        if (std::isfinite(got[k] - exact[k])) moved = std::max(moved, std::abs(got[k] - exact[k]) / value.range);
    }
  });
  return moved / step;
}

double Answers::used_margin(std::size_t sample, const Numbers& outputs) const {
  const double of_scores = used_margin_of_scores(sample, scores_are_outputs_ ? outputs : scores_of(outputs));
  return std::max(value_margin(sample, outputs), of_scores);
}

double Answers::used_margin_of_scores(std::size_t sample, const Numbers& scores) const {
  double used = 0;
  for (std::size_t o = 0; o < rules_.size(); ++o) {
    const std::vector<double>&exact = exact_scores()[sample][o], &found = scores[o];
    const auto best = static_cast<std::size_t>(std::max_element(exact.begin(), exact.end()) - exact.begin());
    for (std::size_t k = 0; k < exact.size(); ++k) {
      const double allowed = rules_[o].each.empty() ? rules_[o].allowed : rules_[o].each[k];
      used = std::max(used, share(std::abs(found[k] - exact[k]), allowed));
      if (rules_[o].kind == Kind::sign) used = std::max(used, share(std::abs(found[k] - exact[k]), std::abs(exact[k])));
      if (rules_[o].kind != Kind::largest || k == best) continue;
      const double gap = exact[best] - exact[k], closed = gap - (found[best] - found[k]);
      if (closed > 0 || !std::isfinite(closed)) used = std::max(used, share(closed, gap));
    }
  }
  return used;
}

double Answers::changed_share(const std::vector<Numbers>& outputs) const {
  const std::size_t samples = exact_.size();
  std::vector<double> value_margins;  // they depend on errors alone
  std::vector<Numbers> errors;        // of scores
  for (std::size_t s = 0; s < samples; ++s) {
    value_margins.push_back(value_margin(s, outputs[s]));
    errors.push_back(scores_of(outputs[s]));
    for (std::size_t o = 0; o < rules_.size(); ++o)
      for (std::size_t k = 0; k < errors[s][o].size(); ++k) errors[s][o][k] -= exact_scores()[s][o][k];
  }
  std::size_t changed = 0;
  Numbers tried;
  for (std::size_t s = 0; s < samples; ++s)
    for (std::size_t from = 0; from < samples; ++from) {
      tried = exact_scores()[s];
      for (std::size_t o = 0; o < tried.size(); ++o)
        for (std::size_t k = 0; k < tried[o].size(); ++k) tried[o][k] += errors[from][o][k];
      if (std::max(value_margins[from], used_margin_of_scores(s, tried)) >= 1) ++changed;
    }
  return static_cast<double>(changed) / static_cast<double>(std::max<std::size_t>(samples * samples, 1));
}

double Answers::largest_error(const std::vector<Numbers>& outputs) const {
  double largest = 0;
  for (std::size_t s = 0; s < outputs.size(); ++s) {
    if (!is_ordinary(s)) continue;
    largest = std::max(largest, kValueTolerance * value_margin(s, outputs[s]));
    const Numbers found = scores_of(outputs[s]);
    for (std::size_t o = 0; o < rules_.size(); ++o) {
      const bool is_read = rules_[o].kind == Kind::number || rules_[o].kind == Kind::numbers;
      if (!is_read && !values_.empty()) continue;
      for (std::size_t k = 0; k < found[o].size(); ++k) {
        const double range = rules_[o].each.empty() ? rules_[o].range : rules_[o].each[k] / kValueTolerance;
        if (range > 0) largest = std::max(largest, share(std::abs(found[o][k] - exact_scores()[s][o][k]), range));
      }
    }
  }
  return largest;
}

std::vector<double> Answers::allowed_noise(const std::vector<Numbers>& outputs) const {
  std::vector<double> allowed;
  for (const Rule& rule : rules_)
    allowed.push_back(std::min(kLargestNoise * rule.range, rule.allowed / kNoiseDeviations) / rule.gain);
  for (std::size_t o = 0; o < sensitivities_.size(); ++o)
    if (sensitivities_[o] > 0)
      allowed[o] = std::min(allowed[o], kValueTolerance / (kValueDeviations * sensitivities_[o]));
  for (std::size_t s = 0; s < exact_.size(); ++s) {
    if (2 * used_margin(s, outputs[s]) >= 1) continue;
    for (std::size_t o = 0; o < rules_.size(); ++o) {
      std::vector<double> sorted = exact_scores()[s][o];
      const double deviations = kNoiseDeviations * rules_[o].gain;
      if (rules_[o].kind == Kind::sign) allowed[o] = std::min(allowed[o], std::abs(sorted[0]) / deviations);
      if (rules_[o].kind != Kind::largest || sorted.size() < 2) continue;
      std::nth_element(sorted.begin(), std::next(sorted.begin()), sorted.end(), std::greater<>());
      const double gap = sorted[0] - sorted[1];
      allowed[o] = std::min(allowed[o], gap / std::sqrt(2.0) / deviations);  // both numbers are noisy
    }
  }
  return allowed;
}

}  // namespace tacit::graph::passes
