#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/memory_budget.h"
#include "base/progress.h"
#include "check/integers/integer_validator.h"
#include "graph/quant/compile.h"

namespace tacit::session {

/// What watching runs of a network on integers found.
struct IntegerValidation {
  std::vector<check::IntegerResult> operators;  ///< of every sum and lookup the worst over all inputs
  std::size_t inputs = 0;
  double seconds = 0;
  bool failed() const;
};

/// Runs a network on integers on these samples with fresh keys, watched by check::IntegerValidator.
IntegerValidation validate_integers(const graph::quant::CompiledIntegers& model,
                                    std::span<const std::vector<graph::Tensor>> samples,
                                    const base::MemoryBudget& memory, base::Progress& progress);
/// All of it, and as a table for people.
nlohmann::ordered_json integer_validation_json(const IntegerValidation& validation);
std::string integer_validation_text(const IntegerValidation& validation);

}  // namespace tacit::session
