#pragma once

#include "target.h"

namespace tacit::fuzz {

/// Inputs are not grown beyond this.
inline constexpr std::size_t kMostBytes = std::size_t{1} << 20;

/// One to four changes that know nothing of the format: flipped bits, other bytes, extreme integers of one to eight
/// bytes, small steps of integers and reals, cuts, repeated and moved stretches, stretches of `other`.
Bytes mutate_bytes(Bytes bytes, const Bytes& other, Random& random);

/// The same for texts: digits and words of the notation's own kind are exchanged, brackets nested, stretches between
/// separators dropped, repeated or taken from `other`.
Bytes mutate_text(Bytes text, const Bytes& other, Random& random);

}  // namespace tacit::fuzz
