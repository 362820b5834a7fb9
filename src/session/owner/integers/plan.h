#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "graph/quant/compile.h"

namespace tacit::session {

/// What a plan is made of beside the compiled network.
struct PlannedIntegers {
  const std::string& name;
  const graph::Graph& graph;
  const graph::quant::CompiledIntegers& model;
  int threads = 1;
};

/// The plan of a network on integers as JSON: model, scheme, security, parameters, lookups, failure probabilities, what
/// keys, memory and time are estimated at, client's steps, and the instructions with bits, 2-norms and failures.
nlohmann::ordered_json integer_plan_json(const PlannedIntegers& planned);
/// The same for people, without the instructions; and these as a table.
std::string integer_plan_text(const nlohmann::ordered_json& plan);
std::string integer_instructions_text(const nlohmann::ordered_json& plan);

}  // namespace tacit::session
