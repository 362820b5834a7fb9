#pragma once

#include "params/account.h"
#include "params/ckks_parameters.h"

namespace tacit::params {

/// The prices by which key-switching primes are chosen, relative to a multiply-accumulate: a word and stage of a
/// transform takes a third of one, so that a limb takes as long as five rows at N = 2^15 (decision 0009). They are no
/// machine's: key files of one parameter set fit each other everywhere.
CostTable key_switch_prices();

/// The primes of a set as keys for rotations at level `top` and below use them: q_0 … q_top, and as special primes
/// those of the set with some of q_(top+1) …, taken from the highest down (the level-aware gadgets of Hwang, Seo, Song
/// 2023). The number taken makes a rotation at `top` the least work by key_switch_prices(). Returns `literal` where no
/// number does, and for a set that says its digits or bootstraps. `top` >= 0.
CkksLiteral for_rotations(const CkksLiteral& literal, int top);

}  // namespace tacit::params
