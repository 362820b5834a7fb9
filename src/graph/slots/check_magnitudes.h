#pragma once

#include <optional>

#include "graph/passes/network.h"
#include "graph/slots/lower.h"

namespace tacit::graph::passes {

/// The first value whose bound is more than the modulus at its level can hold, if there is one. `bounded` is the
/// network that was lowered, in its own units, with what is known about its ranges: measured, or by intervals.
std::optional<ValueId> first_overflow(const Network& bounded, const Lowered& lowered);

/// Throws InputError naming the node, its bound and the way out if a value overflows, if the operand of a bootstrap is
/// not known to lie in [-1, 1], or if the largest input or output is less than 2^8 times the noise of one rescale and
/// would so decrypt to noise. `measured` tells ranges over calibration data from bounds by intervals. Values of unknown
/// range, and constant zeros, are accepted.
void check_magnitudes(const Network& bounded, const Lowered& lowered, bool measured);

}  // namespace tacit::graph::passes
