#pragma once

#include "scheme/tfhe/evaluator.h"

namespace tacit::scheme::tfhe {

/// Rounds messages, which are multiples of 2^step on the torus, to the nearest multiple of 2^(step + dropped), halves
/// up. It works bit by bit from the lowest, as Concrete rounds exactly before its tables. A bit is multiplied up to the
/// top of the torus. A lookup of a constant table there gives plus or minus half the bit's weight. Half the weight
/// minus this result is 0 or the bit, and is subtracted.
///
/// A bit takes one bootstrap per input and adds the noise of the bootstrap. The bit is found correctly if 2^(63 - bit)
/// times the input's noise stays within a quarter of the torus. The lowest bit is `step`.
///
/// Throws InputError unless 1 <= step, 1 <= dropped and step + dropped <= 63. Progress has a step for every bootstrap.
/// Thread safe.
LweCiphertexts round_off(const Evaluator& evaluator, const LweCiphertexts& inputs, int step, int dropped,
                         base::Progress& progress = base::Progress::silent());

}  // namespace tacit::scheme::tfhe
