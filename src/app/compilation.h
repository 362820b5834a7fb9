#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/options.h"
#include "app/preprocess.h"
#include "base/progress.h"
#include "graph/compile.h"
#include "graph/graph.h"

namespace tacit::app {

/// A network, what it was compiled to, and how long import and compilation took.
struct Compilation {
  std::string name;  ///< of the model file, for people
  graph::Graph graph;
  graph::CompiledModel model;
  double seconds = 0;
  bool calibrated = false;     ///< ranges were measured on samples
  bool input_bounded = false;  ///< a range of the inputs is public knowledge
  params::CostTable costs{};   ///< that it was compiled by
};

/// Private inputs of the same process, so that they are never used to calibrate.
struct PrivateRows {
  std::vector<std::filesystem::path> files;
  std::int64_t begin = 0, end = 0;
};

/// Reads a calibrating data set: the rows that the choices name, preprocessed. Throws InputError where a row is one of
/// `private_rows`.
std::vector<std::vector<graph::Tensor>> read_calibration(const CompileChoices& choices, const graph::Graph& graph,
                                                         const Preprocessing& preprocessing,
                                                         const std::optional<PrivateRows>& private_rows);

/// What whoever relies on a compiled model should know: polynomials that are far from their functions.
std::vector<std::string> warnings_of(const graph::CompiledModel& model);

/// Imports and compiles a network. The public input range is, in this order: --input-range, the range of bytes where
/// `public_range` or the calibration data says that inputs are bytes, nothing. Throws InputError as the importer and
/// the compiler do.
Compilation compile_network(const std::filesystem::path& model, graph::Graph graph, const CompileChoices& choices,
                            const Preprocessing& preprocessing, std::optional<std::pair<double, double>> public_range,
                            const std::optional<PrivateRows>& private_rows, const base::MemoryBudget& memory,
                            base::Progress& progress);

}  // namespace tacit::app
