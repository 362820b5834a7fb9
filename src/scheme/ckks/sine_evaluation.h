#pragma once

#include "params/bootstrap_scales.h"
#include "scheme/ckks/evaluator.h"

namespace tacit::scheme::ckks {

/// The step of a bootstrap that removes multiples of q_0: sin(2 pi t) of slots t that are near integers, by a cosine of
/// an eighth of the angle, (t - 1/4), that is doubled three times (Han, Ki 2020, section 3).
///
/// x = (t - 1/4) / schedule.range at level chain.sine[0] and scales.argument(); the result is sin(2 pi t) at level
/// chain.output and exactly scales.sine.
Ciphertext evaluate_sine(const Evaluator& evaluator, const params::BootstrapSchedule& schedule,
                         const params::BootstrapScales& scales, const Ciphertext& x);

}  // namespace tacit::scheme::ckks
