#pragma once

#include <vector>

#include "program/slots/program.h"

namespace tacit::graph::passes {

/// Pairs bootstraps of different values. Two ciphertexts with real slots go through the transforms of one, and a value
/// with an odd number of ciphertexts has one left over. Two such values with one schedule make a pair if the operand of
/// the later one exists before the earlier one runs. One bootstrap then refreshes both, and each value gathers its
/// part. `program` has levels and scales. Returns the new name of every value.
std::vector<program::ValueId> pair_bootstraps(slots::Program& program);

}  // namespace tacit::graph::passes
