#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/command_line.h"
#include "app/commands/commands.h"
#include "app/options.h"
#include "app/output.h"
#include "app/report_page.h"
#include "base/cpu.h"
#include "base/error.h"
#include "base/parallel.h"
#include "bench/slots/ckks_benchmarks.h"
#include "session/cost_file.h"
#include "session/output_files.h"
#include "session/sentence.h"
#include "session/table.h"

namespace tacit::app::commands {
namespace {

struct Options {
  std::string filter;
  std::filesystem::path report, costs;
  double seconds = 0.3;
  int threads = 1;
  bool json = false, list = false;
};

std::string time_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.2f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3f} ms", seconds * 1e3);
  return fmt::format("{:.3f} s", seconds);
}

std::string traffic_text(double bytes) {
  if (bytes < 1e6) return fmt::format("{:.0f} KB", bytes / 1e3);
  if (bytes < 1e9) return fmt::format("{:.1f} MB", bytes / 1e6);
  return fmt::format("{:.2f} GB", bytes / 1e9);
}

std::string optional_time(double seconds) { return seconds > 0 ? time_text(seconds) : ""; }

int bench(const Options& options) {
  base::set_thread_limit(options.threads);
  if (options.list) {
    for (const std::string& name : bench::ckks_benchmark_names()) print_text("{}\n", name);
    return kSuccess;
  }
  session::check_output_files({options.report}, {options.costs});
  const params::CostTable costs = session::read_costs(options.costs);
  const double clock = session::measured_clock_hertz();
  nlohmann::ordered_json json{{"clock_ghz", clock / 1e9},
                              {"instruction_set", base::isa_name(base::active_isa())},
                              {"load_average", session::load_average()},
                              {"results", nlohmann::json::array()}};
  session::Table table({"operation", "parameters", "threads", "median", "10 %", "90 %", "predicted", "arithmetic",
                        "memory", "traffic", "of bound"});
  const bool watched = isatty(STDERR_FILENO);
  bench::run_ckks_benchmarks(options.filter, options.seconds, costs, [&](const bench::BenchmarkResult& result) {
    const session::Measurement& m = result.measurement;
    table.add({result.operation, result.parameters, fmt::to_string(result.threads), time_text(m.median),
               time_text(m.lower), time_text(m.upper), optional_time(result.predicted_seconds),
               optional_time(result.arithmetic_seconds), optional_time(result.memory_seconds),
               traffic_text(result.bytes),
               result.bound_seconds() > 0 ? fmt::format("{:.0f} %", 100 * result.bound_seconds() / m.median) : ""});
    json["results"].push_back({{"operation", result.operation},
                               {"parameters", result.parameters},
                               {"threads", result.threads},
                               {"seconds", m.median},
                               {"seconds_10", m.lower},
                               {"seconds_90", m.upper},
                               {"samples", m.samples},
                               {"predicted_seconds", result.predicted_seconds},
                               {"traffic_bytes", result.bytes},
                               {"arithmetic_bound_seconds", result.arithmetic_seconds},
                               {"memory_bound_seconds", result.memory_seconds},
                               {"share_of_bound", result.bound_seconds() / m.median}});
    if (watched) fmt::print(stderr, "\r\x1b[K  {}, {}", result.operation, result.parameters);
  });
  if (watched) fmt::print(stderr, "\r\x1b[K");
  if (json["results"].empty())
    throw base::InputError(fmt::format("no benchmark's name contains '{}'; --list shows them", options.filter));
  json["clock_ghz_after"] = session::measured_clock_hertz() / 1e9;
  json["load_average_after"] = session::load_average();
  if (!options.report.empty())
    write_report(options.report,
                 {{"title", "Operations of the CKKS scheme"}, {"subtitle", "tacit bench ckks"}, {"ckks", json}});
  if (options.json)
    print_json(json);
  else
    print_text("clock {:.2f} GHz measured before and {:.2f} GHz after, instruction set {}, load average {:.2f}\n{}",
               clock / 1e9, json["clock_ghz_after"].get<double>(), base::isa_name(base::active_isa()),
               session::load_average(), table.text());
  if (!options.json)
    print_text(
        "  predicted: by the cost reading, on {:.0f} thread{} of {}\n"
        "  arithmetic: what the transforms and multiply-accumulates of the operation take out of the nearest caches\n"
        "  traffic: operands, keys, diagonals and results, each once; memory: what they take to read where the "
        "largest\n"
        "  cache does not hold them; of bound: the larger of both as a share of the median\n",
        costs.threads, costs.threads == 1 ? "" : "s", session::one_line(costs.machine));
  return kSuccess;
}

}  // namespace

void add_bench(CLI::App& app, int& status) {
  CLI::App* const group = app.add_subcommand("bench", "Measure this machine");
  group->require_subcommand(1);
  add_bench_merkle(*group, status);
  const auto options = std::make_shared<Options>();
  CLI::App* const command = group->add_subcommand("ckks", "Time the operations of the CKKS scheme and its ring");
  command->add_option("--filter", options->filter, "Only benchmarks whose name contains this text");
  command->add_option("--seconds", options->seconds, "Time for each")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  command->add_option("--threads", options->threads, "Threads for operations of the scheme; 0 uses every processor")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  command->add_option("--report", options->report, "Write a page with plots (HTML, self-contained)");
  add_costs_to(*command, options->costs);
  command->add_flag("--list", options->list, "List the names and stop");
  command->add_flag("--json", options->json, "Print JSON instead of a table");
  for (CLI::App* const shown : {group, command})
    shown->footer("Example:\n  tacit bench ckks --filter 'NTT forward' --seconds 0.1\n");
  command->callback([options, &status] { status = bench(*options); });
  add_bench_tfhe(*group, status);
  add_bench_packing(*group, status);
  add_bench_conv(*group, status);
  add_bench_cost(*group, status);
}

}  // namespace tacit::app::commands
