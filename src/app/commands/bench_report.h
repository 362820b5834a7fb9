#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "session/owner/measurement.h"

namespace tacit::app::commands {

/// Options of the benchmarks that run a list of named operations.
struct OperationBenchOptions {
  std::string filter;
  std::filesystem::path costs;
  double seconds = 0;
  int threads = 1;
  bool json = false, list = false;

  /// Adds the options. `of_seconds` and `of_threads` describe --seconds and --threads.
  void add_to(CLI::App& command, const std::string& of_seconds, const std::string& of_threads);
};

/// Adds --seconds, up to an hour.
void add_seconds_to(CLI::App& command, double& seconds, const std::string& description);

/// Shows the current measurement on a terminal, on a line that the next call replaces. An empty text clears the line.
void show_measured(const std::string& what);

/// Returns the present state of the machine: "clock_ghz", "instruction_set" and "load_average".
nlohmann::ordered_json machine_json();
/// Adds clock and load of the machine after the measurements. Throws InputError if `filter` left no "results".
void add_machine_after(nlohmann::ordered_json& json, const std::string& filter);
/// Returns the state before and after as text for people, without an end of line.
std::string machine_text(const nlohmann::ordered_json& json);

/// Returns a text like "3.142 ms", or an empty one if there is no time.
std::string time_text(double seconds);

/// Returns a text like "37 %", or an empty one if there is no bound.
std::string share_of_bound(double bound_seconds, const session::Measurement& measured);

}  // namespace tacit::app::commands
