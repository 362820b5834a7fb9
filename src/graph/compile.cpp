#include "graph/compile.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "graph/pipeline.h"
#include "graph/serialize.h"
#include "graph/slots/slots_draft.h"

namespace tacit::graph {

void require_options(const Graph& graph, const CompileOptions& options) {
  if (options.batch && (*options.batch < 1 || *options.batch > kLargestBatch))
    base::refuse("a batch of {} samples (--batch): it takes 1 to {}", *options.batch, kLargestBatch);
  if (options.feature_bits < 1 || options.feature_bits > kMostFeatureBits)
    base::refuse("{} bits of the features of trees (--bits): with --scheme ckks it takes 1 to {}", options.feature_bits,
                 kMostFeatureBits);
  if (options.parameters) static_cast<void>(params::CkksParameters::check(*options.parameters));
  if (options.measured) {
    if (!options.calibration.empty())
      throw base::InputError("give calibration samples or the ranges that were measured on some, not both");
    require_fits(*options.measured, graph, options);
  }
  check(options.passes, Target::slots);
  // A program has the same values with small questions and without them, and ranges state the noise of either.
  const auto changes_values = [](const std::string& pass) { return pass != "small-questions"; };
  if (std::ranges::any_of(options.passes.skipped, changes_values) && (options.measured || options.keep_calibration))
    throw base::InputError("ranges in a file are those of networks that all passes have seen: leave out no pass");
  if (!options.shardings.empty() && (options.measured || options.keep_calibration))
    throw base::InputError(
        "ranges in a file are those of networks without annotations, whose values may be others: shard no node "
        "(--shard), or give calibration data instead (--calibrate FILE.npy)");
  if (options.owners) {
    if (options.measured || options.keep_calibration)
      throw base::InputError(
          "ranges in a file are those of a key of one owner: give calibration data instead (--calibrate FILE.npy)");
    if (options.calibration.empty())
      throw base::InputError(
          "--owners judges the answers of calibration samples under the flood of shared results: give samples, such as "
          "training rows (--calibrate FILE.npy)");
    if (options.output_level > 1)
      base::refuse("results of several owners end at level 0 or 1, and outputs at level {} were asked for",
                   options.output_level);
    if (options.parameters && options.parameters->bootstrap)
      base::refuse(
          "--owners: the parameter set '{}' bootstraps, and bootstraps are made for a key of one owner; give a leveled "
          "set, or none",
          options.parameters->name);
  }
  if (options.precision) {
    if (*options.precision < kFewestPrecisionBits || *options.precision > kMostPrecisionBits)
      base::refuse("{} bits of precision (--precision): it takes {} to {}", *options.precision, kFewestPrecisionBits,
                   kMostPrecisionBits);
    if (!options.calibrated())
      throw base::InputError(
          "the precision of outputs (--precision) is a share of the ranges of samples: give calibration data, such as "
          "training rows (--calibrate FILE.npy), or ranges (--ranges FILE.json)");
  }
  if (options.sharing) {
    params::check(*options.sharing);
    if (!options.calibrated())
      throw base::InputError(
          "results are shared by the noise that the model leaves in them, which is measured on samples: give "
          "calibration data, such as training rows (--calibrate FILE.npy), or ranges (--ranges FILE.json)");
  }
}

CompiledModel compile(const Graph& graph, const CompileOptions& options, base::Progress& progress) {
  require_options(graph, options);
  passes::SlotsDraft draft(graph, options, progress);
  if (options.keep_calibration)
    draft.compiled.calibration = Calibration{
        .model = digest(graph), .choices = options, .samples = options.samples(), .input_range = options.input_range};
  run_passes(draft);
  return std::move(draft.compiled);
}

}  // namespace tacit::graph
