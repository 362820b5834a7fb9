#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "session/owner/agreement.h"
#include "session/owner/range_excess.h"

namespace tacit::session {

/// Adds the scores, and the values that left their intervals, to a JSON object. Values of inputs stand in it only if
/// private values are shown.
void add_scores(nlohmann::ordered_json& json, const Scoreboard& scores, const std::vector<RangeExcess>& excesses);
/// Returns the scores as text for people.
std::string scores_text(const Scoreboard& scores, const std::vector<RangeExcess>& excesses, bool simulated);

}  // namespace tacit::session
