#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace tacit::session {

/// Runs `body` on the plan in a client's half. Throws InputError for text that is no plan.
void reading_plan(const std::string& text, const std::function<void(const nlohmann::ordered_json&)>& body);

}  // namespace tacit::session
