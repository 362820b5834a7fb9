#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/preprocess.h"
#include "app/results.h"
#include "base/memory_budget.h"

namespace tacit::app {

/// Options of every command that computes.
struct ComputeOptions {
  int threads = 0;     ///< 0 = all processors
  std::string memory;  ///< empty = no budget
  bool json = false;

  void add_to(CLI::App& command);
  /// Bounds threads and memory of the process. Throws InputError.
  void apply() const;
  /// --memory, of which what the process holds now and room for tables are reserved.
  base::MemoryBudget memory_budget() const;
};

/// Options that turn the raw values of a file into a model's inputs.
struct PreprocessingOptions {
  Preprocessing preprocessing;
  void add_to(CLI::App& command);
};

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
  ResultFormat format = ResultFormat::npy;
  /// `description` of --output, which may be `required`.
  void add_to(CLI::App& command, const std::string& description, bool required);
};

/// Options of the commands that compile a model.
struct CompileChoices {
  std::vector<std::filesystem::path> calibration;
  std::int64_t calibration_first = 0;
  std::int64_t calibration_count = 1000;
  std::vector<double> input_range;  ///< empty, or lowest and highest
  std::string parameters;           ///< empty, a named set or a JSON file
  std::optional<int> max_degree;
  double max_error = 0.1;
  std::filesystem::path costs;  ///< empty, or a JSON file of prices
  bool client_before = true;    ///< --client-pre
  std::vector<std::string> keep_private;

  void add_to(CLI::App& command);
};

}  // namespace tacit::app
