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

/// The expected errors of one target.
struct ExpectedTarget {
  double error = 0, mean_error = 0;  ///< shares, of the unit that OutputError::measure names
};

/// The expected errors of one output on rows like the samples.
struct ExpectedOutput {
  std::string name;
  OutputKind kind = OutputKind::open;
  ErrorMeasure measure = ErrorMeasure::range;
  double error = 0;                       ///< the bound: error_factor times the largest error in any block
  double mean_error = 0;                  ///< on the samples
  double agreement = 1;                   ///< share of the samples whose answer agrees (OutputErrors::agrees)
  std::vector<ExpectedTarget> targets{};  ///< as in OutputError
};

/// The expected errors of a compiled network, before any key exists.
struct ExpectedErrors {
  std::vector<ExpectedOutput> outputs{};  ///< in the model's order; empty if errors are not stated
  std::size_t samples = 0;                ///< compared samples
  std::string why_not{};                  ///< the reason that errors are not stated
  bool unanswered = false;                ///< there are samples, but none has an answer
  std::vector<std::string> warnings{};    ///< sentences of error_warnings
  std::size_t missed = 0;                 ///< further samples, which have no answer
  std::string first_miss{};               ///< the reason that the first of them has none
};

/// What one simulated sample is answered.
struct SimulatedAnswer {
  std::optional<std::vector<graph::Tensor>> outputs{};  ///< none for a sample without an answer
  std::string why_not{};                                ///< the reason that there is none
};

/// Simulates a run of 1 to `batch` samples with noise from this seed.
using SimulatedRun = std::function<std::vector<SimulatedAnswer>(std::span<const std::vector<graph::Tensor>> samples,
                                                                std::uint64_t seed)>;

/// The most samples from which errors are stated.
inline constexpr std::size_t kMostErrorSamples = 400;

/// The rows of a block of samples. Errors are shares of the range of the compared rows, and few rows have a smaller
/// range than all samples. The largest share in any block counts, because a user who runs this many rows sees such a
/// range.
inline constexpr std::size_t kRowsOfABlock = 30;

/// Returns the factor by which the stated error exceeds the largest one of the samples. The largest error of n rows
/// grows like log n if large errors get exponentially rarer. The factor for kMostErrorSamples rows is 5. With it no
/// error of the random networks in tests/property exceeds the stated one. Fewer samples show less of the tail. Their
/// factor is larger by log(kMostErrorSamples) / log(n + 1).
double error_factor(std::size_t samples);

/// Compares simulated answers with exact ones. Samples are taken evenly, kMostErrorSamples at most. Networks with an
/// expensive reference run take fewer, so that the comparison takes seconds. Samples without an answer are left out.
/// Errors cover two kinds of rows that are no samples, if they have an answer. The first are pictures and sequences
/// without content: all 0, or the smallest number of the samples. The others are rows for trees, whose elements lie
/// between those of the samples.
/// Equal arguments give equal results.
ExpectedErrors expected_errors(const graph::Graph& graph, std::span<const std::vector<graph::Tensor>> samples,
                               std::size_t batch, const SimulatedRun& simulate, base::Progress& progress);

/// The share above which expected errors cause a warning.
inline constexpr double kWarnedError = 0.01;
/// Returns a sentence for every output with an expected error above kWarnedError. `way_out` states how to make errors
/// smaller. Returns one more, with the first reason, if more than that share of the samples has no answer.
std::vector<std::string> error_warnings(const ExpectedErrors& expected, const std::string& way_out);
/// Throws InputError, naming output, error, bound and way out, if an expected error exceeds `most`. Throws it also if
/// no error can be stated.
void require_errors(const ExpectedErrors& expected, double most, const std::string& way_out);

/// Returns a list of the plan with an entry for each output of the graph: name, kind, measure, expected_error,
/// expected_mean_error, expected_agreement, targets. Numbers are null if no errors are stated.
nlohmann::ordered_json expected_errors_json(const graph::Graph& graph, const std::optional<ExpectedErrors>& expected);
/// Returns the number of samples that the errors come from, the number of further ones without an answer, and the
/// reason if no errors are stated: {"samples", "missed", "not_stated"}.
nlohmann::ordered_json error_source_json(const std::optional<ExpectedErrors>& expected);
/// Returns sentences for people from a plan with both as `outputs` and `expected_errors`. There is one per output, or
/// the reason that errors are not stated. It is empty if errors were not requested.
std::vector<std::string> expected_errors_text(const nlohmann::ordered_json& plan);

}  // namespace tacit::session
