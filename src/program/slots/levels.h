#pragma once

#include "params/ckks_parameters.h"
#include "program/slots/program.h"

namespace tacit::slots {

/// Decides level and scale of every value: low levels first, so that every operation runs on as few limbs as its uses
/// allow. Outputs end at `output_level`; a value sits at the highest level that one of its uses needs; inputs are
/// encrypted exactly there. Inputs, Linear, Polynomial, MultiplyPlain and Drop land exactly on parameters.scale(), with
/// two exceptions. What only linear maps read lands eight times higher, where rotations cost it less precision. A
/// Linear or MultiplyPlain that only polynomials read lands on the scale from which repeated squaring ends at
/// parameters.scale(). The other way round does not hold: each squaring doubles the distance of a scale from the
/// primes. Small primes lie far from the power of two that names them, so that the scale would run away. Multiply gives
/// scale(a) * scale(b) / q_level; the others keep their operand's scale. In a set that bootstraps, inputs and what is
/// linear in them may lie above the message levels (params::highest_fresh_level). Throws InputError if the program is
/// deeper than the parameters, InternalError if summands differ in scale.
void assign_levels(Program& program, const params::CkksParameters& parameters, int output_level = 0);

/// The highest level that a program with levels needs for messages: what is linear in the inputs can do with others,
/// and of bootstraps the highest result that their schedules know counts.
int message_levels_needed(const Program& program);

}  // namespace tacit::slots
