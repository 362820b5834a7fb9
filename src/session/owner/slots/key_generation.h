#pragma once

#include <filesystem>

#include "base/memory_budget.h"
#include "base/progress.h"
#include "runtime/compiled_model.h"

namespace tacit::session {

struct KeyFiles {
  std::filesystem::path secret, evaluation;
  std::filesystem::path public_key;  ///< empty: none is written
};

/// Draws a secret key and makes the keys that the model needs, all bound to it. Either every file is written or none
/// is. Throws InputError where the keys do not fit the budget or a file cannot be written, Cancelled.
void generate_keys(const runtime::ClientModel& model, const KeyFiles& files, const base::MemoryBudget& memory,
                   base::Progress& progress);

}  // namespace tacit::session
