#pragma once

#include "params/ckks_parameters.h"
#include "program/slots/program.h"

namespace tacit::slots {

/// Deviations of an error: over all arguments, and where it is largest.
struct SeriesNoise {
  double mean = 0;
  double largest = 0;
};

/// Deviation of the error that an encrypted Chebyshev series adds to its result, on arguments that are uniform in
/// [-bound, bound] (1 at most): the series' plan is carried out on numbers, with the noise of every relinearised and
/// rescaled product added to it, at the scales that the encrypted evaluation has. The instruction and its operand's
/// scale are assigned. A closed formula would have to follow how the same T_k enters many products.
/// The error depends on the argument. It is largest at 0 and beside, where T_2, T_4, T_8, … are all 1 or -1: there
/// every doubling multiplies an error by 4. Long series have 14 times the mean there, and the inputs of a Relu are
/// often 0.
SeriesNoise polynomial_noise(const Polynomial& polynomial, const Instruction& instruction, const Instruction& operand,
                             const params::CkksParameters& parameters);

}  // namespace tacit::slots
