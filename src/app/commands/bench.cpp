#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/command_line.h"
#include "app/commands/add_command.h"
#include "app/commands/bench_report.h"
#include "app/commands/commands.h"
#include "app/options.h"
#include "app/output.h"
#include "app/report_page.h"
#include "base/parallel.h"
#include "bench/slots/ckks_benchmarks.h"
#include "session/cost_file.h"
#include "session/output_files.h"
#include "session/sentence.h"
#include "session/table.h"

namespace tacit::app::commands {
namespace {

struct BenchOptions : OperationBenchOptions {
  std::filesystem::path report;
};

std::string traffic_text(double bytes) {
  if (bytes < 1e6) return fmt::format("{:.0f} KB", bytes / 1e3);
  if (bytes < 1e9) return fmt::format("{:.1f} MB", bytes / 1e6);
  return fmt::format("{:.2f} GB", bytes / 1e9);
}

int bench(const BenchOptions& options) {
  base::set_thread_limit(options.threads);
  if (options.list) {
    for (const std::string& name : bench::ckks_benchmark_names()) print_text("{}\n", name);
    return kSuccess;
  }
  session::check_output_files({options.report}, {options.costs});
  const params::CostTable costs = session::read_costs(options.costs);
  nlohmann::ordered_json json = machine_json();
  json["results"] = nlohmann::json::array();
  session::Table table({"operation", "parameters", "threads", "median", "10 %", "90 %", "predicted", "arithmetic",
                        "memory", "traffic", "of bound"});
  bench::run_ckks_benchmarks(options.filter, options.seconds, costs, [&](const bench::BenchmarkResult& result) {
    const session::Measurement& m = result.measurement;
    table.add({result.operation, result.parameters, fmt::to_string(result.threads), time_text(m.median),
               time_text(m.lower), time_text(m.upper), time_text(result.predicted_seconds),
               time_text(result.arithmetic_seconds), time_text(result.memory_seconds), traffic_text(result.bytes),
               share_of_bound(result.bound_seconds(), m)});
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
    show_measured(fmt::format("{}, {}", result.operation, result.parameters));
  });
  show_measured("");
  add_machine_after(json, options.filter);
  write_report(options.report,
               {{"title", "Operations of the CKKS scheme"}, {"subtitle", "tacit bench ckks"}, {"ckks", json}});
  const std::string legend = fmt::format(
      "  predicted: by the cost reading, on {:.0f} thread{} of {}\n"
      "  arithmetic: what the transforms and multiply-accumulates of the operation take out of the nearest caches\n"
      "  traffic: operands, keys, diagonals and results, each once; memory: what they take to read where the largest\n"
      "  cache does not hold them; of bound: the larger of both as a share of the median\n",
      costs.threads, costs.threads == 1 ? "" : "s", session::one_line(costs.machine));
  print_report(options.json, json, fmt::format("{}\n{}{}", machine_text(json), table.text(), legend));
  return kSuccess;
}

}  // namespace

void add_bench(CLI::App& app, int& status) {
  CLI::App* const group = app.add_subcommand("bench", "Measure this machine");
  group->require_subcommand(1);
  add_bench_merkle(*group, status);
  constexpr const char* kExample = "Example:\n  tacit bench ckks --filter 'NTT forward' --seconds 0.1\n";
  group->footer(kExample);
  auto [command, options] =
      add_command(*group, status, "ckks", "Time the operations of the CKKS scheme and its ring", bench, kExample);
  options.seconds = 0.3;
  options.add_to(command, "Time for each", "Threads for operations of the scheme");
  command.add_option("--report", options.report, "Write a page with plots (HTML, self-contained)");
  add_bench_tfhe(*group, status);
  add_bench_packing(*group, status);
  add_bench_conv(*group, status);
  add_bench_cost(*group, status);
}

}  // namespace tacit::app::commands
