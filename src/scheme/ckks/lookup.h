#pragma once

#include <span>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "params/lookup_schedule.h"
#include "scheme/ckks/bootstrapper.h"

namespace tacit::scheme::ckks {

/// Looks every slot up in some tables. The tables share the bootstrap of the argument and its powers.
///
/// `bootstrapper` carries out schedule.bootstrap. Input: as of Bootstrapper, with slots on the arguments of the
/// entries (params::entry_argument). Output: one ciphertext per table with real slots params::look_up(slot), at level
/// schedule.output_level() and exactly the set's scale. Throws InputError, before any work, as Bootstrapper does and if
/// a table has another number of entries than the schedule. Thread safe.
std::vector<Ciphertext> look_up(const Bootstrapper& bootstrapper, const Evaluator& evaluator, const Ciphertext& x,
                                std::span<const std::vector<double>> tables, const params::LookupSchedule& schedule,
                                base::Progress& progress = base::Progress::silent());
/// Looks two ciphertexts up, which are bootstrapped as one with complex slots.
std::pair<std::vector<Ciphertext>, std::vector<Ciphertext>> look_up_pair(
    const Bootstrapper& bootstrapper, const Evaluator& evaluator, const Ciphertext& x, const Ciphertext& y,
    std::span<const std::vector<double>> tables, const params::LookupSchedule& schedule,
    base::Progress& progress = base::Progress::silent());

}  // namespace tacit::scheme::ckks
