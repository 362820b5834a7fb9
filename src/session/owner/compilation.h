#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/memory_budget.h"
#include "base/progress.h"
#include "graph/compile.h"
#include "graph/graph.h"
#include "session/owner/compile_choices.h"
#include "session/owner/expected_errors.h"
#include "session/owner/preprocess.h"

namespace tacit::session {

/// A network that was compiled, whatever the scheme, and how long import and compilation took.
struct CompilationHead {
  std::string name;  ///< of the model file, for people
  graph::Graph graph;
  double seconds = 0;
  std::vector<std::string> warnings{};       ///< what whoever relies on it should know
  std::optional<ExpectedErrors> expected{};  ///< of every output, where somebody asked for it

  /// Its own warnings, and those of expected errors.
  std::vector<std::string> all_warnings() const;
};

/// A network on slots.
struct Compilation : CompilationHead {
  graph::CompiledModel model;
  bool calibrated = false;     ///< ranges were measured on samples
  bool input_bounded = false;  ///< a range of the inputs is public knowledge
  params::CostTable costs{};   ///< that it was compiled by
};

/// Private inputs of the same process, so that they are never used to calibrate.
struct PrivateRows {
  std::vector<std::filesystem::path> files;
  std::int64_t begin = 0, end = 0;
};

/// An imported network to be compiled, and what is known of its inputs.
struct CompileRequest {
  std::filesystem::path model;  ///< the file
  graph::Graph graph;
  CompileChoices choices{};
  Preprocessing preprocessing{};
  base::MemoryBudget memory{};
  std::optional<std::pair<double, double>> public_range{};  ///< of preprocessed inputs, where anyone knows it
  std::optional<PrivateRows> private_rows{};                ///< that may not calibrate
};

/// What --parameters names: nothing where it is one of the sets, else the text of a JSON file. Throws InputError for
/// what is neither.
std::optional<std::string> parameters_text(const std::string& choice, const std::vector<std::string>& names);

/// Reads a calibrating data set: the rows that the choices name, preprocessed. Throws InputError where a row is one of
/// the private ones.
std::vector<std::vector<graph::Tensor>> read_calibration(const CompileRequest& request);

/// What anyone knows of the values of the inputs, in this order: --input-range, the range of bytes where the request's
/// public range or the calibration data says that inputs are bytes, nothing.
std::optional<std::pair<double, double>> public_input_range(const CompileRequest& request);

/// Throws InputError for a range of inputs that is none.
void require_range(const std::optional<std::pair<double, double>>& input_range);

/// Compiles an imported network by options that name no file.
Compilation compile_graph(const std::string& name, graph::Graph graph, const graph::CompileOptions& options,
                          base::Progress& progress);

/// What the choices say, but for samples, their ranges and the range of the inputs. Throws InputError for files that
/// are none.
graph::CompileOptions compile_options(const CompileChoices& choices, const base::MemoryBudget& memory);

/// Adds what is expected of the outputs, with warnings of errors above kWarnedError. Throws InputError where none of
/// the samples has an answer, and where an expected error exceeds `most` (require_errors).
void add_expected(CompilationHead& head, ExpectedErrors expected, const std::optional<double>& most,
                  const std::string& way_out);

/// Compiles an imported network, and states the errors of its outputs, except where ranges are kept for a file
/// (keep_calibration). The input range is that of public_input_range, or what a file of ranges was measured with.
/// Throws InputError as the importer, the compiler and require_errors do.
Compilation compile_network(CompileRequest request, base::Progress& progress);

}  // namespace tacit::session
