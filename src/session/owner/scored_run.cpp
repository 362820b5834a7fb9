#include "session/owner/scored_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "base/process_memory.h"
#include "graph/reference/run.h"
#include "session/stopwatch.h"

namespace tacit::session {
namespace {

using Sample = std::vector<graph::Tensor>;

/// One scored run: the plaintext network, the compiled one, and the comparison.
class Scoring {
 public:
  Scoring(CompiledNetwork& network, const ScoredInputs& inputs, ScoreObserver& observer, base::Progress& progress)
      : network_(network),
        inputs_(inputs),
        observer_(observer),
        progress_(progress),
        plain_(inputs.count),
        result_{.scores = Scoreboard(network.graph()),
                .misses = std::vector<std::optional<std::string>>(inputs.count)} {}

  ScoredRun run(const RunBudget& memory) {
    run_plain();
    base::release_kept_memory();  // keys and weights take other blocks
    group();
    const std::unique_ptr<Engine> engine =
        memory ? network_.encrypted(memory(), progress_, runs_.size()) : network_.simulated();
    result_.preparation = engine->preparation();
    base::release_kept_memory();  // encoding leaves holes among its blocks
    inferences_.resize(runs_.size());
    const Stopwatch whole;
    progress_.begin(memory ? "inference on ciphertexts" : "simulating", inputs_.count);
    for (std::size_t i = 0; i < inputs_.count; ++i)
      if (result_.misses[i]) {
        miss(i);
        progress_.advance(1);
      }
    if (engine->concurrent()) {
      base::parallel_for(0, runs_.size(), [&](std::size_t run) { infer(*engine, run, run + 1); });
      for (std::size_t run = 0; run < runs_.size(); ++run) compare(run);
    } else {
      for (std::size_t first = 0; first < runs_.size(); first += engine->at_once()) {
        const std::size_t last = std::min(first + engine->at_once(), runs_.size());
        infer(*engine, first, last);
        for (std::size_t run = first; run < last; ++run) compare(run);
      }
    }
    progress_.end();
    result_.excesses = network_.excesses();
    result_.neighbour_shares = engine->neighbour_shares();
    account(*engine, whole.seconds());
    return std::move(result_);
  }

 private:
  std::int64_t number(std::size_t i) const { return inputs_.first + static_cast<std::int64_t>(i); }

  /// Runs the plaintext network on every input, and reads the compiled one in the clear to see whether any value leaves
  /// the interval that it was compiled for.
  void run_plain() {
    std::vector<std::optional<std::string>> refusals(inputs_.count);
    progress_.begin("plaintext answers and ranges", inputs_.count);
    const auto batch = static_cast<std::size_t>(network_.batch());
    base::parallel_for(0, (inputs_.count + batch - 1) / batch, [&](std::size_t run) {
      run_plain(run * batch, std::min((run + 1) * batch, inputs_.count), refusals);
    });
    progress_.end();
    // Then it is the data that is wrong, not a row.
    if (std::ranges::all_of(refusals, [](const auto& refusal) { return refusal.has_value(); }) && inputs_.count > 0)
      throw base::InputError(*refusals.front());
    for (std::size_t i = 0; i < refusals.size(); ++i)
      if (refusals[i]) result_.misses[i] = fmt::format("input {} has no answer: {}", number(i), *refusals[i]);
  }

  void run_plain(std::size_t first, std::size_t last, std::vector<std::optional<std::string>>& refusals) {
    std::vector<Sample> samples;
    bool all_taken = true;
    for (std::size_t i = first; i < last; ++i) {
      samples.emplace_back();
      try {
        samples.back() = inputs_.sample(i);
        plain_[i] = graph::reference::run(network_.graph(), samples.back());
      } catch (const base::InputError& error) {
        refusals[i] = error.what();
        all_taken = false;
      }
      progress_.advance(1);
    }
    // A run reads its samples side by side, under numbers that follow each other.
    const auto check = [&](std::size_t from, std::size_t to) {
      const std::span<const Sample> some(samples.data() + (from - first), to - from);
      const auto excesses = network_.check(number(from), some);
      for (std::size_t i = from; i < to; ++i)
        if (excesses[i - from]) result_.misses[i] = miss_text(*excesses[i - from]);
    };
    if (all_taken) try {
        return check(first, last);
      } catch (const base::InputError&) {  // of one of the samples, which the next lines find
      }
    for (std::size_t i = first; i < last; ++i) try {
        if (!refusals[i]) check(i, i + 1);
      } catch (const base::InputError& error) {
        refusals[i] = error.what();
      }
  }

