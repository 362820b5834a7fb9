#pragma once

#include <string>
#include <vector>

#include "program/slots/program.h"

namespace tacit::slots {

/// Returns the reason that a validation cannot be at instruction `at` of the program; empty if it can. It may read
/// something that is not a value, or its length, epsilon or meanings do not fit.
std::string why_not(const Program& program, ValueId at, const Validate& validate);

/// Returns the number of elements (slots at instruction detail) that a validation of this value can compare.
layout::Index most_length(const Instruction& value, Detail detail);

bool has_validations(const Program& program);

/// Returns the program with validations, each placed right after its value. Their references are renumbered with the
/// rest. Everything else stays unchanged, levels and scales included, so that it computes the same bits. Throws
/// InputError for what `why_not` refuses.
Program with_validations(const Program& program, const std::vector<Validate>& validations);

}  // namespace tacit::slots
