#include "app/commands/cross_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/command_line.h"
#include "app/output.h"
#include "app/progress_bar.h"
#include "base/error.h"
#include "session/owner/compilation.h"
#include "session/owner/dataset.h"
#include "session/owner/score_report.h"
#include "session/owner/slots/cross_fit.h"
#include "session/table.h"

namespace tacit::app::commands {
namespace {

using Json = nlohmann::ordered_json;

/// How the inputs were divided, in a sentence.
std::string protocol(const ScoringOptions& options, const session::CrossFit& result) {
  const auto [fewest, most] = std::ranges::minmax(result.parts, {}, &session::CrossFitPart::samples);
  const std::string samples = fewest.samples == most.samples ? fmt::to_string(most.samples)
                                                             : fmt::format("{} to {}", fewest.samples, most.samples);
  return fmt::format(
      "scored each of {} parts (part p: inputs p, p + {}, p + {}, ..., counted from {}) by a network calibrated on {} "
      "inputs of the other {}",
      options.parts, options.parts, 2 * options.parts, options.inputs.first, samples, options.parts - 1);
}

Json json_of(const ScoringOptions& options, const session::CrossFit& result) {
  Json json{{"cross_fit", options.parts}, {"protocol", protocol(options, result)}, {"simulated", true}};
  for (const session::CrossFitPart& part : result.parts)
    json["parts"].push_back({{"inputs", part.inputs},
                             {"samples", part.samples},
                             {"parameters", part.parameters},
                             {"agreeing", part.agreeing},
                             {"misses", part.misses}});
  session::add_scores(json, result.scores, result.excesses);
  return json;
}

std::string text_of(const ScoringOptions& options, const session::CrossFit& result) {
  session::Table table({"part", "parameters", "calibrated on", "inputs", "agree", "without an answer"});
  for (std::size_t p = 0; p < result.parts.size(); ++p) {
    const session::CrossFitPart& part = result.parts[p];
    table.add({fmt::to_string(p), part.parameters, fmt::to_string(part.samples), fmt::to_string(part.inputs),
               fmt::to_string(part.agreeing), fmt::to_string(part.misses)});
  }
  return fmt::format("Cross-fitting: {}\n\n{}\n", protocol(options, result), table.text()) +
         session::scores_text(result.scores, result.excesses, /*simulated=*/true);
}

}  // namespace

int agreement_status(const ScoringOptions& options, const session::Scoreboard& scores) {
  if (!options.expect_agreement || scores.agreement() >= *options.expect_agreement) return kSuccess;
  print_sentence(
      fmt::format("only {:.4g} of the answers agree with the plaintext network and --expect-agreement asks for {:.4g}",
                  scores.agreement(), *options.expect_agreement));
  return kDisagreement;
}

int run_cross_fit(const ScoringOptions& options) {
  ProgressBar bar;
  const graph::Graph graph = options.read(options.inputs.files);
  const session::Dataset data(options.inputs.files, graph, options.preprocessing);
  std::vector<double> labels;
  if (!options.labels.empty()) labels = session::read_labels(options.labels, data.size());
  const auto [first, end] = options.inputs.rows(data.size());
  const session::ScoredInputs inputs = session::scored_rows(data, first, end, labels);
  const session::CrossFitRequest request{options.parts, options.samples.count.value_or(session::kMostSamples)};
  session::require_heeded(options.choices);
  graph::CompileOptions compile = session::options_of_slots(options.choices, options.compute.planning_budget());
  compile.input_range = options.choices.input_range ? options.choices.input_range : data.public_range();
  const session::CrossFit result =
      session::cross_fit(options.model.filename().string(), graph, inputs, request, compile, bar);
  for (const std::string& warning : result.warnings) print_sentence("warning: " + warning);
  print_report(options.compute.json, json_of(options, result), text_of(options, result));
  if (result.scores.answered() == 0)
    base::refuse(
        "none of the {} inputs has an answer: each drives a value outside the interval that the other parts show",
        result.scores.images());
  return agreement_status(options, result.scores);
}

}  // namespace tacit::app::commands
