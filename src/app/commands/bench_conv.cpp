#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/command_line.h"
#include "app/commands/add_command.h"
#include "app/commands/bench_report.h"
#include "app/commands/commands.h"
#include "app/options.h"
#include "app/output.h"
#include "base/error.h"
#include "base/parallel.h"
#include "bench/slots/convolution_bench.h"
#include "session/cost_file.h"

namespace tacit::app::commands {
namespace {

struct BenchConvOptions {
  std::string name;
  std::filesystem::path costs;
  int threads = 0, depth = 3, repeats = 3;
  bool json = false, list = false, plan_only = false;
};

int bench_conv(const BenchConvOptions& options) {
  base::set_thread_limit(options.threads);
  std::vector<bench::ConvolutionCase> chosen;
  std::string names;
  for (bench::ConvolutionCase& c : bench::convolution_cases()) {
    names += (names.empty() ? "" : ", ") + c.name;
    if (options.name.empty() || c.name == options.name) chosen.push_back(std::move(c));
  }
  if (options.list) {
    print_text("{}\n", names);
    return kSuccess;
  }
  if (chosen.empty()) base::refuse("no convolution is called '{}'; there are {}", options.name, names);
  const bench::ConvolutionBenchOptions bench{.costs = session::read_costs(options.costs),
                                             .depth = options.depth,
                                             .repeats = options.repeats,
                                             .plan_only = options.plan_only};
  nlohmann::ordered_json json = machine_json();
  json["results"] = nlohmann::json::array();
  for (const bench::ConvolutionCase& c : chosen)
    json["results"].push_back(bench::run_convolution(c, bench, show_measured));
  show_measured("");
  print_report(
      options.json, json,
      fmt::format("{}, {} threads\n{}", machine_text(json), base::thread_limit(), bench::convolution_bench_text(json)));
  return kSuccess;
}

}  // namespace

void add_bench_conv(CLI::App& group, int& status) {
  auto [command, options] =
      add_command(group, status, "conv", "Plan convolutions of ImageNet networks, and run them on encrypted inputs",
                  bench_conv, "Example:\n  tacit bench conv --case stem\n");
  command.add_option("--case", options.name, "Only this one; --list shows the names");
  add_bounded(command, "--depth", options.depth, "Levels of the parameter set, all above the result", 1, 30);
  add_bounded(command, "--repeats", options.repeats, "Timings of each, of which the median counts", 1, 1000);
  add_costs_to(command, options.costs);
  add_threads_to(command, options.threads, "Threads");
  command.add_flag("--plan", options.plan_only, "Plan only, without keys");
  command.add_flag("--list", options.list, "List the names and stop");
  command.add_flag("--json", options.json, "Print JSON instead of a table");
}

}  // namespace tacit::app::commands
