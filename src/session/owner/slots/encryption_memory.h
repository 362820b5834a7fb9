#pragma once

#include "base/memory_budget.h"
#include "runtime/compiled_model.h"

namespace tacit::session {

/// Throws InputError naming need, budget and way out where encrypting one input of a model takes more memory than there
/// is: a client's half says over how many ciphertexts it is laid out.
void require_memory_for_input(const runtime::ClientModel& model, const base::MemoryBudget& memory);

}  // namespace tacit::session
