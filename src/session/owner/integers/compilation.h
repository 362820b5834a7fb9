#pragma once

#include <string>

#include "base/memory_budget.h"
#include "base/progress.h"
#include "graph/quant/compile.h"
#include "session/owner/compilation.h"

namespace tacit::session {

/// A network on integers.
struct IntegerCompilation : CompilationHead {
  graph::quant::CompiledIntegers model;
};

/// Throws InputError for an option that is wrong, or that contradicts another one or the model, naming it. Nothing is
/// compiled.
void require_options(const graph::Graph& graph, const graph::quant::CompileOptions& options);

/// Compiles an imported network for integers, with options that name no file. Throws InputError as
/// graph::quant::compile does. Throws it also for an invalid range of inputs, and for keys, tables and ciphertexts that
/// need more than `memory`.
IntegerCompilation compile_graph_on_integers(const std::string& name, graph::Graph graph,
                                             const graph::quant::CompileOptions& options,
                                             const base::MemoryBudget& memory, base::Progress& progress);

/// Reads the files that the options name, for networks on integers. Throws InputError naming a wrong option.
graph::quant::CompileOptions options_on_integers(const CompileRequest& request);

/// Compiles an imported network for integers, and states the errors of its outputs. No errors are stated if ranges are
/// kept for a file (keep_calibration). Throws InputError as read_calibration and compile_graph_on_integers do, for
/// options that belong to slots, and for numbers that cannot be shared as asked (require_shared).
IntegerCompilation compile_integers(CompileRequest request, base::Progress& progress);
/// Does the same with options that were read before.
IntegerCompilation compile_integers(CompileRequest request, const graph::quant::CompileOptions& options,
                                    base::Progress& progress);

}  // namespace tacit::session
