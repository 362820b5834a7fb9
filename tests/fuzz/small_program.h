#pragma once

#include "params/ckks_parameters.h"
#include "program/slots/program.h"
#include "target.h"

namespace tacit::fuzz {

/// Programs with levels for these parameters: between them every instruction that the parameters can carry out.
std::vector<slots::Program> small_programs(const params::CkksParameters& parameters);
/// One that bootstraps.
slots::Program refreshing_program(const params::CkksParameters& parameters);

/// Bytes of a program with one field of one instruction changed to what the bytes of a field can say: an operand, a
/// level, a scale, a layout, a step, a coefficient, the order.
Bytes mutate_program(const Bytes& from, const Bytes& other, Random& random);

}  // namespace tacit::fuzz
