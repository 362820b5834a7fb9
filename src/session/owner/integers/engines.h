#pragma once

#include <memory>

#include "base/memory_budget.h"
#include "base/progress.h"
#include "graph/quant/compile.h"
#include "program/integers/clear_program.h"
#include "session/owner/engine.h"

namespace tacit::session {

/// Client and server in one process, on integers: generates keys at once. The model must outlive it. Throws InputError
/// if the memory budget cannot be met.
std::unique_ptr<Engine> make_integer_engine(const graph::quant::CompiledIntegers& model,
                                            const base::MemoryBudget& memory, base::Progress& progress);

/// The clear reading with modelled noise where tables are looked up and results decrypted. Both must outlive it.
std::unique_ptr<Engine> make_simulated_integer_engine(const graph::quant::CompiledIntegers& model,
                                                      const integers::ClearProgram& reading);

/// What the program reads of one sample, and what the model's outputs are of its results: the client's own parts
/// around the program. `kept`: what the client kept of the sample, where the model hands some of its inputs out.
std::vector<integers::Integers> quantised_inputs(const graph::quant::CompiledIntegers& model,
                                                 const std::vector<graph::Tensor>& sample);
std::vector<graph::Tensor> model_outputs(const graph::quant::CompiledIntegers& model,
                                         const std::vector<integers::Integers>& results,
                                         std::span<const graph::Tensor> kept = {});

}  // namespace tacit::session
