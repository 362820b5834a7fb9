#pragma once

#include <span>
#include <vector>

#include "program/slots/program.h"

namespace tacit::check {

/// Returns the instructions that compute `value` from `arguments`, in the order of the program. They include the
/// instruction of `value`. They exclude those of `arguments`, and all instructions on which only `arguments` depend.
std::vector<program::ValueId> between(const slots::Program& program, std::span<const program::ValueId> arguments,
                                      program::ValueId value);

/// Returns the values from which a value is made: its operands, or the value that it is a refreshed copy of.
std::vector<program::ValueId> sources(const slots::Program& program, program::ValueId id);

/// Returns the values that an instruction reads on [-1, 1]: the operands of polynomials and bootstraps.
std::vector<program::ValueId> read_on_unit_interval(const slots::Operation& operation);

}  // namespace tacit::check
