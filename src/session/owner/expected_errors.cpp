#include "session/owner/expected_errors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "base/error.h"
#include "base/parallel.h"
#include "base/percent_text.h"
#include "graph/reference/run.h"
#include "graph/tree_ensemble.h"
#include "graph/work.h"

namespace tacit::session {
namespace {

using Json = nlohmann::ordered_json;
using Sample = std::vector<graph::Tensor>;

/// Multiplications of reference runs that stating errors may take. A clear run of a program on slots takes some ten
/// times as long as the reference run: a few seconds of one core in all.
constexpr double kMostWork = 5e8;
constexpr std::size_t kFewestErrorSamples = 4;
/// The factor by which the stated error exceeds that of rows that are no samples.
constexpr double kOthersFactor = 2;

/// The most samples that may be simulated, `most` at most.
std::size_t most_affordable(const graph::Graph& graph, std::size_t most) {
  const double affordable = kMostWork / std::max(1.0, graph::work_of(graph));
  return std::min(most, std::max(kFewestErrorSamples, static_cast<std::size_t>(std::min(affordable, 1e6))));
}

std::vector<Sample> taken_evenly(const graph::Graph& graph, std::span<const Sample> samples) {
  const std::size_t count = std::min(samples.size(), most_affordable(graph, kMostErrorSamples));
  std::vector<Sample> taken;
  for (std::size_t i = 0; i < count; ++i) taken.push_back(samples[i * samples.size() / count]);
  return taken;
}

/// Returns rows without content: all elements of every picture or sequence are 0, or the smallest number of any sample.
/// Black pictures and padding are such rows. Samples seldom have any, and most models give them an answer. None if no
/// input is a picture or a sequence of numbers.
std::vector<Sample> blank_rows(const graph::Graph& graph, const std::vector<Sample>& samples) {
  Sample zeros = samples.front(), smallest = zeros;
  bool some = false;
  for (std::size_t k = 0; k < zeros.size(); ++k) {
    constexpr std::size_t kFewestAxes = 3;
    if (zeros[k].shape.size() < kFewestAxes || !zeros[k].texts.empty() || graph.tensors[graph.inputs.at(k)].integral)
      continue;
    double least = HUGE_VAL;
    for (const Sample& sample : samples)
      for (const double x : sample[k].data) least = std::min(least, x);
    std::ranges::fill(zeros[k].data, 0.0);
    std::ranges::fill(smallest[k].data, least);
    some = true;
  }
  return some ? std::vector<Sample>{std::move(zeros), std::move(smallest)} : std::vector<Sample>{};
}

/// Numbers that no sample has, between those of the samples: the distribution of one element, continued by lines. An
/// element that is whole in all samples takes their numbers alone.
class ElementBetween {
 public:
  ElementBetween(const std::vector<Sample>& samples, std::size_t input, std::size_t element) {
    for (const Sample& sample : samples)
      if (const double x = sample[input].data[element]; !std::isnan(x)) numbers_.push_back(x);
    std::ranges::sort(numbers_);
    whole_ = std::ranges::all_of(numbers_, [](double x) { return x == std::floor(x); });
  }
  double draw(std::mt19937_64& random) const {
    if (numbers_.empty()) return std::nan("");
    const double at = std::uniform_real_distribution<double>(0, static_cast<double>(numbers_.size() - 1))(random);
    const auto below = static_cast<std::size_t>(at);
    if (whole_ || below + 1 >= numbers_.size()) return numbers_[static_cast<std::size_t>(std::round(at))];
    return std::lerp(numbers_[below], numbers_[below + 1], at - std::floor(at));
  }

