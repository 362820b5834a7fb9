#pragma once

#include <string>

#include "base/memory_budget.h"
#include "base/progress.h"
#include "base/sha256.h"
#include "runtime/compiled_model.h"
#include "session/owner/key_files.h"

namespace tacit::session {

/// Throws InputError naming need, budget and way out where making these keys takes more memory than there is; `owner`
/// is whose keys they are: "model 'm.onnx'".
void require_memory_for_keys(const std::string& owner, const params::CkksLiteral& literal,
                             const params::KeyManifest& keys, const base::MemoryBudget& memory);

/// Draws a secret key and makes the keys that the model needs, all bound to it. Either every file is written or none
/// is. Throws InputError where the keys do not fit the budget or a file cannot be written, Cancelled.
KeyRoots generate_keys(const runtime::ClientModel& model, const KeyFiles& files, const base::MemoryBudget& memory,
                       base::Progress& progress);

}  // namespace tacit::session
