#pragma once

#include "params/account.h"
#include "params/ckks_parameters.h"

namespace tacit::params {

/// By which key-switching primes are chosen, in multiply-accumulates: a word and stage of a transform counts for a
/// third of one, so that a limb takes as long as five rows at N = 2^15 (decision 0009); sums and reductions are free.
/// It is no machine's: key files of one parameter set fit each other everywhere.
double key_switch_price(const Work& work);

/// The primes of a set as keys for rotations at level `top` and below use them: q_0 … q_top, and as special primes
/// those of the set with some of q_(top+1) …, taken from the highest down (the level-aware gadgets of Hwang, Seo, Song
/// 2023). The number taken makes a rotation at `top` the least work by key_switch_price(). Returns `literal` where no
/// number does, and for a set that says its digits or bootstraps. `top` >= 0.
CkksLiteral for_rotations(const CkksLiteral& literal, int top);

}  // namespace tacit::params
