#pragma once

#include <string>

#include "base/memory_budget.h"
#include "runtime/compiled_model.h"

/// The memory for a client's work. The functions throw InputError naming need, budget and way out if the budget is
/// smaller.
namespace tacit::session {

/// Checks the memory for making these keys. `owner` names their owner: "model 'm.onnx'".
void require_memory_for_keys(const std::string& owner, const params::CkksLiteral& literal,
                             const params::KeyManifest& keys, const base::MemoryBudget& memory);

/// Checks the memory for making these keys one at a time, while they are written.
void require_memory_for_one_key(const std::string& owner, const params::CkksLiteral& literal,
                                const params::KeyManifest& keys, const base::MemoryBudget& memory);

/// Checks the memory for encrypting one input of a model. The client's half states the number of its ciphertexts.
void require_memory_for_input(const runtime::ClientModel& model, const base::MemoryBudget& memory);

}  // namespace tacit::session
