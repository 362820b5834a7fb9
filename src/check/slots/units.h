#pragma once

#include <vector>

#include "program/slots/program.h"

namespace tacit::check {

/// Converts the elements of a value to units of its tensor of the model. A bootstrap may leave its sine to the readers
/// of its result. Then the sine is inverted first.
std::vector<double> in_units_of_tensor(const slots::Program& program, program::ValueId id,
                                       const program::Meaning& meaning, std::vector<double> value);
/// Converts the elements of a tensor to units of the value.
std::vector<double> in_units_of_value(const slots::Program& program, program::ValueId id,
                                      const program::Meaning& meaning, std::vector<double> tensor);

}  // namespace tacit::check
