#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "app/command_line.h"
#include "app/commands/commands.h"
#include "app/options.h"
#include "app/output.h"
#include "base/cpu.h"
#include "base/error.h"
#include "base/parallel.h"
#include "bench/tfhe/tfhe_benchmarks.h"
#include "session/cost_file.h"
#include "session/table.h"

namespace tacit::app::commands {
namespace {

struct Options {
  std::string filter;
  std::filesystem::path costs;
  double seconds = 0.5;
  int threads = 1;
  bool json = false, list = false;
};

std::string time_text(double seconds) {
  if (seconds <= 0) return "";
  return seconds < 1e-4 ? fmt::format("{:.2f} us", seconds * 1e6) : fmt::format("{:.2f} ms", seconds * 1e3);
}
std::string megabytes(double bytes) { return bytes > 0 ? fmt::format("{:.1f}", bytes / 1e6) : ""; }

int bench_tfhe(const Options& options) {
  base::set_thread_limit(options.threads);
  if (options.list) {
    for (const std::string& name : bench::tfhe_benchmark_names()) print_text("{}\n", name);
    return kSuccess;
  }
  const double clock = session::measured_clock_hertz();
  nlohmann::ordered_json json{{"clock_ghz", clock / 1e9},
                              {"instruction_set", base::isa_name(base::active_isa())},
                              {"load_average", session::load_average()},
                              {"results", nlohmann::json::array()}};
  session::Table table({"operation", "parameters", "batch", "threads", "each", "10 %", "90 %", "arithmetic", "memory",
                        "of bound", "bootstrap key MB", "switch key MB"});
  const bool watched = isatty(STDERR_FILENO);
  const double cache_mib = session::read_costs(options.costs).cache_mib;
  bench::run_tfhe_benchmarks(options.filter, options.seconds, cache_mib, [&](const bench::TfheBenchmarkResult& r) {
    const session::Measurement& m = r.measurement;
    const bool bounded = r.bound_seconds() > 0;
    table.add({r.operation, r.parameters, fmt::to_string(r.batch), fmt::to_string(r.threads), time_text(m.median),
               time_text(m.lower), time_text(m.upper), time_text(r.arithmetic_seconds), time_text(r.memory_seconds),
               bounded ? fmt::format("{:.0f} %", 100 * r.bound_seconds() / m.median) : "",
               megabytes(r.bootstrap_key_bytes), megabytes(r.key_switch_key_bytes)});
    json["results"].push_back({{"operation", r.operation},
                               {"parameters", r.parameters},
                               {"batch", r.batch},
                               {"threads", r.threads},
                               {"seconds_each", m.median},
                               {"seconds_each_10", m.lower},
                               {"seconds_each_90", m.upper},
                               {"samples", m.samples},
                               {"traffic_bytes_each", r.traffic_bytes},
                               {"arithmetic_bound_seconds", r.arithmetic_seconds},
                               {"memory_bound_seconds", r.memory_seconds},
                               {"share_of_bound", r.bound_seconds() / m.median},
                               {"bootstrap_key_bytes", r.bootstrap_key_bytes},
                               {"key_switch_key_bytes", r.key_switch_key_bytes}});
    if (watched) fmt::print(stderr, "\r\x1b[K  {}, {}, batch {}", r.operation, r.parameters, r.batch);
  });
  if (watched) fmt::print(stderr, "\r\x1b[K");
  if (json["results"].empty())
    throw base::InputError(fmt::format("no benchmark's name contains '{}'; --list shows them", options.filter));
  json["clock_ghz_after"] = session::measured_clock_hertz() / 1e9;
  json["load_average_after"] = session::load_average();
  if (options.json) {
    print_json(json);
    return kSuccess;
  }
  print_text("clock {:.2f} GHz measured before and {:.2f} GHz after, instruction set {}, load average {:.2f}\n{}",
             clock / 1e9, json["clock_ghz_after"].get<double>(), base::isa_name(base::active_isa()),
             session::load_average(), table.text());
  print_text(
      "  each: median time of one ciphertext of the batch; a lookup fails with probability 2^-128 at most\n"
      "  arithmetic: what its transforms, products and multiply-accumulates take out of the nearest caches\n"
      "  memory: what its keys, read once for the batch, take to read where the largest cache does not hold them\n"
      "  of bound: the larger of both as a share of the median; keys: held in memory\n");
  return kSuccess;
}

}  // namespace

void add_bench_tfhe(CLI::App& group, int& status) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command = group.add_subcommand("tfhe", "Time lookups of the TFHE scheme and the FFT below it");
  command->add_option("--filter", options->filter, "Only benchmarks whose name contains this text");
  command->add_option("--seconds", options->seconds, "Time for each, and five batches at least")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  command->add_option("--threads", options->threads, "Threads for lookups; 0 uses every processor")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  add_costs_to(*command, options->costs);
  command->add_flag("--list", options->list, "List the names and stop");
  command->add_flag("--json", options->json, "Print JSON instead of a table");
  command->footer("Example:\n  tacit bench tfhe --filter 'T1, batch 64'\n");
  command->callback([options, &status] { status = bench_tfhe(*options); });
}

}  // namespace tacit::app::commands
