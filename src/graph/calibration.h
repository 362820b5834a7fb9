#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/sha256.h"
#include "graph/far_row.h"
#include "graph/graph.h"
#include "graph/range.h"
#include "params/ckks_parameters.h"
#include "params/sharing.h"

namespace tacit::graph {

/// The bits of precision that can be asked for.
inline constexpr int kFewestPrecisionBits = 1, kMostPrecisionBits = 40;

/// The choices of a compilation that change what it takes from samples.
struct CalibrationChoices {
  std::optional<params::CkksLiteral> parameters{};  ///< fixed by the user; chosen when absent
  int max_degree = 59;                              ///< highest degree of an approximation
  /// The highest degree of an approximation if people read values (probabilities, numbers) and not the largest of
  /// scores. The degree grows beyond `max_degree` as long as the calibrated values are off by more than a 2000th of
  /// their range.
  int max_value_degree = 959;
  /// The largest error of an approximation, as a share of its function's largest value. A function beyond it is
  /// refused.
  double max_error = 0.1;
  bool client_before = true;  ///< the client may run operators on the inputs, before anything is encrypted
  bool client_after = true;   ///< the client may run operators on decrypted values; if both are false, every operator
                              ///< runs on ciphertexts
  std::set<std::string> keep_private{};  ///< nodes that the client may not run
  std::optional<params::Sharing>
      sharing{};  ///< requirements of results that others see; parameters leave room for them
  /// Bits of precision of every decrypted output: 12 deviations of its noise stay below 2^-bits of its range. None: as
  /// many as the answers of the samples need.
  std::optional<int> precision{};
  /// The number of samples per run of the program. None: the number with the least time per sample within the memory
  /// budget.
  std::optional<std::int64_t> batch = 1;
  bool operator==(const CalibrationChoices&) const = default;
};

/// A function of a calibrated network.
struct CalibratedFunction {
  Range interval;                    ///< interval that covers samples and the errors of the series before
  int first_degree = 0;              ///< degree of the series before the answers of samples allowed a lower one
  std::vector<double> coefficients;  ///< coefficients of the final Chebyshev series
  bool operator==(const CalibratedFunction&) const = default;
};

/// The most halvings of the numbers of a Softmax.
inline constexpr int kMostHalvings = 3;

/// How a Softmax between layers is written out as exponentials.
struct SoftmaxForm {
  std::string node{};
  int halvings = 0;  ///< the number of times that exponentials of half of a number are normalised and squared
  /// Numbers that are subtracted from every key of an attention, by group and feature. They move all scores of a
  /// query alike, which changes no result. Empty if nothing is subtracted.
  std::vector<double> keys{};
  std::vector<double> offsets{};  ///< numbers that are subtracted from all scores of a group; empty if they are 0
  int mask = -1;                  ///< the operand of the last sum that is an encrypted mask, or -1
  double hides = 0;               ///< the number of that mask that hides an element
  std::size_t mask_input = 0;     ///< the position of the encrypted input that makes the mask
  /// The numbers of that input that make 0 or `hides` of every element. The client refuses others.
  std::vector<double> mask_numbers{};
  /// The numbers of that input that show an element, and sets of positions along its last axis. In every sample each
  /// set has one such number at least. The client refuses other inputs. Empty if samples hide a whole set.
  std::vector<double> mask_shows{};
  std::vector<std::vector<std::int64_t>> mask_rows{};
  bool operator==(const SoftmaxForm&) const = default;
};

/// The measurements of one value of a network over samples.
struct CalibratedValue {
  std::string node;  ///< the graph node that it came from
  Range range;
  /// The ranges of the value's elements, or of its channels if these are many and stay together. Empty if elements have
  /// no separate ranges.
  std::vector<Range> elements{};
  std::vector<Range> reached{};  ///< likewise, extended by the errors of the series before; may be empty
  std::optional<CalibratedFunction> function{};
  bool operator==(const CalibratedValue&) const = default;
};

/// The results that `compile` takes from calibration samples. Given in place of the samples, they lead to the same
/// program for the same model and choices.
struct Calibration {
  base::Digest model{};  ///< digest(graph)
  CalibrationChoices choices;
  std::size_t samples = 0;                                 ///< number of samples, without those that were set aside
  FarRows far_rows{};                                      ///< rows that are far from all others, set aside or not
  std::optional<std::pair<double, double>> input_range{};  ///< public range of the inputs
  std::vector<SoftmaxForm> softmax{};                      ///< forms of Softmax between layers
  std::vector<CalibratedValue> values{};                   ///< values of the network whose functions are approximated
  std::string degree_warning{};                            ///< warning if degrees are lower than samples require
  int highest_degree = 0;      ///< highest degree of a series before answers allowed lower ones
  double answers_changed = 0;  ///< as CompiledModel::answers_changed
  /// The deviation of noise in every output that the answers of samples allow, in the model's units. Empty if there are
  /// too few samples.
  std::vector<double> allowed_noise{};
  /// The deviation of the noise in every output, simulated on samples, for every program that was considered. By the
  /// digest of the program (hexadecimal). Infinity if the deviation is not a number.
  std::map<std::string, std::vector<double>> noise{};
  /// By decrypted tensor, the error of series that samples usually show, where the client's part has guards.
  std::vector<double> series_errors{};
  /// How far answers may move, as settle_answers returns it.
  std::vector<double> answer_moves{};
  bool operator==(const Calibration&) const = default;
};

/// Throws InputError that states the difference if a calibration was made for another model, or by other choices.
void require_fits(const Calibration& calibration, const Graph& graph, const CalibrationChoices& asked);

}  // namespace tacit::graph
