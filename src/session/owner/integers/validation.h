#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/memory_budget.h"
#include "base/progress.h"
#include "graph/quant/compile.h"

namespace tacit::session {

/// Runs a network on integers on these samples with fresh keys, watched by check::IntegerValidator. The JSON says
/// whether anything failed. Of every sum and lookup it has
/// - the failures, the first failing element and its likely cause,
/// - how many lookups took the box beside their own,
/// - the largest noise, as a share of what a lookup may leave.
nlohmann::ordered_json validate_integers(const graph::quant::CompiledIntegers& model,
                                         std::span<const std::vector<graph::Tensor>> samples,
                                         const base::MemoryBudget& memory, base::Progress& progress);
/// The same as a table, for people.
std::string integer_validation_text(const nlohmann::ordered_json& validation);

}  // namespace tacit::session
