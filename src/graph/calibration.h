#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/sha256.h"
#include "graph/graph.h"
#include "graph/range.h"
#include "params/ckks_parameters.h"
#include "params/sharing.h"

namespace tacit::graph {

struct CompileOptions;

/// The choices of a compilation that what it takes from samples depends on: as in CompileOptions.
struct CalibrationChoices {
  int max_degree = 0, max_value_degree = 0;
  double max_error = 0;
  bool client_before = true, client_after = true;
  std::set<std::string> keep_private{};
  std::optional<params::CkksLiteral> parameters{};
  std::optional<params::Sharing> sharing{};
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
  std::size_t samples = 0;
  std::optional<std::pair<double, double>> input_range{};  ///< that was public knowledge
  std::vector<CalibratedValue> values{};                   ///< of the network that functions are approximated in
  int highest_degree = 0;                                  ///< of a series, before answers allowed lower ones
  double answers_changed = 0;                              ///< as CompiledModel::answers_changed
  /// Deviation of noise in every output that the answers of samples allow, in the model's units; empty where samples
  /// are too few to say.
  std::vector<double> allowed_noise{};
  /// Deviation of the noise in every output, simulated on samples, by the digest of the program (hexadecimal): of every
  /// program that was considered. Infinity where it is no number.
  std::map<std::string, std::vector<double>> noise{};
  bool operator==(const Calibration&) const = default;
};

/// Throws InputError that says what is different where a calibration was made for another model, or by other choices.
void require_fits(const Calibration& calibration, const Graph& graph, const CompileOptions& options);

/// The choices of a compilation that its calibration depends on.
CalibrationChoices choices_of(const CompileOptions& options);

}  // namespace tacit::graph
