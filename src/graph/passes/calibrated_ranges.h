#pragma once

#include "graph/calibration.h"
#include "graph/passes/clear_network.h"
#include "graph/passes/network.h"

namespace tacit::graph::passes {

/// Notes the ranges of a calibrated network's values (calibrate.h), before anything is centred or stretched. Elements
/// that are stretched together have one noted range, because later passes read only their extremes.
void record_ranges(const Network& network, Calibration& calibration);

/// Restores the ranges that `record_ranges` noted, as `calibrate` computes them from samples. Returns no outputs of
/// samples. Throws InputError if the calibration does not have the network's values.
SampleOutputs restore_ranges(Network& network, const Calibration& calibration);

}  // namespace tacit::graph::passes
