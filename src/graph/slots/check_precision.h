#pragma once

#include <span>
#include <string>

#include "graph/range.h"
#include "program/client_interface.h"

namespace tacit::graph::passes {

/// Returns the largest deviation of the noise of an output that keeps `bits` bits of precision: 12 deviations are
/// 2^-bits of the width of the output's range. An output with one value has its magnitude in place of the width. All
/// noise is permitted for outputs that are always 0 or whose range is not known.
double most_noise_for(int bits, const Range& range);
/// Returns the most bits of precision that noise of this deviation leaves. Below zero, none.
int bits_left_by(double noise, const Range& range);

/// Throws InputError if the noise of an output leaves fewer than `bits` bits of precision. It names the output with the
/// fewest bits, and the bits that would do. `ranges` are by program output, in the model's units. `parameters` is the
/// name of the user's set, or empty.
void check_precision(const program::ClientInterface& client, std::span<const Range> ranges, int bits,
                     const std::string& parameters);

}  // namespace tacit::graph::passes
