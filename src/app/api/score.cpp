#include <fmt/format.h>
#include <tacit/score.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/api/memory.h"
#include "app/api/model_impl.h"
#include "session/owner/score_report.h"
#include "session/owner/scored_run.h"

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

}  // namespace

Score score(const CompiledModel& model, std::span<const Tensors> inputs, const ScoreOptions& options) {
  if (!model.origin) throw InputError("score: this model was read from files; compile it here");
  if (inputs.empty()) throw InputError("score: there is no input to run; give at least one");
  if (!options.labels.empty() && options.labels.size() != inputs.size())
    throw InputError(fmt::format("score: there are {} labels for {} inputs", options.labels.size(), inputs.size()));
  const std::unique_ptr<session::CompiledNetwork> network = model.origin->network();
  const session::ScoredInputs scored{
      .count = inputs.size(),
      .sample = [&](std::size_t i) { return sample_of(network->graph(), inputs[i], fmt::format("input {}", i)); },
      .label = [&](std::size_t i) { return options.labels.empty() ? std::nullopt : std::optional(options.labels[i]); }};
  session::RunBudget budget;  // none simulates
  if (options.encrypted) budget = [&] { return app::api::work_budget(options.memory_bytes); };
  Score score{
      .inputs = inputs.size(), .misses = {}, .answers = std::vector<Tensors>(inputs.size()), .text = {}, .json = {}};
  Collector collector(score);
  const session::ScoredRun run = session::score(*network, scored, budget, collector,
                                                options.progress != nullptr ? *options.progress : Progress::silent());
  std::ranges::sort(score.misses, {}, &Miss::input);
  score.agreement = run.scores.agreement();
  score.accuracy = run.scores.accuracy_encrypted();
  score.plain_accuracy = run.scores.accuracy_plain();
  score.seconds = run.evaluate_seconds;
  score.text = session::scores_text(run.scores, run.excesses, !options.encrypted);
  nlohmann::ordered_json json;
  session::add_scores(json, run.scores, run.excesses);
  score.json = json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
  return score;
}

}  // namespace tacit
