#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "search/score_noise.h"
#include "session/server_half.h"

namespace tacit::session {

/// Opens a store as the server's half that answers its questions. Inputs of an evaluation are a file of questions, and
/// results are a file of answers. Every evaluation answers from the version that is the newest when it begins; later
/// appends and deletions do not change it. Keys serve every version. Throws InputError for a folder that is no store,
/// and if the budget does not hold one question.
std::unique_ptr<ServerHalf> load_store_half(const std::filesystem::path& folder, search::AnswerBits bits,
                                            const base::MemoryBudget& memory, const ParameterCheck& check);

}  // namespace tacit::session
