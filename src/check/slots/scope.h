#pragma once

#include <span>
#include <vector>

#include "program/slots/program.h"

namespace tacit::check {

/// The instructions that make a value from other values, its own included, in the order of the program: all that it
/// depends on, without those values and what lies behind them.
std::vector<program::ValueId> between(const slots::Program& program, std::span<const program::ValueId> arguments,
                                      program::ValueId value);

/// The values that a value is made of: its operands, or what it is a refreshed copy of.
std::vector<program::ValueId> sources(const slots::Program& program, program::ValueId id);

/// The values that an instruction reads on [-1, 1]: those of polynomials and bootstraps.
std::vector<program::ValueId> read_on_unit_interval(const slots::Operation& operation);

}  // namespace tacit::check
