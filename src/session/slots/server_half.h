#pragma once

#include "session/server_half.h"

namespace tacit::session {

/// load_server_half of a model on slots.
std::unique_ptr<ServerHalf> load_server_half_on_slots(const std::filesystem::path& file,
                                                      const base::MemoryBudget& memory, const ParameterCheck& check);

}  // namespace tacit::session
