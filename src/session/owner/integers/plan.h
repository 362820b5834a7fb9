#pragma once

#include <nlohmann/json.hpp>

#include "params/cost_table.h"
#include "session/owner/integers/compilation.h"

namespace tacit::session {

/// Returns the plan of a network on integers as JSON:
/// - model, scheme, security, parameters, lookups, failure probabilities;
/// - estimates of keys, memory and time on `threads` threads;
/// - the client's steps, and the instructions with bits, 2-norms and failures.
/// Times are those of the default prices' machine, scaled by the transforms of the machine of `shown`.
nlohmann::ordered_json integer_plan_json(const IntegerCompilation& compilation, int threads,
                                         const params::CostTable& shown = {});
/// Returns the planned seconds of an input on one core. They are the same on every machine, so that choices may use
/// them.
double planned_seconds(const IntegerCompilation& compilation);

}  // namespace tacit::session
