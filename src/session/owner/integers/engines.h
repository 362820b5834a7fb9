#pragma once

#include <memory>

#include "base/memory_budget.h"
#include "base/progress.h"
#include "graph/quant/compile.h"
#include "program/integers/clear_program.h"
#include "session/owner/engine.h"

namespace tacit::session {

/// Makes client and server in one process, on integers, and generates keys at once. The model must outlive the engine.
/// Ranks share the work for this many `runs` (runtime::RankedRunsOf). Throws InputError if the memory budget cannot be
/// met.
std::unique_ptr<Engine> make_integer_engine(const graph::quant::CompiledIntegers& model,
                                            const base::MemoryBudget& memory, base::Progress& progress,
                                            std::size_t runs = 1);

/// Makes the clear reading with modelled noise at lookups and at the decryption of results. `model` and `reading` must
/// outlive it.
std::unique_ptr<Engine> make_simulated_integer_engine(const graph::quant::CompiledIntegers& model,
                                                      const integers::ClearProgram& reading);

/// The client's own parts around the program. `quantised_inputs` returns the integers that the program reads for one
/// sample. `model_outputs` returns the model's outputs for the results of the program. `client` has the model's parts.
/// `kept` are the client's inputs, if the model returns some of them unchanged.
std::vector<integers::Integers> quantised_inputs(const graph::quant::CompiledIntegers& model,
                                                 const std::vector<graph::Tensor>& sample);
std::vector<graph::Tensor> model_outputs(const graph::quant::CompiledIntegers& model, const graph::ClientRun& client,
                                         const std::vector<integers::Integers>& results,
                                         std::span<const graph::Tensor> kept = {});

}  // namespace tacit::session
