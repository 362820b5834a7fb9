#pragma once

#include "session/evaluation.h"
#include "session/output_files.h"

namespace tacit::session {

/// The work of `evaluate` on a model on integers, as evaluate_on_slots.
runtime::Receipt evaluate_on_integers(const EvaluationFiles& files, const base::MemoryBudget& memory,
                                      const ParameterCheck& check, base::Progress& progress, Evaluation& done,
                                      WrittenFiles& written);

}  // namespace tacit::session
