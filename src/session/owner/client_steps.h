#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "graph/client_parts.h"

namespace tacit::session {

/// Returns the operators that the client runs in the clear, as a list of a plan.
nlohmann::ordered_json client_steps(const graph::ClientParts& parts);
/// Returns these steps for people: operators in order, and those that show numbers of the model. `when` is "before" or
/// "after".
std::string client_text(const nlohmann::ordered_json& steps, std::string_view when);

}  // namespace tacit::session
