#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace tacit::session {

/// Returns a plan of either scheme for people, without the instructions.
std::string plan_text(const nlohmann::ordered_json& plan);
/// Returns the instructions as a table.
std::string instructions_text(const nlohmann::ordered_json& plan);

}  // namespace tacit::session
