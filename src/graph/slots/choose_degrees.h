#pragma once

#include <optional>
#include <vector>

#include "base/progress.h"
#include "graph/compile.h"
#include "graph/passes/answers.h"
#include "graph/passes/clear_network.h"
#include "graph/passes/network.h"

namespace tacit::graph::passes {

/// Fewest calibration samples whose answers may decide about degrees.
inline constexpr std::size_t kFewestSamples = 64;

/// What was chosen for every function and why.
struct ChosenDegrees {
  std::vector<Approximation> approximations;
  SampleOutputs outputs{};           ///< of the samples by the series; none where nothing was chosen by answers
  std::vector<int> first_degrees{};  ///< of the functions, before answers allowed lower ones
  int highest_degree = 0;            ///< that was allowed
  /// The share of answers that the errors of the series are expected to change (Answers::changed_share); 0 where
  /// nothing was chosen by answers, and where people read values.
  double changed = 0;
};

/// Fits every function of a calibrated and measured network with the lowest degree that the answers of the samples
/// allow. Degrees start at options.max_degree and are lowered greedily, a level at a time. The function whose lowering
/// does the least harm goes first. Two demands must hold:
/// - Twice the error of the outputs changes no more answers than it does at the highest degrees.
///   Where that is more than half of the samples, degrees stay the highest.
/// - Four times the error changes at most three times as many. This is for inputs not seen: samples are often rows of
///   the training set, which lie further from the border between two answers than others do.
/// People may read values, not only labels. Where twice the error is more than such values allow, the highest degree
/// grows by levels up to options.max_value_degree. It stops growing where that no longer helps, or where no leveled
/// parameter set is deep enough.
/// Networks with more than kMostKnobs functions have one degree for all of them. With fewer than kFewestSamples samples
/// every function gets what fit_functions gives. Errors: as fit_functions.
ChosenDegrees choose_degrees(Network& network, const Answers& answers, const CompileOptions& options,
                             base::Progress& progress);

/// A network with series of more levels in every function, and what its samples answer.
struct Sharper {
  Network network;
  ChosenDegrees chosen;
};

/// Where answers are labels and a network needs bootstraps in any case, degrees beyond options.max_degree: a level more
/// where errors are expected to change more than `kMostChanged` of the answers, and further levels up to
/// `kHighestLabelDegree` as long as that is more than `kManyChanged`. Each level has to help, unless more than half of
/// the answers are changed with it and without. None where no level does, or is allowed. Whether they are worth their
/// price is the caller's to say, by `price_of_answers`.
inline constexpr int kHighestLabelDegree = 510;
inline constexpr double kMostChanged = 0.0025;
std::optional<Sharper> sharper(const Network& network, const ChosenDegrees& chosen, const Answers& answers,
                               const CompileOptions& options, base::Progress& progress);

/// Where no parameter set has the levels: the functions of the highest degrees with series of a level less. None where
/// one would be off by more than options.max_error, where most answers would change, or where no degree can be lowered.
std::optional<Sharper> coarser(const Network& network, const ChosenDegrees& chosen, const Answers& answers,
                               const CompileOptions& options);

/// False where errors are expected to change more than half of the answers.
bool is_of_use(const ChosenDegrees& chosen);
/// How many times the time and memory of `coarse`, which are of use, the finer series may take: a quarter more, and a
/// quarter for every halving of the answers that errors change.
double price_of_answers(const ChosenDegrees& fine, const ChosenDegrees& coarse);

/// Notes what was chosen in a calibration with the network's ranges.
void record_degrees(const Network& network, const ChosenDegrees& chosen, Calibration& calibration);

/// Gives every function of a network with restored ranges (calibrated_ranges.h) the series that `record_degrees` noted.
/// Throws InputError where one is off by more than options.max_error.
ChosenDegrees restore_degrees(Network& network, const CompileOptions& options);

}  // namespace tacit::graph::passes
