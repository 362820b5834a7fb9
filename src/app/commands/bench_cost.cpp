#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/command_line.h"
#include "app/commands/add_command.h"
#include "app/commands/bench_report.h"
#include "app/commands/commands.h"
#include "app/options.h"
#include "app/output.h"
#include "base/parallel.h"
#include "bench/slots/cost_measurement.h"
#include "session/cost_file.h"
#include "session/output_files.h"
#include "session/owner/measurement.h"
#include "session/table.h"

namespace tacit::app::commands {
namespace {

struct BenchCostOptions {
  std::filesystem::path output;
  bench::CostMeasurementOptions measured;
  int threads = 1;
  bool json = false;
};

std::string deviation(double predicted, double measured) {
  return fmt::format("{:+.0f} %", 100 * (predicted / measured - 1));
}

std::string report_text(const bench::CostMeasurement& measured, double load) {
  const params::CostTable standard;
  std::string text = fmt::format("{}, load average {:.2f}\n", measured.costs.machine, load);
  session::Table prices({"price", "of", "unit", "default", "here"});
  for (const params::CostField& field : params::cost_fields())
    prices.add({std::string(field.name), std::string(field.meaning), std::string(field.unit),
                fmt::format("{:.3f}", standard.*field.value), fmt::format("{:.3f}", measured.costs.*field.value)});
  session::Table operations({"operation", "parameters", "measured", "by the default, one thread", "by these prices"});
  for (const bench::PredictedOperation& o : measured.operations)
    operations.add({o.operation, o.set, fmt::format("{:.2f} ms", o.seconds * 1e3), deviation(o.by_default, o.seconds),
                    deviation(o.by_measured, o.seconds)});
  return text + prices.text() + operations.text();
}

nlohmann::ordered_json report_json(const bench::CostMeasurement& measured, double load) {
  nlohmann::ordered_json operations = nlohmann::json::array();
  for (const bench::PredictedOperation& o : measured.operations)
    operations.push_back({{"operation", o.operation},
                          {"parameters", o.set},
                          {"seconds", o.seconds},
                          {"predicted_by_default", o.by_default},
                          {"predicted", o.by_measured}});
  return {{"costs", nlohmann::ordered_json::parse(params::to_json(measured.costs))},
          {"default", nlohmann::ordered_json::parse(params::to_json(params::CostTable{}))},
          {"load_average", load},
          {"operations", std::move(operations)}};
}

int bench_cost(const BenchCostOptions& options) {
  session::check_output_files({options.output}, {});
  base::set_thread_limit(options.threads);
  const double load = session::load_average();
  const bench::CostMeasurement measured = bench::measure_costs(options.measured, show_measured);
  show_measured("");
  if (!options.output.empty()) session::write_costs(options.output, measured.costs);
  print_report(options.json, report_json(measured, load), report_text(measured, load));
  return kSuccess;
}

}  // namespace

void add_bench_cost(CLI::App& group, int& status) {
  auto [command, options] =
      add_command(group, status, "cost", "Measure the prices by which plans are made and predicted", bench_cost,
                  "About a minute; nothing else should run.\n\n"
                  "Example:\n  tacit bench cost --output costs.json\n");
  command.add_option("-o,--output", options.output, "Write them (JSON), for --costs of other commands");
  command.add_option("--sets", options.measured.sets, "Parameter sets to time operations at (a,b)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  add_bounded(command, "--seconds", options.measured.seconds, "Time for each operation", 0.0, 60.0);
  add_threads_to(command, options.threads, "Threads that share the work");
  command.add_flag("--json", options.json, "Print JSON instead of tables");
}

}  // namespace tacit::app::commands
