#pragma once

#include <vector>

#include "program/slots/program.h"

namespace tacit::graph::passes {

/// Lets bootstraps of different values pass together: two ciphertexts with real slots go through the transforms of one,
/// and a value with an odd number of ciphertexts has one left over. Two such values with one schedule make a pair if
/// the operand of the later one exists before the earlier one runs: then one bootstrap refreshes both, and each value
/// gathers its part. In the classic form there are no pairs. `program` has levels and scales. Returns the new name of
/// every value.
std::vector<program::ValueId> pair_bootstraps(slots::Program& program);

}  // namespace tacit::graph::passes
