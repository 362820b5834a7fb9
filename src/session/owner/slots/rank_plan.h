#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "params/network.h"
#include "program/slots/rank_plan.h"

namespace tacit::session {

/// What ranks take, as JSON: the fields of slots::RankPlan and the network.
nlohmann::ordered_json rank_plan_json(const slots::RankPlan& plan, const params::Network& network);
/// A list of them, at least one and of one network, for people, with the model that it rests on.
std::string rank_plans_text(const nlohmann::ordered_json& plans);

}  // namespace tacit::session
