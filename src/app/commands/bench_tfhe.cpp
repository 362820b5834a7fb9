#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command_line.h"
#include "app/commands/add_command.h"
#include "app/commands/bench_report.h"
#include "app/commands/commands.h"
#include "app/options.h"
#include "app/output.h"
#include "base/parallel.h"
#include "bench/tfhe/tfhe_benchmarks.h"
#include "session/cost_file.h"
#include "session/table.h"

namespace tacit::app::commands {
namespace {

std::string megabytes(double bytes) { return bytes > 0 ? fmt::format("{:.1f}", bytes / 1e6) : ""; }

int bench_tfhe(const OperationBenchOptions& options) {
  base::set_thread_limit(options.threads);
  if (options.list) {
    for (const std::string& name : bench::tfhe_benchmark_names()) print_text("{}\n", name);
    return kSuccess;
  }
  nlohmann::ordered_json json = machine_json();
  json["results"] = nlohmann::json::array();
  session::Table table({"operation", "parameters", "batch", "threads", "each", "10 %", "90 %", "arithmetic", "memory",
                        "of bound", "bootstrap key MB", "switch key MB"});
  const double cache_mib = session::read_costs(options.costs).cache_mib;
  bench::run_tfhe_benchmarks(options.filter, options.seconds, cache_mib, [&](const bench::TfheBenchmarkResult& r) {
    const session::Measurement& m = r.measurement;
    table.add({r.operation, r.parameters, fmt::to_string(r.batch), fmt::to_string(r.threads), time_text(m.median),
               time_text(m.lower), time_text(m.upper), time_text(r.arithmetic_seconds), time_text(r.memory_seconds),
               share_of_bound(r.bound_seconds(), m), megabytes(r.bootstrap_key_bytes),
               megabytes(r.key_switch_key_bytes)});
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
    show_measured(fmt::format("{}, {}, batch {}", r.operation, r.parameters, r.batch));
  });
  show_measured("");
  add_machine_after(json, options.filter);
  constexpr std::string_view kLegend =
      "  each: median time of one ciphertext of the batch; a lookup fails with probability 2^-128 at most\n"
      "  arithmetic: what its transforms, products and multiply-accumulates take out of the nearest caches\n"
      "  memory: what its keys, read once for the batch, take to read where the largest cache does not hold them\n"
      "  of bound: the larger of both as a share of the median; keys: held in memory\n";
  print_report(options.json, json, fmt::format("{}\n{}{}", machine_text(json), table.text(), kLegend));
  return kSuccess;
}

}  // namespace

void add_bench_tfhe(CLI::App& group, int& status) {
  auto [command, options] = add_command(group, status, "tfhe", "Time lookups of the TFHE scheme and the FFT below it",
                                        bench_tfhe, "Example:\n  tacit bench tfhe --filter 'T1, batch 64'\n");
  options.seconds = 0.5;
  options.add_to(command, "Time for each, and five batches at least", "Threads for lookups");
}

}  // namespace tacit::app::commands
