#pragma once

#include <nlohmann/json.hpp>

#include "params/cost_table.h"
#include "session/owner/integers/compilation.h"

namespace tacit::session {

/// The plan of a network on integers as JSON: model, scheme, security, parameters, lookups, failure probabilities, what
/// keys, memory and time on so many threads are estimated at, client's steps, and the instructions with bits, 2-norms
/// and failures. Times are by `shown`: those of the default prices' machine, as much longer or shorter as transforms of
/// the shown machine take.
nlohmann::ordered_json integer_plan_json(const IntegerCompilation& compilation, int threads,
                                         const params::CostTable& shown = {});
/// Seconds that an input is planned to take on one core: the same on every machine, so that choices may go by it.
double planned_seconds(const IntegerCompilation& compilation);

}  // namespace tacit::session
