#pragma once

#include <optional>

#include "graph/passes/network.h"
#include "graph/slots/lower.h"

namespace tacit::graph::passes {

/// Returns the first value whose bound is more than the modulus at its level can hold, if there is one. `bounded` is
/// the network that was lowered, in its own units. Its ranges are measured ones or bounds by intervals.
std::optional<ValueId> first_overflow(const Network& bounded, const Lowered& lowered);

/// Throws InputError, naming the node, its bound and the way out, in three cases:
/// - a value overflows;
/// - the operand of a bootstrap is not known to be in [-1, 1];
/// - the largest element of an input or output is less than 2^8 times the noise of one rescale, and would decrypt to
///   noise.
///
/// `measured` is true if ranges come from calibration data, and false if they are bounds by intervals. Constant zeros
/// and other values of unknown range are accepted.
void check_magnitudes(const Network& bounded, const Lowered& lowered, bool measured);

}  // namespace tacit::graph::passes
