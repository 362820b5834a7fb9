#pragma once

#include <vector>

#include "params/ckks_parameters.h"
#include "program/slots/program.h"

namespace tacit::slots {

/// The standard deviation of the error that the encrypted reading adds to every slot of every value, in units of the
/// value, by ValueId.
using NoiseModel = std::vector<double>;

/// Returns the noise that the encrypted reading of this program adds, by the formulas of params/noise.h. `program` has
/// levels and scales. Inputs count as encrypted with the public key (params::public_encryption_noise), so that the
/// noise of inputs under the secret key is smaller. Inputs with a trace count as thin. Tests compare the error of a
/// simulated run with that of an encrypted one.
NoiseModel modelled_noise(const Program& program, const params::CkksParameters& parameters);

/// Returns the same if every series is read at the argument with the largest error (polynomial_noise.h). No element is
/// expected to have a larger deviation.
NoiseModel largest_noise(const Program& program, const params::CkksParameters& parameters);

/// Returns sums of squared weights of some rows of a map. They multiply the variance of independent errors.
std::vector<double> row_energies(const layout::LinearOperator& op);

}  // namespace tacit::slots
