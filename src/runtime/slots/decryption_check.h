#pragma once

#include <complex>
#include <span>
#include <vector>

#include "params/ckks_parameters.h"
#include "program/client_interface.h"

namespace tacit::runtime {

/// A quarter of the modulus of a level in units of the scale: slots up to this do not wrap around, with a factor to
/// spare.
double largest_value(const params::CkksParameters& parameters, int level, double scale);

/// Refuses (InputError) decrypted slots that are not a real vector packed in the output's layout: imaginary parts,
/// disagreeing copies of an element or non-zero padding above what noise explains come from a wrong key, a damaged
/// ciphertext or a computation that wrapped around. Wherever no bounds are known, slots so large that the modulus may
/// have been exceeded are refused too. slots[c] are the slots of ciphertext c at the output's level and scale. Returns
/// the noise that they show: the root mean square of the imaginary parts.
///
/// The tolerance is the largest of
/// - a 64th of the largest value, which counts as at least 1 where the bounds allow it: a result near zero is not held
///   to nothing,
/// - 1024 times the noise of a fresh ciphertext,
/// - sixteen times the noise that the compiler modelled for this output.
/// A wrong result exceeds it by the quotient of modulus and scale. One wrong result looks like a right one: a message
/// that overflowed and has a single value in all slots wraps to another such message. Bounds catch it unless it lands
/// inside them.
double check_decryption(const program::ClientOutput& output, const params::CkksParameters& parameters,
                        std::span<const std::vector<std::complex<double>>> slots);

/// Refuses (InputError) a value further outside the output's bounds than eight deviations of the noise, naming the
/// element, the value and the bounds.
void check_bounds(const program::ClientOutput& output, std::span<const double> values, double noise);

}  // namespace tacit::runtime
