#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "base/feasible.h"
#include "params/ckks_parameters.h"

/// Describes how the primes of a leveled set serve its key switches. A set that states its digits, or that bootstraps,
/// uses those digits for all its keys. Literals have at least one prime in each list, as CkksParameters::check ensures.
namespace tacit::params {

/// The bits by which a divisor should exceed a digit. They keep the noise of the key at or below the noise of rounding.
inline constexpr int kKeyMargin = 4;

/// Returns true for a set whose keys all have the same digits, because it states them or bootstraps.
bool says_its_digits(const CkksLiteral& literal);

/// Returns the number of ciphertext primes in each digit of a key switch, from q_0. The literal states them, or each
/// digit has as many primes as there are special primes. Throws InputError on a list that does not fit the primes.
std::vector<std::size_t> digits_of(const CkksLiteral& literal);
/// Returns the problem of a list of digits that does not fit the primes, or none.
std::optional<base::Infeasible> problem_of_digits(const CkksLiteral& literal);

/// Returns the digits of relinearisation. A product is divided by P and by its last prime q_l at once. Its digits may
/// therefore be as large as P q_l, while those of a rotation must stay below P. Several parts of the secret make the
/// errors of the key larger (params/noise.h), and digits smaller.
std::vector<std::size_t> product_digits_of(const CkksLiteral& literal);

/// Returns, by level, the number of special primes that a key switch with these digits divides by: the first ones of
/// the set. The number is the least that exceeds the largest digit by six bits, so that the errors of the key stay a
/// tenth of the rounding. If the set has too few, it is all of them. It never falls as the level rises.
std::vector<std::size_t> special_primes(const CkksLiteral& literal, const std::vector<std::size_t>& digits);

/// Return the gadget of rotations and conjugations, and the gadget of relinearisation.
Gadget gadget_of(const CkksLiteral& literal);
Gadget product_gadget_of(const CkksLiteral& literal);
/// Returns the gadget of rotations of a raised ciphertext. Its second half is below q_0, so that one digit has all
/// primes, and p_0 alone divides. The error of the key then equals that of the key to the ephemeral secret.
Gadget raising_gadget_of(const CkksLiteral& literal);

/// Cuts primes into digits as long as `fits(first, last)` allows for the primes [first, last). A digit has at least one
/// prime.
std::vector<std::size_t> longest_digits(std::size_t primes,
                                        const std::function<bool(std::size_t first, std::size_t last)>& fits);

}  // namespace tacit::params
