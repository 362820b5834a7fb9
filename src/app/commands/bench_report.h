#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "session/owner/measurement.h"

namespace tacit::app::commands {

/// Options of the benchmarks that are a list of named operations.
struct OperationBenchOptions {
  std::string filter;
  std::filesystem::path costs;
  double seconds = 0;
  int threads = 1;
  bool json = false, list = false;

  /// Descriptions of --seconds and --threads.
  void add_to(CLI::App& command, const std::string& of_seconds, const std::string& of_threads);
};

/// --seconds, up to an hour.
void add_seconds_to(CLI::App& command, double& seconds, const std::string& description);

/// On a terminal: what is measured now, on a line that the next takes; an empty text clears it.
void show_measured(const std::string& what);

/// The machine as it is now: "clock_ghz", "instruction_set" and "load_average".
nlohmann::ordered_json machine_json();
/// Adds its clock and load behind the measurements. Throws InputError where `filter` left none in "results".
void add_machine_after(nlohmann::ordered_json& json, const std::string& filter);
/// Both for people, without an end of line.
std::string machine_text(const nlohmann::ordered_json& json);

/// "37 %", or nothing where there is no bound.
std::string share_of_bound(double bound_seconds, const session::Measurement& measured);

}  // namespace tacit::app::commands
