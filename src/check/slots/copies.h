#pragma once

#include "program/slots/clear.h"
#include "program/slots/program.h"

namespace tacit::check {

/// Copies of an element carry errors of their own. A linear map reads whichever copy its diagonals reach, and a message
/// the first: the difference is no error of the map.

/// Root mean square of what the other copies of the elements differ by from the first of each. `slots` are whole.
double disagreement(const layout::Layout& layout, const slots::SlotArray& slots);

/// Variance of a result of the map that comes from copies of this operand that disagree so much; for the largest of
/// some rows, if errors of different elements are independent.
double variance_of_copies(const slots::Linear& linear, program::ValueId operand, double disagreement);

}  // namespace tacit::check
