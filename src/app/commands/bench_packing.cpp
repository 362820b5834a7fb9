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
#include "bench/slots/packing_report.h"
#include "session/cost_file.h"
#include "session/owner/packing_plan.h"

namespace tacit::app::commands {
namespace {

struct BenchPackingOptions {
  std::string requirement = params::Requirement{}.to_string(), latency = "0.2s";
  std::filesystem::path report, costs;
  int repeats = 5, threads = 1;
  bool json = false;
};

int bench_packing(const BenchPackingOptions& options) {
  base::set_thread_limit(options.threads);
  const bench::PackingBenchOptions bench{params::Requirement::parse(options.requirement),
                                         session::read_costs(options.costs), options.repeats,
                                         session::parse_duration(options.latency)};
  const nlohmann::ordered_json result = bench::run_packing_bench(bench, show_measured);
  show_measured("");
  write_report(options.report,
               {{"title", "How packing decides time and memory"},
                {"subtitle", fmt::format("tacit bench packing, {}", result.at("requirement").get<std::string>())},
                {"packing", result}});
  print_report(options.json, result, bench::packing_bench_text(result));
  return kSuccess;
}

}  // namespace

void add_bench_packing(CLI::App& group, int& status) {
  auto [command, options] =
      add_command(group, status, "packing", "Run the published experiments on packing, measured and predicted",
                  bench_packing, "Example:\n  tacit bench packing --report packing.html\n");
  command.add_option("--requirement", options.requirement, "What the parameters must hold")->capture_default_str();
  command.add_option("--latency", options.latency, "Bound of the exercise: the lowest time an item below it")
      ->capture_default_str();
  add_bounded(command, "--repeats", options.repeats,
              "Timings of each packing in each of three rounds; the median counts", 1, 1000);
  add_costs_to(command, options.costs);
  add_threads_to(command, options.threads, "Threads");
  command.add_option("--report", options.report, "Write a page with plots (HTML, self-contained)");
  command.add_flag("--json", options.json, "Print JSON instead of tables");
}

}  // namespace tacit::app::commands
