#pragma once

#include "layout/diagonals.h"
#include "params/schedule.h"

namespace tacit::program {

/// What the parts of a double-hoisted linear map cost at one level, in seconds.
struct LinearPrices {
  double decompose = 0;  ///< once per input ciphertext, if any baby step is not 0
  double baby = 0;       ///< one hoisted rotation of one input, left in the extended basis
  double giant = 0;      ///< one rotation of one accumulator
  double product = 0;    ///< one diagonal times one ciphertext, accumulated
  double fold = 0;       ///< one rotation and addition of an output, after the rescale
  double finish = 0;     ///< mod-down and rescale of one output
};

/// How many of each a schedule takes.
struct LinearCounts {
  std::int64_t babies = 0;    ///< distinct non-zero baby steps, per input ciphertext
  std::int64_t giants = 0;    ///< distinct non-zero giant steps, per output ciphertext
  std::int64_t products = 0;  ///< over all blocks
  std::int64_t folds = 0;     ///< per output ciphertext
  std::int64_t inputs = 1, outputs = 1;
  std::int64_t rotations() const { return babies * inputs + (giants + folds) * outputs; }
};
LinearCounts count(const params::LinearSchedule& schedule, const layout::DiagonalSet& set, std::int64_t inputs,
                   std::int64_t outputs);
double seconds(const LinearCounts& counts, const LinearPrices& prices);

/// The cheapest split of the diagonals into baby and giant steps by bit fields of d + offset: the giant steps take the
/// bits between two places (or all others), the offset cuts windows where they have their widest gap, which suits windows
/// over maps as well as dense matrices. A step's diagonal equals one of the set's modulo its modulus, not always as a
/// number: layout::weights_of finds its weights.
params::LinearSchedule plan_linear(const layout::DiagonalSet& set, const LinearPrices& prices, std::int64_t inputs,
                                   std::int64_t outputs);

}  // namespace tacit::program
