#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/passes/calibrate.h"
#include "graph/passes/draft.h"
#include "graph/quant/compile.h"
#include "graph/quant/feature_grids.h"

namespace tacit::graph::quant {

/// A model that is being compiled to a program on integers.
struct IntegersDraft : passes::Draft {
  IntegersDraft(const Graph& imported, const CompileOptions& asked, base::Progress& shown)
      : Draft{imported,
              asked.passes,
              shown,
              {.before = asked.client_before, .keep_private = asked.keep_private, .tables = true}},
        options(asked) {}

  const CompileOptions& options;                             ///< the user's
  std::vector<std::vector<Tensor>> samples{};                ///< the encrypted tensors of every calibration sample
  std::optional<std::pair<double, double>> interval{};       ///< public knowledge of all encrypted tensors
  std::vector<std::string> inputs{};                         ///< names of the encrypted tensors
  FeatureGrids grids{};                                      ///< of the inputs that only trees read
  std::optional<base::Infeasible> lacking{};                 ///< what the network lacks, if no program was found
  std::vector<std::vector<integers::Integers>> quantised{};  ///< the first samples as the program takes them
  CompiledIntegers compiled{};                               ///< what is final

  /// True if ranges follow from the interval of the inputs, because there are no samples.
  bool by_intervals() const { return samples.empty() && !options.measured && interval; }
  /// Returns what is noted for later compilations, or null.
  Measurements* record() { return compiled.measurements ? &*compiled.measurements : nullptr; }
};

}  // namespace tacit::graph::quant
