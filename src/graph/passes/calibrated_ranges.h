#pragma once

#include "graph/calibration.h"
#include "graph/passes/clear_network.h"
#include "graph/passes/network.h"

namespace tacit::graph::passes {

/// Notes what samples show of a calibrated network's values (calibrate.h), before anything is centred or stretched.
/// Of elements that are stretched together the passes behind read the extremes alone, and these are what is noted.
void record_ranges(const Network& network, Calibration& calibration);

/// Gives the network what `record_ranges` noted, as `calibrate` does from samples. Returns no outputs of samples.
/// Throws InputError where the calibration does not have the network's values.
SampleOutputs restore_ranges(Network& network, const Calibration& calibration);

}  // namespace tacit::graph::passes
