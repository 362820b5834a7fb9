#pragma once

#include <vector>

#include "program/slots/program.h"

namespace tacit::check {

/// The elements of a value in units of the model's tensor that it is. Of a bootstrap that leaves its sine to what reads
/// it, the sine is taken back first.
std::vector<double> in_units_of_tensor(const slots::Program& program, program::ValueId id,
                                       const program::Meaning& meaning, std::vector<double> value);
/// The other way round.
std::vector<double> in_units_of_value(const slots::Program& program, program::ValueId id,
                                      const program::Meaning& meaning, std::vector<double> tensor);

}  // namespace tacit::check
