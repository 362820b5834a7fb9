#pragma once

#include "session/evaluation.h"
#include "session/output_files.h"

namespace tacit::session {

/// The work of `evaluate` on a model on slots. Writes the results, which `written` removes again unless they are kept,
/// and fills `done` but for the receipt, which it returns unsigned.
runtime::Receipt evaluate_on_slots(const EvaluationFiles& files, const base::MemoryBudget& memory,
                                   const ParameterCheck& check, base::Progress& progress, Evaluation& done,
                                   WrittenFiles& written);

}  // namespace tacit::session
