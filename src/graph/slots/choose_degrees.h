#pragma once

#include <optional>
#include <vector>

#include "base/progress.h"
#include "graph/compile.h"
#include "graph/passes/answers.h"
#include "graph/passes/clear_network.h"
#include "graph/passes/network.h"

namespace tacit::graph::passes {

/// The fewest calibration samples whose answers may decide about degrees.
inline constexpr std::size_t kFewestSamples = 64;

/// The degrees that were chosen for all functions, with reasons.
struct ChosenDegrees {
  std::vector<Approximation> approximations;
  SampleOutputs outputs{};           ///< outputs of the samples by the series; empty if answers decided nothing
  std::vector<int> first_degrees{};  ///< degrees of the functions before answers allowed lower ones
  int highest_degree = 0;            ///< highest degree that was allowed
  /// The share of answers that the errors of the series are expected to change (Answers::changed_share). 0 if answers
  /// decided nothing, and if people read values.
  double changed = 0;
  /// The largest error of the outputs of the samples, as a share of their range (Answers::largest_error). 0 if
  /// `changed` says how good the series are, and for few samples of a network that needs no bootstraps.
  double off = 0;
};

/// Fits every function of a calibrated and measured network with the lowest degree that the answers of the samples
/// allow. Degrees start at options.max_degree. They are lowered greedily, a level at a time. The function whose
/// lowering does the least harm goes first. Two demands must hold:
/// - Twice the error of the outputs changes no more answers than it does at the highest degrees. If that is more than
///   half of the samples, degrees stay the highest.
/// - Four times the error changes at most three times as many answers as at the highest degrees. This demand is for
///   inputs not seen. Samples are often rows of the training set, which are further from the border between two answers
///   than other inputs.
///
/// People may read values, not only labels. If twice the error is more than such values allow, the highest degree grows
/// by levels up to options.max_value_degree. The growth stops when it no longer helps, or when no leveled parameter set
/// is deep enough.
/// Networks with more than kMostKnobs functions have one degree for all of them. With fewer than kFewestSamples samples
/// every function gets the degree of fit_functions. Errors: as fit_functions.
ChosenDegrees choose_degrees(Network& network, const Answers& answers, const CompileOptions& options,
                             base::Progress& progress);

/// A network with other series in its functions, and what its samples answer.
struct Sharper {
  Network network;
  ChosenDegrees chosen;
};

/// The highest degree that `sharper` tries, and the shares of changed answers and of errors above which it raises
/// degrees.
inline constexpr int kHighestLabelDegree = 510;
inline constexpr double kMostChanged = 0.0025;
inline constexpr double kMostOff = 0.01;
/// Raises degrees beyond options.max_degree, if the network needs bootstraps in any case. Labels of enough samples are
/// judged by the answers that change. Values, and all outputs of few samples, are judged by their errors.
/// - The first level is added if more than `kMostChanged` of the answers change.
/// - Further levels follow as long as more than `kManyChanged` change.
/// - Outputs that are off by more than `kMostOff` ask for any level.
/// - `kHighestLabelDegree` ends the search.
/// - A level that does not help ends the search, unless more than half of the answers are still changed with it.
///
/// None if no level helps, or none is allowed. The caller compares the price by `price_of_answers`.
std::optional<Sharper> sharper(const Network& network, const ChosenDegrees& chosen, const Answers& answers,
                               const CompileOptions& options, base::Progress& progress);

/// Lowers the functions of the highest degrees by one level, for networks for which no parameter set has the levels.
/// None in three cases:
/// - a series would be off by more than options.max_error;
/// - most answers would change;
/// - no degree can be lowered.
std::optional<Sharper> coarser(const Network& network, const ChosenDegrees& chosen, const Answers& answers,
                               const CompileOptions& options);

/// False if errors are expected to change more than half of the answers.
bool is_of_use(const ChosenDegrees& chosen);
/// Returns the factor by which the finer series may exceed the time and memory of `coarse`, which must be of use. The
/// factor is 1.25^h, where h is the number of times that the finer series halve what judges them, and at least 1.
double price_of_answers(const ChosenDegrees& fine, const ChosenDegrees& coarse);

/// Notes the chosen degrees and series in a calibration that has the network's ranges.
void record_degrees(const Network& network, const ChosenDegrees& chosen, Calibration& calibration);

/// Gives every function of a network with restored ranges (calibrated_ranges.h) the series that `record_degrees` noted.
/// Throws InputError if a series is off by more than options.max_error.
ChosenDegrees restore_degrees(Network& network, const CompileOptions& options);

}  // namespace tacit::graph::passes
