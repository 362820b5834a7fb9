#pragma once

#include "params/ckks_parameters.h"
#include "program/clear.h"
#include "program/program.h"

namespace tacit::runtime {

/// The noise that the encrypted reading of this program adds, by the formulas of params/noise.h: for every kind of
/// instruction, that of its noisiest one. `program` has levels and scales assigned. Tests hold the error of a simulated
/// run to that of an encrypted one.
program::NoiseModel modelled_noise(const program::Program& program, const params::CkksParameters& parameters);

}  // namespace tacit::runtime
