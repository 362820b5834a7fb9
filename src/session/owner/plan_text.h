#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace tacit::session {

/// Runs `body` on the plan in a client's half. Throws InputError for text that is no plan.
void reading_plan(const std::string& text, const std::function<void(const nlohmann::ordered_json&)>& body);

/// Returns a plan of either scheme for people, without the instructions.
std::string plan_text(const nlohmann::ordered_json& plan);
/// Returns the instructions as a table.
std::string instructions_text(const nlohmann::ordered_json& plan);

}  // namespace tacit::session
