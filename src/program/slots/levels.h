#pragma once

#include <optional>

#include "base/feasible.h"
#include "params/ckks_parameters.h"
#include "program/slots/program.h"

namespace tacit::slots {

/// Decides level and scale of every value. Levels are low: a value has the highest level that one of its uses needs, so
/// that every operation runs on few limbs. Inputs are encrypted at their level. Outputs end at `output_level`.
///
/// The scales follow these rules, with s = parameters.scale():
/// - Input, Linear, Polynomial, MultiplyPlain, Drop, Bootstrap and Lookup land on s.
/// - Exception: such a value that only linear maps read lands on 8 s, unless a Bootstrap or a Lookup made it. Rotations
///   cost it less precision there. For an input with a trace, the readers of the trace count.
/// - Exception: a Linear or MultiplyPlain that only polynomials read lands on the scale from which repeated squaring
///   ends at s.
/// - Multiply lands on scale(a) * scale(b) / q_level.
/// - All others keep their operand's scale.
///
/// A series cannot start at s instead of ending there. Each squaring doubles the distance of a scale from the primes.
/// Small primes are far from the power of two that names them, so that the scale would run away.
///
/// In a set that bootstraps, inputs and values that are linear in them may be above the message levels
/// (params::highest_fresh_level). Throws InputError if the program is deeper than the parameters, and InternalError if
/// summands differ in scale.
void assign_levels(Program& program, const params::CkksParameters& parameters, int output_level = 0);
/// Does the same. If the program is deeper than the parameters, returns the value that lacks levels. Scales are then
/// undecided.
std::optional<base::Infeasible> try_levels(Program& program, const params::CkksParameters& parameters,
                                           int output_level = 0);

/// Returns the highest level that a program with levels needs for messages. Values that are linear in the inputs do not
/// count, because they can use other levels. A bootstrap counts with the highest result that its schedule knows.
int message_levels_needed(const Program& program);

}  // namespace tacit::slots
