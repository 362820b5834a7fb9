#pragma once

#include "params/ckks_parameters.h"
#include "program/slots/program.h"

namespace tacit::slots {

/// The deviations of an error: over all arguments, and at the argument with the largest error.
struct SeriesNoise {
  double mean = 0;
  double largest = 0;
};

/// Returns the deviation of the error that an encrypted Chebyshev series adds to its result. Arguments are uniform in
/// [-bound, bound] (1 at most). The series' plan is computed on numbers. The noise of every relinearised and rescaled
/// product is added, at the scales of the encrypted evaluation. The instruction and its operand have their scales. A
/// closed formula would have to track how the same T_k enters many products.
///
/// The error depends on the argument. It is largest at 0 and near it, where T_2, T_4, T_8, … are all 1 or -1: there
/// every doubling multiplies an error by 4. Long series have 14 times the mean there, and the inputs of a Relu are
/// often 0.
SeriesNoise polynomial_noise(const Polynomial& polynomial, const Instruction& instruction, const Instruction& operand,
                             const params::CkksParameters& parameters);

}  // namespace tacit::slots
