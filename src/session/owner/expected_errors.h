#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/progress.h"
#include "graph/graph.h"
#include "session/owner/output_errors.h"

namespace tacit::session {

/// What is expected of one target.
struct ExpectedTarget {
  double error = 0, mean_error = 0;  ///< shares, as OutputError::measure says
};

/// What is expected of one output on rows like the samples.
struct ExpectedOutput {
  std::string name;
  OutputKind kind = OutputKind::open;
  ErrorMeasure measure = ErrorMeasure::range;
  double error = 0;                       ///< the bound: error_factor times the largest error on any block
  double mean_error = 0;                  ///< on the samples
  double agreement = 1;                   ///< share of the samples whose answer agrees (OutputErrors::agrees)
  std::vector<ExpectedTarget> targets{};  ///< as in OutputError
};

/// The errors that a compiled network is expected to have, before any key exists.
struct ExpectedErrors {
  std::vector<ExpectedOutput> outputs{};  ///< in the model's order; empty where nothing is stated
  std::size_t samples = 0;                ///< that were compared
  std::string why_not{};                  ///< where nothing is stated
  bool unanswered = false;                ///< there are samples, and none has an answer
  std::vector<std::string> warnings{};    ///< error_warnings
};

/// Simulates a run of 1 to `batch` samples with noise from this seed: the outputs of each, or nothing where it has no
/// answer.
using SimulatedRun = std::function<std::vector<std::optional<std::vector<graph::Tensor>>>(
    std::span<const std::vector<graph::Tensor>> samples, std::uint64_t seed)>;

/// Samples that errors are stated from, at most.
inline constexpr std::size_t kMostErrorSamples = 200;

/// Rows of a block of samples. Errors are shares of the range of the rows that are compared, and few rows have a
/// smaller range than all samples: the largest share in any block counts. Whoever runs as many rows sees such a range.
inline constexpr std::size_t kRowsOfABlock = 30;

/// By how much the stated error exceeds the largest one of so many samples. The largest error of n rows grows like
/// log n where large errors get rarer exponentially. The factor for kMostErrorSamples rows is 3: with it no error of
/// the random networks in tests/property exceeds the stated one. Fewer samples have seen less of the tail, and their
/// factor is larger by log(kMostErrorSamples) / log(n + 1).
double error_factor(std::size_t samples);

/// Compares simulated answers to samples with exact ones. Samples are taken evenly, kMostErrorSamples at most, fewer
/// for networks whose reference run is expensive, so that this takes seconds. Equal arguments give equal results.
/// Samples without an answer are left out.
ExpectedErrors expected_errors(const graph::Graph& graph, std::span<const std::vector<graph::Tensor>> samples,
                               std::size_t batch, const SimulatedRun& simulate, base::Progress& progress);

/// Expected errors above this share are warned of.
inline constexpr double kWarnedError = 0.01;
/// A sentence for every output whose expected error is above kWarnedError. `way_out` says what makes errors smaller.
std::vector<std::string> error_warnings(const ExpectedErrors& expected, const std::string& way_out);
/// Throws InputError, naming output, error, bound and way out, where an expected error exceeds `most`, or where none
/// can be stated.
void require_errors(const ExpectedErrors& expected, double most, const std::string& way_out);

/// "12 %".
std::string percent(double share);

/// A list of the plan, an entry for each output of the graph: name, kind, measure, expected_error, expected_mean_error,
/// expected_agreement, targets. Numbers are null where nothing is stated.
nlohmann::ordered_json expected_errors_json(const graph::Graph& graph, const std::optional<ExpectedErrors>& expected);
/// How many samples they come from, and why they are not stated: {"samples", "not_stated"}.
nlohmann::ordered_json error_source_json(const std::optional<ExpectedErrors>& expected);
/// For people, from a plan with both as `outputs` and `expected_errors`: a sentence for each output, or why errors are
/// not stated; none where nobody asked for them.
std::vector<std::string> expected_errors_text(const nlohmann::ordered_json& plan);

}  // namespace tacit::session
