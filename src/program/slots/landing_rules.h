#pragma once

#include <string>

#include "params/ckks_parameters.h"
#include "program/slots/program.h"

namespace tacit::slots {

/// True if two scales are one but for rounding: scales are exact in a program and rounded in the machine. A relative
/// 2^-30 is far above the rounding and far below the message.
bool same_scale(double a, double b);

/// Why an instruction cannot carry out what the program says of levels: a sentence, or nothing.
std::string level_problem(const Program& program, ValueId id, const params::CkksParameters& parameters);
/// Why it would not land on the scale that the program says, or reads operands whose scales do not go together.
std::string scale_problem(const Program& program, ValueId id, const params::CkksParameters& parameters);

}  // namespace tacit::slots
