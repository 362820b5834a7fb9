#pragma once

#include <span>
#include <vector>

#include "check/result.h"
#include "params/ckks_parameters.h"
#include "program/slots/program.h"

namespace tacit::check {

/// The numbers of a comparison, in units of the value (not of the model's tensor).
struct Evidence {
  program::ValueId value = 0;
  std::span<const double> encrypted, message;  ///< message: operator on the arguments below
  std::span<const program::ValueId> arguments{};
  std::span<const std::vector<double>> elements{};  ///< of every argument, as the operator read them
  std::span<const program::ValueId> inside{};       ///< instructions that make the value from the arguments
  double noise = 0;                                 ///< modelled deviation of the error of these instructions
};

/// Returns the largest |x|; infinity if one is NaN.
double largest_magnitude(std::span<const double> numbers);

/// True if one ratio explains the difference of all elements, except for a twentieth of it and the effect of noise with
/// this deviation.
bool one_ratio(std::span<const double> encrypted, std::span<const double> message, double noise);

struct Finding {
  Cause cause = Cause::none;
  std::string out_of_range;  ///< cause `range`: the value, its reader, the reader's capacity, and the way out
};

/// Returns the likely cause of a difference at a value. The order of the tests is range, noise, scale, approximation,
/// bug.
Finding likely_cause(const slots::Program& program, const Evidence& evidence, const params::CkksParameters& parameters);

}  // namespace tacit::check
