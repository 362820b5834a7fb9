#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "params/ckks_parameters.h"

/// How the primes of a leveled set serve its key switches. A set that says its digits itself, or that bootstraps, keeps
/// them for all its keys. Literals have at least one prime in each list, as CkksParameters::check sees to.
namespace tacit::params {

/// Bits by which a divisor should exceed a digit, so that the noise of the key is no more than the rounding's.
inline constexpr int kKeyMargin = 4;

/// True for a set whose keys all have the same digits: it says them itself, or bootstraps.
bool says_its_digits(const CkksLiteral& literal);

/// Ciphertext primes in each digit of a key switch, from q_0: as many as special primes, or what the literal says.
/// Throws InputError on a list that does not fit the primes.
std::vector<std::size_t> digits_of(const CkksLiteral& literal);

/// The same for relinearisation. A product is divided by P and by its last prime q_l at once, so that its digits may be
/// as large as P q_l, where those of a rotation must stay below P.
std::vector<std::size_t> product_digits_of(const CkksLiteral& literal);

/// By level: special primes that a key switch with these digits divides by there, the first ones of the set, as few as
/// exceed its largest digit by six bits, so that the errors of the key stay a tenth of the rounding; all where there
/// are no more. Never fewer at a higher level.
std::vector<std::size_t> special_primes(const CkksLiteral& literal, const std::vector<std::size_t>& digits);

/// The gadget of rotations and conjugations, and that of relinearisation.
Gadget gadget_of(const CkksLiteral& literal);
Gadget product_gadget_of(const CkksLiteral& literal);
/// That of rotations of a raised ciphertext, whose second half is below q_0: one digit of all primes, which p_0 alone
/// divides. The error of the key is then that of the key to the ephemeral secret.
Gadget raising_gadget_of(const CkksLiteral& literal);

/// Digits as long as `fits(first, last)` allows of the primes [first, last), at least one prime each.
std::vector<std::size_t> longest_digits(std::size_t primes,
                                        const std::function<bool(std::size_t first, std::size_t last)>& fits);

}  // namespace tacit::params
