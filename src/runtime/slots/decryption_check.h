#pragma once

#include <complex>
#include <span>
#include <vector>

#include "params/ckks_parameters.h"
#include "program/client_interface.h"

namespace tacit::runtime {

/// Returns a quarter of the modulus of a level in units of the scale. Slots up to this value do not wrap around, with a
/// margin.
double largest_value(const params::CkksParameters& parameters, int level, double scale);

/// Checks decrypted slots, and returns their noise: the root mean square of the imaginary parts. slots[c] are the slots
/// of ciphertext c at the output's level and scale. Throws InputError unless they are a real vector packed in the
/// output's layout, up to a tolerance. Imaginary parts, differences between copies of an element, and non-zero padding
/// must be within the tolerance. Larger ones come from a wrong key, a damaged ciphertext or a computation that wrapped
/// around. If no bounds are known, slots that are so large that the modulus may have been exceeded are refused too.
///
/// The tolerance is the largest of
/// - a 64th of the largest value, which counts as at least 1 if the bounds allow it, so that a result near zero is not
///   refused,
/// - 1024 times the noise of a fresh ciphertext,
/// - sixteen times the noise that the compiler modelled for this output.
///
/// A wrong result exceeds it by the quotient of modulus and scale. One kind of wrong result looks right: a message that
/// overflowed and has a single value in all slots wraps to another such message. Bounds catch it unless the wrapped
/// value is inside them.
double check_decryption(const program::ClientOutput& output, const params::CkksParameters& parameters,
                        std::span<const std::vector<std::complex<double>>> slots);

/// Throws InputError for a value further outside the output's bounds than eight deviations of the noise. The error
/// names the element, the value and the bounds.
void check_bounds(const program::ClientOutput& output, std::span<const double> values, double noise);

}  // namespace tacit::runtime
