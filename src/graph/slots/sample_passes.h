#pragma once

namespace tacit::graph::passes {

struct SlotsDraft;

// The passes of networks on slots that read calibration samples, or ranges that an earlier compilation took from some.

/// Runs the client's first part on the samples. A public range of the inputs stays if that part only moves elements.
void take_client_samples(SlotsDraft& draft);
/// Refuses functions without samples before anything expensive is done.
void require_samples_of_functions(SlotsDraft& draft);
/// Refuses integers that may leave their type.
void check_integers(SlotsDraft& draft);
/// Gives every value its range and every function its interval. Samples that are far from all others are left out.
void calibrate_values(SlotsDraft& draft);
/// Notes how the inputs of functions are spread, and how far the outputs of the samples may move.
void measure_inputs(SlotsDraft& draft);
/// Bounds values by intervals if nothing was measured and inputs have a public range. These bounds serve the checks,
/// and not the units of values.
void bound_values(SlotsDraft& draft);

}  // namespace tacit::graph::passes
