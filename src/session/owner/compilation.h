#pragma once

#include <tacit/compile_options.h>

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
#include "session/owner/expected_errors.h"
#include "session/owner/preprocess.h"
#include "session/owner/sample_rows.h"

namespace tacit::session {

/// The parts of a compilation that both schemes have, and the time of import and compilation.
struct CompilationHead {
  std::string name;  ///< name of the model file, for people
  graph::Graph graph;
  double seconds = 0;
  std::vector<std::string> warnings{};       ///< facts that users of the network should know
  std::optional<ExpectedErrors> expected{};  ///< errors of every output, if they were requested

  /// Returns the warnings of the compilation and those of expected errors.
  std::vector<std::string> all_warnings() const;
};

/// A network on slots.
struct Compilation : CompilationHead {
  graph::CompiledModel model;
  bool calibrated = false;     ///< ranges were measured on samples
  bool input_bounded = false;  ///< a range of the inputs is public
  params::CostTable costs{};   ///< prices of the compilation
};

/// Private inputs of the same process, which must never be used to calibrate.
struct PrivateRows {
  std::vector<std::filesystem::path> files;
  std::int64_t begin = 0, end = 0;
};

/// An imported network to compile, and the known facts about its inputs.
struct CompileRequest {
  std::filesystem::path model;  ///< the file
  graph::Graph graph;
  CompileOptions options{};
  Preprocessing preprocessing{};
  base::MemoryBudget memory{};
  std::vector<std::vector<graph::Tensor>> calibration{};    ///< samples in memory, preprocessed
  SampleRows rows{};                                        ///< samples in files, if there are none in memory
  bool keep_calibration = false;                            ///< CompileOptions::keep_calibration of the compiler
  std::optional<std::pair<double, double>> public_range{};  ///< range of preprocessed inputs, if it is public
  std::optional<PrivateRows> private_rows{};                ///< rows that may not calibrate
};

/// Returns the JSON of --parameters, or of the file that it names, or none if it names one of the sets. Throws
/// InputError for anything else.
std::optional<std::string> parameters_text(const std::string& given, const std::vector<std::string>& names);

/// Returns the calibrating samples: those in memory, or the named rows, preprocessed. Throws InputError if a row is one
/// of the private ones.
std::vector<std::vector<graph::Tensor>> read_calibration(const CompileRequest& request);

/// Returns the public range of the inputs. It is the first of these that exists:
/// - --input-range;
/// - the range of bytes, if the request's public range or the calibration data states that inputs are bytes;
/// - none.
std::optional<std::pair<double, double>> public_input_range(const CompileRequest& request);

/// Throws InputError for an invalid range of inputs.
void require_range(const std::optional<std::pair<double, double>>& input_range);

/// Throws InputError for an option that is wrong, or that contradicts another one or the model, naming it. Nothing is
/// compiled.
void require_options(const graph::Graph& graph, const graph::CompileOptions& options);

/// Compiles an imported network by options that name no file.
Compilation compile_graph(const std::string& name, graph::Graph graph, const graph::CompileOptions& options,
                          base::Progress& progress);

/// Returns the control of passes that the options ask for.
graph::PassControl pass_control(const CompileOptions& options);

/// Converts the options for the compiler of slots, without samples, their ranges and the range of the inputs. Throws
/// InputError for invalid files.
graph::CompileOptions options_of_slots(const CompileOptions& options, const base::MemoryBudget& memory);

/// Adds the expected errors of the outputs, with warnings of errors above kWarnedError. Throws InputError if none of
/// the samples has an answer, or if an expected error exceeds `most` (require_errors).
void add_expected(CompilationHead& head, ExpectedErrors expected, const std::optional<double>& most,
                  const std::string& way_out);

/// Reads the files that the options name, for networks on slots. Throws InputError naming a wrong option.
graph::CompileOptions options_on_slots(const CompileRequest& request);

/// Compiles an imported network, and states the errors of its outputs. No errors are stated if ranges are kept for a
/// file (keep_calibration). The input range is that of public_input_range, or that of a file of ranges. Throws
/// InputError as the importer, the compiler and require_errors do.
Compilation compile_network(CompileRequest request, base::Progress& progress);
/// Does the same with options that were read before.
Compilation compile_network(CompileRequest request, const graph::CompileOptions& options, base::Progress& progress);

}  // namespace tacit::session
