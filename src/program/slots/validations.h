#pragma once

#include <string>
#include <vector>

#include "program/slots/program.h"

namespace tacit::slots {

/// Why a validation cannot stand at instruction `at` of the program: what it reads is no value, or its length, epsilon
/// or meanings do not fit. Empty if it can.
std::string why_not(const Program& program, ValueId at, const Validate& validate);

/// Elements (slots at instruction detail) that a validation of this value can compare.
layout::Index most_length(const Instruction& value, Detail detail);

bool has_validations(const Program& program);

/// The program with validations, each placed right after the value that it looks at; what they refer to is renumbered
/// with the rest. Everything else stays as it is, levels and scales included, so that it computes the same bits. Throws
/// InputError for what `why_not` refuses.
Program with_validations(const Program& program, const std::vector<Validate>& validations);

}  // namespace tacit::slots
