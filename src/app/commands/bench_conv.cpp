#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/command_line.h"
#include "app/commands/commands.h"
#include "app/options.h"
#include "app/output.h"
#include "base/cpu.h"
#include "base/error.h"
#include "base/parallel.h"
#include "bench/slots/convolution_bench.h"
#include "session/cost_file.h"
#include "session/owner/kernel_speeds.h"
#include "session/owner/measurement.h"

namespace tacit::app::commands {
namespace {

struct Options {
  std::string name;
  std::filesystem::path costs;
  int threads = 0, depth = 3, repeats = 3;
  bool json = false, list = false, plan_only = false;
};

int bench_conv(const Options& options) {
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
  if (chosen.empty())
    throw base::InputError(fmt::format("no convolution is called '{}'; there are {}", options.name, names));
  const bench::ConvolutionBenchOptions bench{.costs = session::read_costs(options.costs),
                                             .depth = options.depth,
                                             .repeats = options.repeats,
                                             .plan_only = options.plan_only};
  const bool watched = isatty(STDERR_FILENO);
  nlohmann::ordered_json json{{"clock_ghz", session::measured_clock_hertz() / 1e9},
                              {"instruction_set", base::isa_name(base::active_isa())},
                              {"load_average", session::load_average()},
                              {"results", nlohmann::json::array()}};
  for (const bench::ConvolutionCase& c : chosen)
    json["results"].push_back(bench::run_convolution(c, bench, [&](const std::string& what) {
      if (watched) fmt::print(stderr, "\r\x1b[K  {}", what);
    }));
  if (watched) fmt::print(stderr, "\r\x1b[K");
  if (options.json)
    print_json(json);
  else
    print_text("clock {:.2f} GHz, instruction set {}, load average {:.2f}, {} threads\n{}",
               json["clock_ghz"].get<double>(), base::isa_name(base::active_isa()), json["load_average"].get<double>(),
               base::thread_limit(), bench::convolution_bench_text(json));
  return kSuccess;
}

}  // namespace

void add_bench_conv(CLI::App& group, int& status) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command =
      group.add_subcommand("conv", "Plan convolutions of ImageNet networks, and run them on encrypted inputs");
  command->add_option("--case", options->name, "Only this one; --list shows the names");
  command->add_option("--depth", options->depth, "Levels of the parameter set, all above the result")
      ->check(CLI::Range(1, 30))
      ->capture_default_str();
  command->add_option("--repeats", options->repeats, "Timings of each, of which the median counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  add_costs_to(*command, options->costs);
  command->add_option("--threads", options->threads, "Threads; 0 uses every processor")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  command->add_flag("--plan", options->plan_only, "Plan only, without keys");
  command->add_flag("--list", options->list, "List the names and stop");
  command->add_flag("--json", options->json, "Print JSON instead of a table");
  command->footer("Example:\n  tacit bench conv --case stem\n");
  command->callback([options, &status] { status = bench_conv(*options); });
}

}  // namespace tacit::app::commands
