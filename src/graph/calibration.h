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

/// The choices of a compilation that what it takes from samples depends on.
struct CalibrationChoices {
  std::optional<params::CkksLiteral> parameters{};  ///< fixed by the user; chosen when absent
  int max_degree = 59;                              ///< of an approximation
  /// Of an approximation behind whose network people read values (probabilities, numbers), not the largest of scores:
  /// the degree grows beyond `max_degree` as long as the calibrated values are off by more than a 2000th of their
  /// range.
  int max_value_degree = 959;
  /// Largest error of an approximation, as a share of its function's largest value: beyond it a function is refused.
  double max_error = 0.1;
  bool client_before = true;  ///< the client may run operators on the inputs, before anything is encrypted
  bool client_after = true;   ///< and on decrypted values; where both are false every operator runs on ciphertexts
  std::set<std::string> keep_private{};      ///< nodes that the client may not run
  std::optional<params::Sharing> sharing{};  ///< parameters are to leave room for results that others see
  /// Samples that one run of the program takes; none: as many as make a sample cheapest within the memory budget.
  std::optional<std::int64_t> batch = 1;
  bool operator==(const CalibrationChoices&) const = default;
};

/// A function of a calibrated network.
struct CalibratedFunction {
  Range interval;                    ///< that samples and the errors of the series before ask for
  int first_degree = 0;              ///< of its series before the answers of samples allowed a lower one
  std::vector<double> coefficients;  ///< of its Chebyshev series in the end
  bool operator==(const CalibratedFunction&) const = default;
};

/// What samples show of one value of a network.
struct CalibratedValue {
  std::string node;  ///< the graph node it came from
  Range range;
  /// Of its elements, or of its channels where those are many and stay together; empty where elements are not told
  /// apart.
  std::vector<Range> elements{};
  std::vector<Range> reached{};  ///< likewise, as far as the errors of the series before may reach; may be empty
  std::optional<CalibratedFunction> function{};
  bool operator==(const CalibratedValue&) const = default;
};

/// All that `compile` takes from calibration samples. With it, in their place, the same model and choices compile to
/// the same program.
struct Calibration {
  base::Digest model{};  ///< digest(graph)
  CalibrationChoices choices;
  std::size_t samples = 0;                                 ///< without those that were set aside
  FarRows far_rows{};                                      ///< rows that lie far from all others, set aside or not
  std::optional<std::pair<double, double>> input_range{};  ///< that was public knowledge
  std::vector<CalibratedValue> values{};                   ///< of the network that functions are approximated in
  std::string degree_warning{};                            ///< where degrees are lower than samples ask for
  int highest_degree = 0;                                  ///< of a series, before answers allowed lower ones
  double answers_changed = 0;                              ///< as CompiledModel::answers_changed
  /// Deviation of noise in every output that the answers of samples allow, in the model's units; empty where samples
  /// are too few to say.
  std::vector<double> allowed_noise{};
  /// Deviation of the noise in every output, simulated on samples, by the digest of the program (hexadecimal): of every
  /// program that was considered. Infinity where it is no number.
  std::map<std::string, std::vector<double>> noise{};
  /// By decrypted tensor, the error of series that samples usually show, where the client's part has guards.
  std::vector<double> series_errors{};
  /// How far answers may move, as settle_answers returns it.
  std::vector<double> answer_moves{};
  bool operator==(const Calibration&) const = default;
};

/// Throws InputError that says what is different where a calibration was made for another model, or by other choices.
void require_fits(const Calibration& calibration, const Graph& graph, const CalibrationChoices& asked);

}  // namespace tacit::graph
