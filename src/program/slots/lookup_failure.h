#pragma once

#include "params/ckks_parameters.h"
#include "program/slots/program.h"

namespace tacit::slots {

/// The lookup of a program that is the most likely to read a wrong entry.
struct LookupFailure {
  ValueId id = 0;
  double deviation = 0;         ///< of the error of its argument, in units of the argument
  double log2_probability = 0;  ///< log2 of a bound of the probability that any slot of any lookup fails in a run
};

/// log2 of the probability of a wrong entry in a run that programs may have, as that of lookups on integers.
inline constexpr double kMostLog2LookupFailure = -128;

/// Returns the lookup whose argument has the largest error for its table, and the failure of a run. Errors of values
/// are Gaussian, and independent of those of other values. The error of a lookup's result does not depend on the error
/// of its argument, because a table has slope 0 at its entries. A linear map multiplies the errors of its operands by
/// the largest 2-norm of its rows. The program has levels and scales, and a lookup. The log2_probability is -infinity
/// for a program without one.
LookupFailure lookup_failure(const Program& program, const params::CkksParameters& parameters);

}  // namespace tacit::slots