 private:
  std::vector<double> numbers_;  // rising
  bool whole_ = false;
};

/// Returns rows whose elements are drawn one by one between those of the samples. Thresholds of trees that share a
/// border of a grid change no sample's answer if no sample lies between them. None for a network without trees.
std::vector<Sample> rows_between(const graph::Graph& graph, const std::vector<Sample>& samples) {
  constexpr std::size_t kMostRows = 1000, kMostElements = 4096;
  const bool trees = std::ranges::any_of(graph.nodes, [](const graph::Node& node) {
    return node.op.starts_with("ai.onnx.ml.TreeEnsemble") || node.op == graph::kTreeScoresOp;
  });
  if (!trees || samples.size() < 2) return {};
  std::mt19937_64 random(1);
  std::vector<Sample> rows;
  const std::size_t count = most_affordable(graph, kMostRows);
  for (std::size_t r = 0; r < count; ++r) rows.push_back(samples[random() % samples.size()]);
  for (std::size_t k = 0; k < samples.front().size(); ++k) {
    const std::size_t elements = samples.front()[k].data.size();
    if (elements > kMostElements || !samples.front()[k].texts.empty()) continue;
    for (std::size_t e = 0; e < elements; ++e) {
      const ElementBetween between(samples, k, e);
      for (Sample& row : rows) row[k].data[e] = between.draw(random);
    }
  }
  return rows;
}

/// Adds the rows that have an answer.
void add_answered(OutputErrors& errors, const graph::Graph& graph, const std::vector<Sample>& rows, std::size_t batch,
                  const SimulatedRun& simulate) {
  std::vector<Sample> exact(rows.size());
  std::vector<SimulatedAnswer> answers(rows.size());
  base::parallel_for(0, (rows.size() + batch - 1) / batch, [&](std::size_t run) {
    const std::size_t first = run * batch, last = std::min(first + batch, rows.size());
    try {
      for (std::size_t r = first; r < last; ++r) exact[r] = graph::reference::run(graph, rows[r]);
      auto simulated = simulate(std::span(rows).subspan(first, last - first), 0);
      std::move(simulated.begin(), simulated.end(), answers.begin() + static_cast<std::ptrdiff_t>(first));
    } catch (const base::InputError&) {  // the client refuses a row
    }
  });
  for (std::size_t r = 0; r < rows.size(); ++r)
    if (const auto& outputs = answers[r].outputs; outputs && !errors.nan_in(*outputs, exact[r]))
      errors.add(*outputs, exact[r]);
}

/// An account of all rows, with the largest errors that any block of them shows as shares of its own range: a block
/// reaches less far than all rows.
std::vector<OutputError> largest_of_blocks(std::vector<OutputError> all, const std::vector<OutputErrors>& blocks) {
  for (const OutputErrors& block : blocks) {
    if (block.rows() == 0) continue;
    const std::vector<OutputError> shown = block.account();
    for (std::size_t o = 0; o < all.size(); ++o) {
      all[o].largest = std::max(all[o].largest, shown[o].largest);
      for (std::size_t t = 0; t < std::min(all[o].targets.size(), shown[o].targets.size()); ++t)
        all[o].targets[t].largest = std::max(all[o].targets[t].largest, shown[o].targets[t].largest);
    }
  }
  return all;
}

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

/// What a share is of, as the end of a phrase.
std::string_view of_what(ErrorMeasure measure) {
  switch (measure) {
    case ErrorMeasure::range: return "of its range";
    case ErrorMeasure::one: return "of 1";
    case ErrorMeasure::magnitude: return "of its magnitude";
    case ErrorMeasure::elements: return "of its elements";
  }
  throw base::InternalError("error measure out of range");
}

/// What the stated error of a target is a share of, over samples.
double unit_of(const ExpectedOutput& output, const std::vector<Sample>& exact, std::size_t place) {
  if (output.measure == ErrorMeasure::one) return 1;
  double lowest = HUGE_VAL, highest = -HUGE_VAL;
  for (const Sample& sample : exact)
    for (const double x : sample.at(place).data) {
      lowest = std::min(lowest, x);
      highest = std::max(highest, x);
    }
  return output.measure == ErrorMeasure::magnitude ? std::max(std::abs(lowest), std::abs(highest)) : highest - lowest;
}

/// How far the answer of scores is from another one; of a single probability from one half.
double margin_of(const graph::Tensor& scores) {
  if (scores.data.size() == 1) return 2 * std::abs(scores.data[0] - 0.5);
  double first = -HUGE_VAL, second = -HUGE_VAL;
  for (const double x : scores.data) {
    second = std::max(second, std::min(first, x));
    first = std::max(first, x);
  }
  return first - second;
}

/// A label may change wherever the scores beside it may: on so many of the samples the stated errors reach across the
/// margin. That no sample's label changed says little of rows that are closer.
void tie_labels_to_scores(ExpectedErrors& expected, const std::vector<Sample>& exact) {
  double share = 0;
  for (std::size_t o = 0; o < expected.outputs.size(); ++o) {
    const ExpectedOutput& scores = expected.outputs[o];
    if (scores.kind != OutputKind::scores && scores.kind != OutputKind::probability) continue;
    const double reach = 2 * scores.error * unit_of(scores, exact, o);
    const auto close =
        std::ranges::count_if(exact, [&](const Sample& sample) { return margin_of(sample.at(o)) < reach; });
    share = std::max(share, static_cast<double>(close) / static_cast<double>(exact.size()));
  }
  for (ExpectedOutput& label : expected.outputs)
    if (label.measure == ErrorMeasure::elements) label.error = std::max(label.error, share);
}

std::string expectation(const ExpectedOutput& output) {
  if (output.measure == ErrorMeasure::elements)
    return fmt::format("output '{}' is expected to differ in up to {} {}", output.name,
                       base::percent_text(output.error), of_what(output.measure));
  return fmt::format("output '{}' is expected to be off by up to {} {}", output.name, base::percent_text(output.error),
                     of_what(output.measure));
}

}  // namespace

double error_factor(std::size_t samples) {
  const auto log_of = [](std::size_t count) { return std::log(static_cast<double>(count) + 1); };
  return 5 * std::max(1.0, log_of(kMostErrorSamples) / log_of(std::max<std::size_t>(samples, 1)));
}

ExpectedErrors expected_errors(const graph::Graph& graph, std::span<const Sample> samples, std::size_t batch,
                               const SimulatedRun& simulate, base::Progress& progress) {
  if (samples.empty())
    return {.why_not = "there are no samples to state errors from; give calibration data (--calibrate)"};
  const std::vector<Sample> taken = taken_evenly(graph, samples);
  std::vector<SimulatedAnswer> answers(taken.size());
  std::vector<Sample> exact(taken.size());
  progress.begin("expected errors", taken.size());
  base::parallel_for(0, (taken.size() + batch - 1) / batch, [&](std::size_t run) {
    const std::size_t first = run * batch, last = std::min(first + batch, taken.size());
    for (std::size_t s = first; s < last; ++s) exact[s] = graph::reference::run(graph, taken[s]);
    auto simulated = simulate(std::span(taken).subspan(first, last - first), run + 1);
    std::move(simulated.begin(), simulated.end(), answers.begin() + static_cast<std::ptrdiff_t>(first));
    progress.advance(last - first);
  });
  progress.end();
  OutputErrors errors(output_forms(graph));
  std::vector<OutputErrors> blocks(std::max<std::size_t>(1, taken.size() / kRowsOfABlock), errors);
  std::string first_miss;
  for (std::size_t s = 0; s < taken.size(); ++s) {
    const std::optional<Sample>& outputs = answers[s].outputs;
    const std::optional<std::string> why_not = outputs ? errors.nan_in(*outputs, exact[s]) : answers[s].why_not;
    if (why_not) {
      if (first_miss.empty()) first_miss = *why_not;
      continue;
    }
    errors.add(*outputs, exact[s]);
    blocks[s % blocks.size()].add(*outputs, exact[s]);
  }
  if (errors.rows() == 0)
    return {.why_not = "none of the samples has an answer; give calibration data (--calibrate) like the inputs",
            .unanswered = true,
            .first_miss = std::move(first_miss)};
  ExpectedErrors expected;
  expected.samples = errors.rows();
  expected.missed = taken.size() - errors.rows();
  expected.first_miss = std::move(first_miss);
  const double factor = error_factor(errors.rows());
  OutputErrors with_others = errors;
  add_answered(with_others, graph, blank_rows(graph, taken), 1, simulate);
  add_answered(with_others, graph, rows_between(graph, taken), batch, simulate);
  const std::vector<OutputError> others = with_others.account();
  for (const OutputError& seen : largest_of_blocks(errors.account(), blocks)) {
    const OutputError& also = others[expected.outputs.size()];
    ExpectedOutput output{seen.name, seen.kind, seen.measure,
                          std::max(factor * seen.largest, kOthersFactor * also.largest), seen.mean};
    if (seen.measure == ErrorMeasure::elements) output.error = std::min(output.error, 1.0);
    output.agreement = static_cast<double>(seen.agreeing) / static_cast<double>(errors.rows());
    for (std::size_t t = 0; t < seen.targets.size(); ++t)
      output.targets.push_back({std::max(factor * seen.targets[t].largest, kOthersFactor * also.targets.at(t).largest),
                                seen.targets[t].mean});
    expected.outputs.push_back(std::move(output));
  }
  tie_labels_to_scores(expected, exact);
  return expected;
}

std::vector<std::string> error_warnings(const ExpectedErrors& expected, const std::string& way_out) {
  std::vector<std::string> warnings;
  for (const ExpectedOutput& output : expected.outputs)
    if (!(output.error <= kWarnedError)) warnings.push_back(fmt::format("{}: {}", expectation(output), way_out));
  const std::size_t samples = expected.samples + expected.missed;
  if (static_cast<double>(expected.missed) > kWarnedError * static_cast<double>(samples))
    warnings.push_back(fmt::format(
        "{} of {} samples have no answer, and as many of the inputs may have none; the first of these samples: {}",
        expected.missed, samples, expected.first_miss));
  return warnings;
}

void require_errors(const ExpectedErrors& expected, double most, const std::string& way_out) {
  if (expected.outputs.empty())
    base::refuse("--max-error {} bounds the expected error of every output, and none can be stated: {}",
                 base::percent_text(most), expected.why_not);
  for (const ExpectedOutput& output : expected.outputs)
    if (!(output.error <= most))
      base::refuse("{}, above the {} that --max-error allows: {}", expectation(output), base::percent_text(most),
                   way_out);
}

Json expected_errors_json(const graph::Graph& graph, const std::optional<ExpectedErrors>& expected) {
  Json list = Json::array();
  if (!expected || expected->outputs.empty()) {
    for (const OutputForm& form : output_forms(graph))
      list.push_back({{"name", form.name},
                      {"kind", name(form.kind)},
                      {"expected_error", nullptr},
                      {"expected_mean_error", nullptr}});
    return list;
  }
  for (const ExpectedOutput& output : expected->outputs) {
    Json targets = Json::array();
    for (const ExpectedTarget& target : output.targets)
      targets.push_back({{"expected_error", finite_or_null(target.error)},
                         {"expected_mean_error", finite_or_null(target.mean_error)}});
    list.push_back({{"name", output.name},
                    {"kind", name(output.kind)},
                    {"measure", name(output.measure)},
                    {"expected_error", finite_or_null(output.error)},
                    {"expected_mean_error", finite_or_null(output.mean_error)},
                    {"expected_agreement", output.agreement}});
    if (!targets.empty()) list.back()["targets"] = std::move(targets);
  }
  return list;
}

Json error_source_json(const std::optional<ExpectedErrors>& expected) {
  const bool missing = expected && expected->outputs.empty();
  return {{"samples", expected ? expected->samples : 0},
          {"missed", expected ? expected->missed : 0},
          {"not_stated", missing ? Json(expected->why_not) : Json(nullptr)}};
}

std::vector<std::string> expected_errors_text(const Json& plan) {
  const Json& source = plan.at("expected_errors");
  if (!source.at("not_stated").is_null()) return {"not stated: " + source.at("not_stated").get<std::string>()};
  std::vector<std::string> list;
  const auto share = [](const Json& of, const char* field) {
    return of.at(field).is_null() ? HUGE_VAL : of.at(field).get<double>();
  };
  for (const Json& output : plan.at("outputs")) {
    if (!output.contains("expected_agreement")) continue;
    const auto measure = output.at("measure").get<std::string>();
    std::string text = fmt::format(
        "'{}': at most {} expected, {} on average ({}); {} of the samples agree", output.at("name").get<std::string>(),
        base::percent_text(share(output, "expected_error")), base::percent_text(share(output, "expected_mean_error")),
        measure, base::percent_text(share(output, "expected_agreement")));
    std::vector<std::string> targets;
    if (output.contains("targets") && output.at("targets").size() > 1)
      for (const Json& target : output.at("targets"))
        targets.push_back(base::percent_text(share(target, "expected_error")));
    constexpr std::size_t kMostShown = 16;
    if (!targets.empty() && targets.size() <= kMostShown)
      text += fmt::format("; at most, by element: {}", fmt::join(targets, ", "));
    list.push_back(std::move(text));
  }
  return list;
}

}  // namespace tacit::session
