#include "graph/slots/sample_passes.h"

#include <utility>

#include "graph/passes/calibrate.h"
#include "graph/passes/calibrated_ranges.h"
#include "graph/passes/check_wrapping.h"
#include "graph/passes/output_units.h"
#include "graph/slots/slots_draft.h"

namespace tacit::graph::passes {

void take_client_samples(SlotsDraft& draft) {
  CompileOptions& options = draft.options;
  options.calibration = samples_behind(draft.parties.client, std::move(options.calibration));
  if (!only_moves(draft.parties.client)) options.input_range.reset();
}

void require_samples_of_functions(SlotsDraft& draft) {
  if (!draft.options.measured) require_samples(draft.recognised, draft.options.calibration);
}

void check_integers(SlotsDraft& draft) {
  const CompileOptions& options = draft.options;
  if (!options.measured)
    check_wrapping(draft.network, draft.recognised.graph, options.calibration, options.input_range);
}

void calibrate_values(SlotsDraft& draft) {
  CompileOptions& options = draft.options;
  if (options.measured) {
    draft.exact = {{restore_ranges(draft.network, *options.measured)}, options.measured->far_rows, {}};
  } else {
    draft.exact = calibrate_on_ordinary(draft.network, options.calibration, options.trim, options.first_sample,
                                        options.input_range, draft.progress);
    tell_outputs_apart(draft.network, draft.exact.calibrated.outputs);
  }
  if (Calibration* const record = draft.record()) {
    record_ranges(draft.network, *record);
    record->samples = options.samples();
    record->far_rows = draft.exact.far;
  }
}

void measure_inputs(SlotsDraft& draft) {
  measure(draft.network, draft.exact.calibrated.inputs);
  forget_element_ranges(draft.network);
  draft.answers.emplace(without_kept(draft.parties.client), draft.exact.calibrated.outputs, draft.exact.stays_far);
}

void bound_values(SlotsDraft& draft) {
  const CompileOptions& options = draft.options;
  if (options.calibrated() || !options.input_range) return;
  draft.bounded = draft.network;
  bound_by_intervals(*draft.bounded, *options.input_range);
}

}  // namespace tacit::graph::passes
