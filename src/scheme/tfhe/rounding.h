#pragma once

#include "scheme/tfhe/evaluator.h"

namespace tacit::scheme::tfhe {

/// Rounds messages, which are multiples of 2^step on the torus, to the nearest multiple of 2^(step + dropped), halves
/// up. One bit after the other, from the lowest, as Concrete rounds exactly before its tables: multiplied up to the top
/// of the torus it turns a constant table to its sign, half of which is taken off. A bit takes a bootstrap an input,
/// whose noise comes on top. It is told rightly where the input's noise, 2^(63 - step) times as large, stays within a
/// quarter of the torus. 1 <= step, step + dropped <= 63; InputError otherwise. Progress has a step for every
/// bootstrap. Thread safe.
LweCiphertexts round_off(const Evaluator& evaluator, const LweCiphertexts& inputs, int step, int dropped,
                         base::Progress& progress = base::Progress::silent());

}  // namespace tacit::scheme::tfhe
