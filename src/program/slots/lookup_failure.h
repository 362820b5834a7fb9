#pragma once

#include <span>

#include "params/ckks_parameters.h"
#include "program/slots/program.h"

namespace tacit::slots {

/// A value that the client rounds to multiples of a step after decryption.
struct RoundedOutput {
  ValueId value = 0;
  double step = 0;  ///< in units of the value
};

/// The lookup or the rounded output of a program that is the most likely to be wrong.
struct LookupFailure {
  ValueId id = 0;
  double deviation = 0;         ///< of the error of the lookup's argument or of the output, in units of the value
  double log2_probability = 0;  ///< log2 of a bound of the probability that any slot of any of them is wrong in a run
};

/// log2 of the probability of a wrong entry in a run that programs may have, as that of lookups on integers.
inline constexpr double kMostLog2LookupFailure = -128;

/// Returns the failure of a run, and what contributes most to it. This is a lookup whose argument has a large error for
/// its table, or an output with a large error for its step. Errors of values are Gaussian, and independent of those of
/// other values. The error of a lookup's result does not depend on the error of its argument, because a table has slope
/// 0 at its entries. A linear map multiplies the errors of its operands by the largest 2-norm of its rows. Decryption
/// adds as much noise as the value has (scheme::ckks::DecodingNoise). The program has levels and scales. The
/// log2_probability is -infinity for a program without a lookup and without a rounded output.
LookupFailure lookup_failure(const Program& program, const params::CkksParameters& parameters,
                             std::span<const RoundedOutput> outputs = {});

}  // namespace tacit::slots
