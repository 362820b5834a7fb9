#pragma once

#include "params/account.h"
#include "params/ckks_parameters.h"

namespace tacit::params {

/// Returns the price, in multiply-accumulates, by which key-switching primes are chosen. A word and stage of a
/// transform counts as a third of a multiply-accumulate: a limb takes as long as five rows at N = 2^15 (decision 0009).
/// Sums and reductions are free. The price depends on no machine, so that key files of one parameter set fit each other
/// everywhere.
double key_switch_price(const Work& work);

/// Returns the primes as keys for rotations at level `top` and below use them. The ciphertext primes are q_0 … q_top.
/// The special primes are those of the set and some of q_(top+1) …, taken from the highest down (the level-aware
/// gadgets of Hwang, Seo, Song 2023). The number taken gives a rotation at `top` the least key_switch_price(). The
/// result is `literal` if no number improves the price, or if the set states its digits or bootstraps. `top` >= 0.
CkksLiteral for_rotations(const CkksLiteral& literal, int top);

}  // namespace tacit::params
