#pragma once

#include "params/ckks_parameters.h"
#include "program/slots/program.h"

namespace tacit::slots {

/// Deviation of the error that an encrypted Chebyshev series adds to its result, on arguments that are uniform in
/// [-bound, bound] (1 at most): the series' plan is carried out on numbers, with the noise of every relinearised and
/// rescaled product added to it, at the scales that the encrypted evaluation has. The instruction and its operand's
/// scale are assigned. A closed formula would have to follow how the same T_k enters many products.
double polynomial_noise(const Polynomial& polynomial, const Instruction& instruction, const Instruction& operand,
                        const params::CkksParameters& parameters);

}  // namespace tacit::slots
