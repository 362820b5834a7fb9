#pragma once

#include <string>

#include "base/memory_budget.h"
#include "runtime/compiled_model.h"

/// What a client's work takes of memory. Both throw InputError naming need, budget and way out where there is less.
namespace tacit::session {

/// Of making these keys; `owner` is whose they are: "model 'm.onnx'".
void require_memory_for_keys(const std::string& owner, const params::CkksLiteral& literal,
                             const params::KeyManifest& keys, const base::MemoryBudget& memory);

/// Of encrypting one input of a model: a client's half says over how many ciphertexts it is laid out.
void require_memory_for_input(const runtime::ClientModel& model, const base::MemoryBudget& memory);

}  // namespace tacit::session
