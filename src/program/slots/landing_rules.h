#pragma once

#include <string>

#include "params/ckks_parameters.h"
#include "program/slots/program.h"

namespace tacit::slots {

/// Returns true if two scales differ by rounding only. Scales are exact in a program and rounded in the machine. A
/// relative 2^-30 is far above the rounding and far below the message.
bool same_scale(double a, double b);

/// Returns a sentence if an instruction cannot have the levels that the program states, or nothing.
std::string level_problem(const Program& program, ValueId id, const params::CkksParameters& parameters);
/// Returns a sentence if an instruction would not land on the scale that the program states, or if the scales of its
/// operands do not fit together.
std::string scale_problem(const Program& program, ValueId id, const params::CkksParameters& parameters);

}  // namespace tacit::slots
