#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/model_options.h"
#include "base/memory_budget.h"
#include "base/progress.h"
#include "params/parameter_identity.h"
#include "params/sharing.h"
#include "session/owner/compilation.h"
#include "session/owner/preprocess.h"
#include "session/owner/results.h"

namespace tacit::session {
class CompiledNetwork;
}

namespace tacit::app {

/// Options of every command that computes.
struct ComputeOptions {
  int threads = 0;     ///< 0 = all processors
  std::string memory;  ///< empty = what the machine has
  bool json = false;

  void add_to(CLI::App& command);
  /// Bounds the threads of the process, and its memory where --memory says so. Throws InputError.
  void apply() const;
  /// For work: --memory, or what the machine has free now.
  base::MemoryBudget memory_budget() const;
  /// For what is compiled or planned: --memory, or what the machine has, so that the result does not depend on the
  /// moment.
  base::MemoryBudget planning_budget() const;
};

/// Options of the commands that hold inputs or results in the clear.
struct PrivacyOptions {
  bool verbose = false;

  void add_to(CLI::App& command);
  /// From here on the process leaves no core dump, and sentences state private values with --verbose alone.
  void apply() const;
};

/// An option for a number from `lowest` to `highest`, whose default the help shows.
template <class Number, class Bound>
void add_bounded(CLI::App& command, const std::string& name, Number& number, const std::string& description,
                 Bound lowest, Bound highest) {
  command.add_option(name, number, description)->check(CLI::Range(lowest, highest))->capture_default_str();
}
/// --threads; `description` goes on with what 0 means.
void add_threads_to(CLI::App& command, int& threads, const std::string& description);
/// Options that turn the raw values of a file into a model's inputs.
void add_preprocessing_to(CLI::App& command, session::Preprocessing& preprocessing);
/// --costs, of every command that prices.
void add_costs_to(CLI::App& command, std::filesystem::path& costs);

/// Options that name the inputs to work on.
struct InputOptions {
  std::vector<std::filesystem::path> files;
  std::int64_t first = 0;
  std::optional<std::int64_t> count;

  void add_to(CLI::App& command);
  /// The rows [begin, end) of a file with `size` rows. Throws InputError where they do not exist.
  std::pair<std::int64_t, std::int64_t> rows(std::int64_t size) const;
};

/// Options of the commands that write results.
struct ResultOptions {
  std::filesystem::path output;
  session::ResultFormat format = session::ResultFormat::npy;
  /// `description` of --output, which may be `required`.
  void add_to(CLI::App& command, const std::string& description, bool required);
};

/// Options that say what of results others see.
struct SharingOptions {
  std::optional<int> bits;
  params::Sharing promise;

  /// `description` of --share.
  void add_to(CLI::App& command, const std::string& description);
  /// None unless --share is given.
  std::optional<params::Sharing> sharing() const;
};

/// --insecure, of every command that a file can ask to work under a set that the security table does not cover.
struct InsecureOption {
  bool permitted = false;
  void add_to(CLI::App& command);
  /// Throws InputError for such a set, which it names by its size and not by the name of the file's choice; where it is
  /// permitted, warns on standard error.
  void require_permitted(const params::ParameterIdentity& parameters) const;
};

/// For what works on slots alone: throws InputError, naming it, for another scheme.
void require_slots(const session::CompileChoices& choices, const std::string& what);

/// Options of the commands that compile a model.
struct NetworkOptions {
  std::filesystem::path model;
  session::Preprocessing preprocessing;
  session::CompileChoices choices;
  ComputeOptions compute;
  ModelOptions form;

  /// All but the model, whose place among the arguments is the command's to say.
  void add_to(CLI::App& command);
  /// The model, whose inputs are in these files; without files the samples are.
  graph::Graph read(const std::vector<std::filesystem::path>& rows = {}) const;
  /// What is asked to be compiled before any input is known.
  session::CompileRequest request(graph::Graph graph) const;
  /// The network as it is compiled then.
  std::unique_ptr<session::CompiledNetwork> compile(base::Progress& progress) const;
};
/// --calibrate-trim.
void add_trim_to(CLI::App& command, session::CompileChoices& choices);
/// Of its choices, what is not about samples: for the command that measures them.
void add_calibration_choices_to(CLI::App& command, session::CompileChoices& choices);

}  // namespace tacit::app
