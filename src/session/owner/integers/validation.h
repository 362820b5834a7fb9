#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/memory_budget.h"
#include "base/progress.h"
#include "graph/quant/compile.h"

namespace tacit::session {

/// Runs a network on integers on these samples with fresh keys, watched by check::IntegerValidator, and beside it the
/// exact clear reading. As JSON: whether anything failed, and of every sum and lookup its failures with the likely
/// cause, the first failing element, how many lookups took the box beside their own, the largest share of the noise
/// that it may have, and how far the tensor is from the plaintext network's.
nlohmann::ordered_json validate_integers(const graph::quant::CompiledIntegers& model,
                                         std::span<const std::vector<graph::Tensor>> samples,
                                         const base::MemoryBudget& memory, base::Progress& progress);
/// The same as a table, for people.
std::string integer_validation_text(const nlohmann::ordered_json& validation);

}  // namespace tacit::session
