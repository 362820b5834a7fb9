#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/memory_budget.h"
#include "base/progress.h"
#include "graph/graph.h"
#include "session/owner/agreement.h"
#include "session/owner/compiled_network.h"
#include "session/owner/dataset.h"
#include "session/owner/engine.h"
#include "session/owner/range_excess.h"

namespace tacit::session {

/// The inputs of a scored run.
struct ScoredInputs {
  std::int64_t first = 0;  ///< number of the first input, for people
  std::size_t count = 0;
  /// Returns input `i`, counted from 0. Thread safe. Throws InputError for an input that the model cannot take.
  std::function<std::vector<graph::Tensor>(std::size_t i)> sample{};
  /// Returns the true answer, or none. Absent if there are no labels.
  std::function<std::optional<double>(std::size_t i)> label{};
};

/// Returns rows [first, end) of a data set. `labels` has a number for each of its rows, or is empty. Both must outlive
/// the result.
ScoredInputs scored_rows(const Dataset& data, std::int64_t first, std::int64_t end, const std::vector<double>& labels);

/// Receives what a scored run finds, as soon as it is known.
class ScoreObserver {
 public:
  virtual ~ScoreObserver() = default;
  /// Input `i` has an answer, the last one of `scores`. `seconds` is the evaluation's share of one input.
  virtual void on_answer(std::size_t i, const std::vector<graph::Tensor>& outputs, const Scoreboard& scores,
                         double seconds) = 0;
  /// Input `i` has no answer. `why` is a sentence that names the input.
  virtual void on_miss(std::size_t i, const std::string& why) = 0;
};

/// A network on inputs, compared with the plaintext network.
struct ScoredRun {
  Scoreboard scores;
  std::vector<std::optional<std::string>> misses;  ///< by input: why it has no answer
  std::vector<RangeExcess> excesses{};             ///< values that left their intervals, layer by layer
  std::vector<double> neighbour_shares{};          ///< Engine::neighbour_shares
  Preparation preparation{};
  /// Seconds per answered input.
  double encrypt_seconds = 0, evaluate_seconds = 0, decrypt_seconds = 0;
  double evaluate_worst = 0;                  ///< seconds of the slowest run
  std::optional<double> evaluate_warm{};      ///< per answered input, without the first run
  std::vector<double> instruction_seconds{};  ///< per answered input; empty in a simulation
};

/// Returns the budget of an encrypted run. It is asked for when keys are about to be made.
using RunBudget = std::function<base::MemoryBudget()>;

/// Runs the plaintext network and the compiled one on every input, and scores the answers. Without a budget the run is
/// simulated. An input is a miss of this input alone if the model cannot take it,
/// if it drives a value out of the interval that the network was compiled for, or if its answer is no number. Throws
/// InputError if the model can take none of the inputs, and if the budget cannot be met.
ScoredRun score(CompiledNetwork& network, const ScoredInputs& inputs, const RunBudget& memory, ScoreObserver& observer,
                base::Progress& progress);

}  // namespace tacit::session
