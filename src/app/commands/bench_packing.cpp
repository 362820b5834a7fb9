#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/command_line.h"
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

struct Options {
  std::string requirement = params::Requirement{}.to_string(), latency = "0.2s";
  std::filesystem::path report, costs;
  int repeats = 5, threads = 1;
  bool json = false;
};

int bench_packing(const Options& options) {
  base::set_thread_limit(options.threads);
  const bool watched = isatty(STDERR_FILENO);
  const bench::PackingBenchOptions bench{params::Requirement::parse(options.requirement),
                                         session::read_costs(options.costs), options.repeats,
                                         session::parse_duration(options.latency)};
  const nlohmann::ordered_json result = bench::run_packing_bench(bench, [&](const std::string& what) {
    if (watched) fmt::print(stderr, "\r\x1b[K  {}", what);
  });
  if (watched) fmt::print(stderr, "\r\x1b[K");
  if (!options.report.empty())
    write_report(options.report,
                 {{"title", "How packing decides time and memory"},
                  {"subtitle", fmt::format("tacit bench packing, {}", result.at("requirement").get<std::string>())},
                  {"packing", result}});
  if (options.json)
    print_json(result);
  else
    print_text("{}", bench::packing_bench_text(result));
  return kSuccess;
}

}  // namespace

void add_bench_packing(CLI::App& group, int& status) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command =
      group.add_subcommand("packing", "Run the published experiments on packing, measured and predicted");
  command->add_option("--requirement", options->requirement, "What the parameters must hold")->capture_default_str();
  command->add_option("--latency", options->latency, "Bound of the exercise: the lowest time an item below it")
      ->capture_default_str();
  command
      ->add_option("--repeats", options->repeats, "Timings of each packing in each of three rounds; the median counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  add_costs_to(*command, options->costs);
  command->add_option("--threads", options->threads, "Threads; 0 uses every processor")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  command->add_option("--report", options->report, "Write a page with plots (HTML, self-contained)");
  command->add_flag("--json", options->json, "Print JSON instead of tables");
  command->footer("Example:\n  tacit bench packing --report packing.html\n");
  command->callback([options, &status] { status = bench_packing(*options); });
}

}  // namespace tacit::app::commands
