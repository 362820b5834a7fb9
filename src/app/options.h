#pragma once

#include <tacit/compile_options.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/memory_budget.h"
#include "base/progress.h"
#include "params/parameter_identity.h"
#include "params/sharing.h"
#include "session/owner/compilation.h"
#include "session/owner/options/compile_option.h"
#include "session/owner/preprocess.h"
#include "session/owner/results.h"

namespace tacit::session {
class CompiledNetwork;
}

namespace tacit::app {

/// Options of every command that computes.
struct ComputeOptions {
  int threads = 0;     ///< 0: all processors
  std::string memory;  ///< empty: the memory of the machine
  bool json = false;

  void add_to(CLI::App& command);
  /// Bounds the threads of the process, and its memory if --memory is given. Throws InputError.
  void apply() const;
  /// Returns the budget for work: --memory, or the free memory of the machine.
  base::MemoryBudget memory_budget() const;
  /// Returns the budget for compilation and planning: --memory, or all memory of the machine. The result does not
  /// depend on the moment.
  base::MemoryBudget planning_budget() const;
};

/// Options of the commands that hold inputs or results in the clear.
struct PrivacyOptions {
  bool verbose = false;

  void add_to(CLI::App& command);
  /// Forbids core dumps of the process. Sentences state private values only with --verbose.
  void apply() const;
};

/// Adds an option for a number from `lowest` to `highest`. The help shows its default.
template <class Number, class Bound>
void add_bounded(CLI::App& command, const std::string& name, Number& number, const std::string& description,
                 Bound lowest, Bound highest) {
  command.add_option(name, number, description)->check(CLI::Range(lowest, highest))->capture_default_str();
}
/// Adds --threads. `description` ends with the meaning of 0.
void add_threads_to(CLI::App& command, int& threads, const std::string& description);
/// Options that turn the raw values of a file into a model's inputs.
void add_preprocessing_to(CLI::App& command, session::Preprocessing& preprocessing);
/// Adds --costs, for every command that prices.
void add_costs_to(CLI::App& command, std::filesystem::path& costs);

/// Options that name the inputs to work on.
struct InputOptions {
  std::vector<std::filesystem::path> files;
  std::int64_t first = 0;
  std::optional<std::int64_t> count;

  void add_to(CLI::App& command);
  /// Returns the rows [begin, end) of a file with `size` rows. Throws InputError if they do not exist.
  std::pair<std::int64_t, std::int64_t> rows(std::int64_t size) const;
};

/// Options of the commands that write results.
struct ResultOptions {
  std::filesystem::path output;
  session::ResultFormat format = session::ResultFormat::npy;
  /// Adds --output with this `description`, which is `required` or not, and the format.
  void add_to(CLI::App& command, const std::string& description, bool required);
};

/// Options that state which part of results others see.
struct SharingOptions {
  std::optional<int> bits;
  params::Sharing promise;

  /// Adds the options. `description` is that of --share.
  void add_to(CLI::App& command, const std::string& description);
  /// Returns the sharing; none unless --share is given.
  std::optional<params::Sharing> sharing() const;
};

/// --insecure, for every command that works with parameter sets from files. It permits a set that the security table
/// does not cover.
struct InsecureOption {
  bool permitted = false;
  void add_to(CLI::App& command);
  /// Throws InputError for such a set. The sentence names it by its size, and not by the name in the file. If the set
  /// is permitted, warns on standard error.
  void require_permitted(const params::ParameterIdentity& parameters) const;
};

/// Throws InputError for another scheme than slots. `what` names the thing that works on slots alone.
void require_slots(const CompileOptions& choices, const std::string& what);

/// Returns options that accept insecure parameters. Commands warn of these, and refuse them where keys or data depend
/// on them (InsecureOption).
inline CompileOptions allowing_insecure() {
  CompileOptions options;
  options.insecure = InsecureParameters::allow;
  return options;
}

/// Options of the commands that compile a model.
struct NetworkOptions {
  std::filesystem::path model;
  session::Preprocessing preprocessing;
  session::SampleRows samples;
  CompileOptions choices = allowing_insecure();
  ComputeOptions compute;

  /// Adds all options except the model. The command decides the place of the model among its arguments.
  void add_to(CLI::App& command);
  /// Reads the model. `rows` are the files of its inputs; without files, the calibration samples are.
  graph::Graph read(const std::vector<std::filesystem::path>& rows = {}) const;
  /// Returns the compile request before any input is known.
  session::CompileRequest request(graph::Graph graph) const;
  /// Compiles that request.
  std::unique_ptr<session::CompiledNetwork> compile(base::Progress& progress) const;
};
/// Adds an option of the table. Its former name works as well, with a warning.
CLI::Option* add_option_to(CLI::App& group, const session::CompileOption& option, CompileOptions& choices);
/// Adds the options of the table that a file of ranges states, for the command that measures ranges.
void add_measured_options_to(CLI::App& command, CompileOptions& choices);

}  // namespace tacit::app
