#pragma once

#include <vector>

#include "program/slots/program.h"

namespace tacit::graph::passes {

/// The most rotations of one input that make its question smaller. Each halves the first half of the question, and
/// costs a rotation and a key at the input's level, some 3 % of the time of a small network.
inline constexpr int kMostTraceRotations = 2;

/// Has the client send the coefficients of X^(2^r) alone for inputs whose layout begins with 2^r copies. The input then
/// holds one copy, and a trace makes the others (program/slots/trace.h). r is at most kMostTraceRotations. `program`
/// has no levels. Returns the new name of every value.
std::vector<program::ValueId> small_questions(slots::Program& program);

}  // namespace tacit::graph::passes
