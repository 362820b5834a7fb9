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

/// The result of watching runs of a network on integers.
struct IntegerValidation {
  std::vector<check::IntegerResult> operators;  ///< for every sum and lookup the worst result over all inputs
  std::size_t inputs = 0;
  double run_seconds = 0;       ///< encrypted runs and comparisons together
  double validate_seconds = 0;  ///< of these, the comparisons
  /// Returns the first operator that failed; null if none did.
  const check::IntegerResult* first_failure() const;
  bool failed() const;
};

/// Runs a network on integers on these samples with fresh keys, watched by check::IntegerValidator.
IntegerValidation validate_integers(const graph::quant::CompiledIntegers& model,
                                    std::span<const std::vector<graph::Tensor>> samples,
                                    const base::MemoryBudget& memory, base::Progress& progress);
/// Returns the whole result as JSON. `integer_validation_text` returns a table for people.
nlohmann::ordered_json integer_validation_json(const IntegerValidation& validation);
std::string integer_validation_text(const IntegerValidation& validation);

}  // namespace tacit::session
