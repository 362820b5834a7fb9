#include "graph/quant/compile.h"

#include <utility>

#include "base/error.h"
#include "graph/pipeline.h"
#include "graph/quant/choose_parameters.h"
#include "graph/quant/integers_draft.h"
#include "graph/serialize.h"

namespace tacit::graph::quant {

void require_options(const Graph& graph, const CompileOptions& options) {
  if (options.bits < kFewestBits || options.bits > kMostBits)
    base::refuse("tables of {} bits (--bits): {} to {} are supported", options.bits, kFewestBits, kMostBits);
  using Limits = params::TfheLimits;
  if (!(options.log2_failure >= Limits::kLeastLog2Failure && options.log2_failure <= Limits::kMostLog2Failure))
    base::refuse("a failure probability of 2^{} (--failure): 2^{} to 2^{} are supported", options.log2_failure,
                 Limits::kLeastLog2Failure, Limits::kMostLog2Failure);
  if (options.parameters) static_cast<void>(params::TfheParameters::check(*options.parameters));
  check(options.passes, Target::integers);
  if (options.measured) {
    if (!options.calibration.empty())
      throw base::InputError("give calibration samples or the ranges that were measured on some, not both");
    require_fits(*options.measured, graph, options);
  }
  if (!options.passes.skipped.empty() && (options.measured || options.keep_measurements))
    throw base::InputError("ranges in a file are those of networks that all passes have seen: leave out no pass");
  if (options.keep_measurements && options.calibration.empty())
    throw base::InputError(
        "ranges are measured on samples: give calibration data, such as training rows (--calibrate FILE.npy)");
}

CompiledIntegers compile(const Graph& graph, const CompileOptions& options, base::Progress& progress) {
  require_options(graph, options);
  IntegersDraft draft(graph, options, progress);
  if (options.keep_measurements)
    draft.compiled.measurements =
        Measurements{.model = digest(graph), .choices = options, .input_range = options.input_range};
  run_passes(draft);
  return std::move(draft.compiled);
}

}  // namespace tacit::graph::quant
