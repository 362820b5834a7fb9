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

/// Compiles an imported network for integers, with options that name no file. Throws InputError as
/// graph::quant::compile does. Throws it also for an invalid range of inputs, and for keys, tables and ciphertexts that
/// need more than `memory`.
IntegerCompilation compile_graph_on_integers(const std::string& name, graph::Graph graph,
                                             const graph::quant::CompileOptions& options,
                                             const base::MemoryBudget& memory, base::Progress& progress);

/// Compiles an imported network for integers. Throws InputError as read_calibration and compile_graph_on_integers do,
/// and for options that belong to slots.
IntegerCompilation compile_integers(CompileRequest request, base::Progress& progress);

}  // namespace tacit::session
