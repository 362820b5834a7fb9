#pragma once

#include <span>
#include <vector>

#include "check/result.h"
#include "params/ckks_parameters.h"
#include "program/program.h"

namespace tacit::check {

/// The numbers behind a failed comparison, in units of the value (not of the model's tensor).
struct Evidence {
  std::span<const double> encrypted, message;
  std::span<const std::vector<double>> arguments;  ///< elements, as the operator got them
  double noise = 0;                                ///< modelled deviation of the operator's error
};

/// The likely cause of a difference at a value: range before noise before scale before approximation before bug.
Cause likely_cause(const program::Instruction& value, const Evidence& evidence, const params::CkksParameters& parameters);

}  // namespace tacit::check
