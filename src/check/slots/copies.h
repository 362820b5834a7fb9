#pragma once

#include "program/slots/clear.h"
#include "program/slots/program.h"

namespace tacit::check {

/// Errors of copies. Copies of an element carry different errors. A linear map reads the copies that its diagonals
/// reach, and a message reads the first copy. The difference is no error of the map.

/// Returns the root mean square of the differences between the copies of each element and its first copy. `slots` are
/// whole.
double disagreement(const layout::Layout& layout, const slots::SlotArray& slots);

/// Returns the variance of a result of the map from the disagreement of this operand's copies. It is the largest
/// variance of some rows, if errors of different elements are independent.
double variance_of_copies(const slots::Linear& linear, program::ValueId operand, double disagreement);

}  // namespace tacit::check
