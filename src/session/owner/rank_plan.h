#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "params/interconnect.h"
#include "program/rank_plan.h"

namespace tacit::session {

/// Returns the costs on ranks as JSON: the fields of program::RankPlan and the network.
nlohmann::ordered_json rank_plan_json(const program::RankPlan& plan, const params::Interconnect& network);
/// Returns a list of such plans for people, with the assumptions of the costs. The list has at least one plan, and all
/// are for one network.
std::string rank_plans_text(const nlohmann::ordered_json& plans);

}  // namespace tacit::session
