#include <fmt/format.h>

#include <bit>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/command_line.h"
#include "app/commands/add_command.h"
#include "app/commands/bench_report.h"
#include "app/commands/commands.h"
#include "app/options.h"
#include "app/output.h"
#include "app/report_page.h"
#include "base/error.h"
#include "base/parallel.h"
#include "bench/merkle_benchmarks.h"
#include "session/output_files.h"
#include "session/table.h"

namespace tacit::app::commands {
namespace {

struct BenchMerkleOptions {
  bench::MerkleBenchmarkChoice choice;
  std::string hash, device;
  std::filesystem::path report;
  double seconds = 0.3;
  int threads = 0;
  bool json = false;
};

int number(merkle::Approach approach) { return static_cast<int>(approach); }

std::string power_text(std::uint64_t power) { return fmt::format("2^{}", std::bit_width(power) - 1); }

std::string milliseconds_text(double seconds) { return fmt::format("{:.1f} ms", seconds * 1e3); }

nlohmann::ordered_json published_json() {
  auto list = nlohmann::ordered_json::array();
  for (const bench::PublishedTree& tree : bench::published_trees())
    list.push_back({{"device", tree.device},
                    {"approach", number(tree.approach)},
                    {"leaves", std::uint64_t{1} << tree.log_leaves},
                    {"group", 32},
                    {"kernel_seconds", tree.milliseconds / 1e3}});
  return list;
}

/// The published times of both devices for the same work, "770.2 / 63.1 ms", or nothing.
std::string published_text(const bench::TreeResult& result) {
  std::string text;
  for (const bench::PublishedTree& tree : bench::published_trees())
    if (tree.approach == result.approach && result.leaves == std::uint64_t{1} << tree.log_leaves && result.group == 32)
      text += fmt::format("{}{:.1f}", text.empty() ? "" : " / ", tree.milliseconds);
  return text.empty() ? "" : text + " ms";
}

int bench_merkle(const BenchMerkleOptions& options) {
  if (!std::has_single_bit(options.choice.smallest_group) || !std::has_single_bit(options.choice.largest_group))
    throw base::InputError("--smallest-group, --largest-group: work-group sizes are powers of two");
  if (options.choice.first_log > options.choice.last_log ||
      options.choice.smallest_group > options.choice.largest_group)
    throw base::InputError(
        "--first is above --last, or --smallest-group above --largest-group: nothing is left to time");
  session::check_output_files({options.report}, {});
  bench::MerkleBenchmarkChoice choice = options.choice;
  choice.kind = options.device;
  choice.scheme = merkle::scheme_from_name(options.hash);
  nlohmann::ordered_json json = machine_json();
  json.update({{"hash", options.hash},
               {"repeats", choice.repeats},
               {"operations", nlohmann::json::array()},
               {"trees", nlohmann::json::array()}});
  session::Table operations({"operation, one thread", "median", "10 %", "90 %"});
  if (choice.kind.empty() || choice.kind == "cpu")
    bench::run_merkle_operations(options.seconds, [&](const bench::MerkleOperationResult& result) {
      const session::Measurement& m = result.measurement;
      const auto text = [](double seconds) { return fmt::format("{:.2f} us", seconds * 1e6); };
      operations.add({result.operation, text(m.median), text(m.lower), text(m.upper)});
      json["operations"].push_back({{"operation", result.operation},
                                    {"seconds", m.median},
                                    {"seconds_10", m.lower},
                                    {"seconds_90", m.upper},
                                    {"samples", m.samples}});
      show_measured(result.operation);
    });
  base::set_thread_limit(options.threads);
  json["threads"] = base::thread_limit();
  session::Table trees(
      {"device", "approach", "leaves", "group", "time", "kernels", "a hash", "rounds", "by formula", "published"});
  bench::run_tree_benchmarks(choice, [&](const bench::TreeResult& result) {
    const double a_hash = result.seconds / static_cast<double>(result.leaves - 1);
    trees.add({result.kind, fmt::to_string(number(result.approach)), power_text(result.leaves),
               fmt::to_string(result.group), milliseconds_text(result.seconds),
               milliseconds_text(result.kernel_seconds), fmt::format("{:.2f} us", a_hash * 1e6),
               fmt::to_string(result.rounds), result.published_rounds ? fmt::to_string(*result.published_rounds) : "",
               published_text(result)});
    json["trees"].push_back({{"device", result.kind},
                             {"name", result.device},
                             {"approach", number(result.approach)},
                             {"leaves", result.leaves},
                             {"group", result.group},
                             {"seconds", result.seconds},
                             {"kernel_seconds", result.kernel_seconds},
                             {"rounds", result.rounds}});
    if (result.published_rounds) json["trees"].back()["published_rounds"] = *result.published_rounds;
    show_measured(fmt::format("{}, {} leaves", result.kind, power_text(result.leaves)));
  });
  show_measured("");
  json["published"] = published_json();
  json["load_average_after"] = session::load_average();
  write_report(options.report, {{"title", "How Merkle trees are built"},
                                {"subtitle", fmt::format("tacit bench merkle, {}", options.hash)},
                                {"merkle", json}});
  print_report(
      options.json, json,
      fmt::format(
          "{}\n{}\n{}  published: work-groups of 32, Xeon Platinum 8358 with 64 cores / Tesla V100, kernel times\n",
          machine_text(json), operations.text(), trees.text()));
  return kSuccess;
}

}  // namespace

void add_bench_merkle(CLI::App& group, int& status) {
  auto [command, options] =
      add_command(group, status, "merkle", "Time Rescue Prime, its trees and proofs on every device", bench_merkle,
                  "Example:\n  tacit bench merkle --device cpu --last 20 --report merkle.html\n");
  options.hash = merkle::scheme_name({});
  command.add_option("--device", options.device, "Only devices of this kind: cpu, opencl or sycl");
  command.add_option("--hash", options.hash, "The hash of the trees")->capture_default_str();
  add_bounded(command, "--first", options.choice.first_log, "Logarithm of the fewest leaves", 3, 28);
  add_bounded(command, "--last", options.choice.last_log, "Logarithm of the most leaves", 3, 28);
  add_bounded(command, "--smallest-group", options.choice.smallest_group, "Smallest work-group", 1, 65536);
  add_bounded(command, "--largest-group", options.choice.largest_group, "Largest work-group", 1, 65536);
  add_seconds_to(command, options.seconds, "Time for each operation");
  add_threads_to(command, options.threads, "Threads for trees on the processor");
  add_bounded(command, "--repeats", options.choice.repeats, "Times that each tree is built; the median counts", 1,
              1000);
  add_bounded(command, "--longest", options.choice.longest,
              "Seconds: a device for which a tree takes longer is given no larger ones", 0.0, 86400.0);
  command.add_option("--report", options.report, "Write a page with plots (HTML, self-contained)");
  command.add_flag("--json", options.json, "Print JSON instead of tables");
}

}  // namespace tacit::app::commands