  /// Groups the inputs that the plaintext found nothing against, a batch at a time.
  void group() {
    const auto batch = static_cast<std::size_t>(network_.batch());
    for (std::size_t i = 0; i < inputs_.count; ++i) {
      if (result_.misses[i]) continue;
      if (runs_.empty() || runs_.back().size() == batch) runs_.emplace_back();
      runs_.back().push_back(i);
    }
  }

  void infer(Engine& engine, std::size_t first, std::size_t last) {
    std::vector<std::vector<Sample>> samples(last - first);
    for (std::size_t run = first; run < last; ++run)
      for (const std::size_t i : runs_[run]) samples[run - first].push_back(inputs_.sample(i));
    std::vector<Inference> round = engine.infer_round(samples);
    for (std::size_t run = first; run < last; ++run) {
      inferences_[run] = std::move(round[run - first]);
      const Inference& inference = inferences_[run];
      for (std::size_t place = 0; place < runs_[run].size(); ++place) {
        // A result outside its bounds refuses the whole run.
        const std::optional<std::string>& refusal =
            inference.refusal || inference.refusals.empty() ? inference.refusal : inference.refusals[place];
        const std::size_t i = runs_[run][place];
        if (refusal) result_.misses[i] = fmt::format("input {}: {}", number(i), *refusal);
      }
      progress_.advance(runs_[run].size());
    }
  }

  void miss(std::size_t i) {
    result_.scores.miss(number(i));
    observer_.on_miss(i, *result_.misses[i]);
  }

  void compare(std::size_t run) {
    for (std::size_t place = 0; place < runs_[run].size(); ++place) {
      const std::size_t i = runs_[run][place];
      if (!result_.misses[i]) {
        const Sample& outputs = inferences_[run].outputs.at(place);
        if (const auto nan = result_.scores.nan_in(outputs, plain_[i]))
          result_.misses[i] = fmt::format("input {}: {}", number(i), *nan);
      }
      if (result_.misses[i]) {
        miss(i);
        continue;
      }
      const Sample& outputs = inferences_[run].outputs.at(place);
      result_.scores.add(outputs, plain_[i], inputs_.label ? inputs_.label(i) : std::nullopt);
      observer_.on_answer(i, outputs, result_.scores,
                          inferences_[run].evaluate_seconds / static_cast<double>(runs_[run].size()));
    }
  }

  void account(const Engine& engine, double whole_seconds) {
    const auto answered = static_cast<double>(std::max<std::size_t>(result_.scores.answered(), 1));
    for (const Inference& inference : inferences_) {
      result_.encrypt_seconds += inference.encrypt_seconds / answered;
      result_.evaluate_seconds += inference.evaluate_seconds / answered;
      result_.decrypt_seconds += inference.decrypt_seconds / answered;
      result_.instruction_seconds.resize(inference.instruction_seconds.size());
      for (std::size_t k = 0; k < inference.instruction_seconds.size(); ++k)
        result_.instruction_seconds[k] += inference.instruction_seconds[k] / answered;
      result_.evaluate_worst = std::max(result_.evaluate_worst, inference.evaluate_seconds);
    }
    if (!engine.concurrent() && runs_.size() > 1 && result_.scores.answered() > runs_.front().size()) {
      double warm = 0;
      for (std::size_t run = 1; run < runs_.size(); ++run) warm += inferences_[run].evaluate_seconds;
      result_.evaluate_warm = warm / (answered - static_cast<double>(runs_.front().size()));
    }
    if (engine.concurrent()) result_.evaluate_seconds = whole_seconds / answered;
  }

  CompiledNetwork& network_;
  const ScoredInputs& inputs_;
  ScoreObserver& observer_;
  base::Progress& progress_;
  std::vector<Sample> plain_;                   // answers of the plaintext network, by input
  std::vector<std::vector<std::size_t>> runs_;  // the inputs of every run, in order
  std::vector<Inference> inferences_;           // by run
  ScoredRun result_;
};

}  // namespace

ScoredInputs scored_rows(const Dataset& data, std::int64_t first, std::int64_t end, const std::vector<double>& labels) {
  const auto row = [first](std::size_t i) { return first + static_cast<std::int64_t>(i); };
  ScoredInputs inputs{.first = first, .count = static_cast<std::size_t>(end - first)};
  inputs.sample = [&data, row](std::size_t i) { return data.sample(row(i)); };
  if (!labels.empty())
    inputs.label = [&labels, row](std::size_t i) { return std::optional(labels.at(static_cast<std::size_t>(row(i)))); };
  return inputs;
}

ScoredRun score(CompiledNetwork& network, const ScoredInputs& inputs, const RunBudget& memory, ScoreObserver& observer,
                base::Progress& progress) {
  return Scoring(network, inputs, observer, progress).run(memory);
}

}  // namespace tacit::session
