#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/memory_budget.h"
#include "base/progress.h"
#include "graph/quant/compile.h"
#include "session/owner/compilation.h"
#include "session/owner/compile_choices.h"
#include "session/owner/preprocess.h"

namespace tacit::session {

/// A network on integers, and how long import and compilation took.
struct IntegerCompilation {
  std::string name;
  graph::Graph graph;
  graph::quant::CompiledIntegers model;
  double seconds = 0;
  std::vector<std::string> warnings{};
};

/// Compiles an imported network for integers by options that name no file. Throws InputError as graph::quant::compile
/// does, for a range of inputs that is none, and for keys, tables and ciphertexts that need more than `memory`.
IntegerCompilation compile_graph_on_integers(const std::string& name, graph::Graph graph,
                                             const graph::quant::CompileOptions& options,
                                             const base::MemoryBudget& memory, base::Progress& progress);

/// Compiles an imported network for integers. Throws InputError as read_calibration and compile_graph_on_integers do,
/// and for options that belong to slots.
IntegerCompilation compile_integers(const std::filesystem::path& model, graph::Graph graph,
                                    const CompileChoices& choices, const Preprocessing& preprocessing,
                                    const std::optional<std::pair<double, double>>& public_range,
                                    const std::optional<PrivateRows>& private_rows, const base::MemoryBudget& memory,
                                    base::Progress& progress);

}  // namespace tacit::session
