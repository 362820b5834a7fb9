#pragma once

#include "graph/passes/emit.h"
#include "graph/passes/network.h"
#include "graph/passes/normalise.h"
#include "params/ckks_parameters.h"
#include "program/cost.h"

namespace tacit::graph::passes {

/// A network on one parameter set: the program with levels, and what it costs.
struct Lowered {
  params::CkksLiteral literal;
  Normalised normalised;
  program::Program program;
  program::ProgramCost cost;
  std::vector<program::ValueId> places;  ///< of the network's values in the program
};

/// Largest bound of an output at this level that a parameter set decrypts with a factor of four to spare.
double largest_output(const params::CkksLiteral& literal, int level = 0);

/// Whether an output that is too large for the modulus of level 0 could wrap around without a trace: no slot is known
/// to be zero, so what wraps looks like another result.
bool hides_overflow(const program::Program& program);

/// Normalises, places bootstraps where the set has them, chooses layouts and schedules by price, emits and assigns levels. `key_seconds_per_byte` is what a byte
/// of a rotation key costs a linear map each time it is streamed: the larger, the fewer distinct rotations.
/// Outputs end at `output_level`.
Lowered lower(const Network& network, const params::CkksLiteral& literal, const ProgramNames& names,
              double key_seconds_per_byte, int output_level = 0);

/// A key that is streamed from memory at 10 GB/s.
inline constexpr double kKeySecondsPerByte = 2e-10;

}  // namespace tacit::graph::passes
