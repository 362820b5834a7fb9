#include <fmt/format.h>
#include <tacit/score.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/api/memory.h"
#include "app/api/model_impl.h"
#include "session/owner/compilation.h"
#include "session/owner/options/compile_option.h"
#include "session/owner/read_model.h"
#include "session/owner/score_report.h"
#include "session/owner/scored_run.h"
#include "session/owner/slots/cross_fit.h"

namespace tacit {
namespace {

/// Keeps answers and misses.
class Collector final : public session::ScoreObserver {
 public:
  explicit Collector(Score& score) : score_(score) {}
  void on_answer(std::size_t i, const std::vector<graph::Tensor>& outputs, const session::Scoreboard&,
                 double) override {
    score_.answers[i] = numbers_of(outputs);
  }
  void on_miss(std::size_t i, const std::string& why) override { score_.misses.push_back({i, why}); }

 private:
  Score& score_;
};

void require_labels(std::string_view who, const std::vector<double>& labels, std::size_t inputs) {
  if (inputs == 0) throw InputError(fmt::format("{}: there is no input to run; give at least one", who));
  if (!labels.empty() && labels.size() != inputs)
    throw InputError(fmt::format("{}: there are {} labels for {} inputs", who, labels.size(), inputs));
}

session::ScoredInputs inputs_of(const graph::Graph& graph, std::span<const Tensors> inputs,
                                const std::vector<double>& labels) {
  session::ScoredInputs scored{.count = inputs.size()};
  scored.sample = [&graph, inputs](std::size_t i) { return sample_of(graph, inputs[i], fmt::format("input {}", i)); };
  if (!labels.empty()) scored.label = [&labels](std::size_t i) { return std::optional(labels[i]); };
  return scored;
}

void add_scores(Score& score, const session::Scoreboard& scores, const std::vector<session::RangeExcess>& excesses,
                bool simulated) {
  score.agreement = scores.agreement();
  score.accuracy = scores.accuracy_encrypted();
  score.plain_accuracy = scores.accuracy_plain();
  score.text = session::scores_text(scores, excesses, simulated);
  nlohmann::ordered_json json;
  session::add_scores(json, scores, excesses);
  score.json = json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

Score cross_fit_source(const session::ModelSource& source, std::span<const Tensors> inputs,
                       const CompileOptions& compile, const CrossFitOptions& options) {
  require_labels("cross_fit", options.labels, inputs.size());
  if (!compile.calibration.empty() || !compile.ranges.empty())
    throw InputError("cross_fit: the other parts calibrate every network; leave out calibration and ranges");
  if (compile.scheme != Scheme::ckks)
    throw InputError("cross_fit works on real numbers alone; leave out the scheme, which is ckks then");
  session::require_heeded(compile);
  const graph::Graph graph = session::read_model(source, compile);
  graph::CompileOptions compiled = session::options_of_slots(compile, app::api::planning_budget(compile.memory_bytes));
  compiled.input_range = compile.input_range;
  session::CrossFit result =
      session::cross_fit(source.file.empty() ? source.name : source.file.filename().string(), graph,
                         inputs_of(graph, inputs, options.labels), {options.parts, options.most_samples}, compiled,
                         compile.progress != nullptr ? *compile.progress : Progress::silent());
  Score score{.inputs = inputs.size(), .misses = {}, .answers = {}, .text = {}, .json = {}};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (result.misses[i]) score.misses.push_back({i, *result.misses[i]});
    score.answers.push_back(numbers_of(std::move(result.answers[i])));
  }
  add_scores(score, result.scores, result.excesses, true);
  return score;
}

}  // namespace

Score cross_fit(const std::filesystem::path& onnx_file, std::span<const Tensors> inputs, const CompileOptions& compile,
                const CrossFitOptions& options) {
  return cross_fit_source({.file = onnx_file}, inputs, compile, options);
}

Score cross_fit_bytes(std::string_view onnx, const std::string& name, std::span<const Tensors> inputs,
                      const CompileOptions& compile, const CrossFitOptions& options) {
  return cross_fit_source({.content = onnx, .name = name}, inputs, compile, options);
}

Score score(const CompiledModel& model, std::span<const Tensors> inputs, const ScoreOptions& options) {
  if (!model.origin) throw InputError("score: this model was read from files; compile it here");
  require_labels("score", options.labels, inputs.size());
  const std::unique_ptr<session::CompiledNetwork> network = model.origin->network();
  const session::ScoredInputs scored = inputs_of(network->graph(), inputs, options.labels);
  session::RunBudget budget;  // none simulates
  if (options.encrypted) budget = [&] { return app::api::work_budget(options.memory_bytes); };
  Score score{
      .inputs = inputs.size(), .misses = {}, .answers = std::vector<Tensors>(inputs.size()), .text = {}, .json = {}};
  Collector collector(score);
  const session::ScoredRun run = session::score(*network, scored, budget, collector,
                                                options.progress != nullptr ? *options.progress : Progress::silent());
  std::ranges::sort(score.misses, {}, &Miss::input);
  score.seconds = run.evaluate_seconds;
  add_scores(score, run.scores, run.excesses, !options.encrypted);
  return score;
}

}  // namespace tacit
