#include "app/commands/bench_report.h"

#include <fmt/format.h>
#include <unistd.h>

#include "app/options.h"
#include "base/cpu.h"
#include "base/error.h"

namespace tacit::app::commands {

void OperationBenchOptions::add_to(CLI::App& command, const std::string& of_seconds, const std::string& of_threads) {
  command.add_option("--filter", filter, "Only benchmarks whose name contains this text");
  add_seconds_to(command, seconds, of_seconds);
  add_threads_to(command, threads, of_threads);
  add_costs_to(command, costs);
  command.add_flag("--list", list, "List the names and stop");
  command.add_flag("--json", json, "Print JSON instead of a table");
}

void add_seconds_to(CLI::App& command, double& seconds, const std::string& description) {
  add_bounded(command, "--seconds", seconds, description, 0.0, 3600.0);
}

void show_measured(const std::string& what) {
  if (!isatty(STDERR_FILENO)) return;
  fmt::print(stderr, "\r\x1b[K{}{}", what.empty() ? "" : "  ", what);
}

nlohmann::ordered_json machine_json() {
  return {{"clock_ghz", session::measured_clock_hertz() / 1e9},
          {"instruction_set", base::isa_name(base::active_isa())},
          {"load_average", session::load_average()}};
}

void add_machine_after(nlohmann::ordered_json& json, const std::string& filter) {
  if (json["results"].empty()) base::refuse("no benchmark's name contains '{}'; --list shows them", filter);
  json["clock_ghz_after"] = session::measured_clock_hertz() / 1e9;
  json["load_average_after"] = session::load_average();
}

std::string machine_text(const nlohmann::ordered_json& json) {
  const auto number = [&](const char* name) { return json.at(name).get<double>(); };
  std::string text = fmt::format("clock {:.2f} GHz", number("clock_ghz"));
  if (json.contains("clock_ghz_after"))
    text += fmt::format(" measured before and {:.2f} GHz after", number("clock_ghz_after"));
  return text + fmt::format(", instruction set {}, load average {:.2f}", json.at("instruction_set").get<std::string>(),
                            number(json.contains("load_average_after") ? "load_average_after" : "load_average"));
}

std::string time_text(double seconds) {
  if (seconds <= 0) return "";
  if (seconds < 1e-3) return fmt::format("{:.2f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3f} ms", seconds * 1e3);
  return fmt::format("{:.3f} s", seconds);
}

std::string share_of_bound(double bound_seconds, const session::Measurement& measured) {
  return bound_seconds > 0 ? fmt::format("{:.0f} %", 100 * bound_seconds / measured.median) : "";
}

}  // namespace tacit::app::commands
