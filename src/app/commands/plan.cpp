#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/command_line.h"
#include "app/commands/add_command.h"
#include "app/commands/commands.h"
#include "app/options.h"
#include "app/output.h"
#include "app/progress_bar.h"
#include "app/report_page.h"
#include "app/warnings.h"
#include "base/error.h"
#include "session/cost_file.h"
#include "session/owner/compiled_network.h"
#include "session/owner/packing_plan.h"
#include "session/owner/plan_text.h"
#include "session/owner/rank_plan.h"

namespace tacit::app::commands {
namespace {

struct PlanOptions : NetworkOptions {
  std::filesystem::path report;
  std::vector<std::string> explain;
  std::string tiles, requirement = params::Requirement{}.to_string(), latency, objective = "latency";
  std::int64_t items = 0;
  std::vector<std::int64_t> ranks;
  std::string network;
  bool regions = false;
};

program::SearchRequest search_request(const PlanOptions& options) {
  program::SearchRequest request;
  request.objective = options.objective == "throughput" ? program::Objective::throughput
                      : options.objective == "memory"   ? program::Objective::memory
                                                        : program::Objective::latency;
  if (!options.latency.empty()) request.latency = session::parse_duration(options.latency);
  if (const base::MemoryBudget budget = options.compute.planning_budget(); budget.limited())
    request.memory = static_cast<double>(budget.bytes);
  return request;
}

/// The best packings of a computation on tiles, by the prices of the limb counts.
int plan_tiles(const PlanOptions& options) {
  const params::RequiredParameters required = params::parameters_for(params::Requirement::parse(options.requirement));
  const auto cost = tensor::cost_session(required, session::read_costs(options.choices.costs));
  tensor::PackedComputation computation = tensor::parse_computation(options.tiles);
  if (options.items != 0) computation = tensor::with_items(computation, options.items);
  const program::SearchRequest request = search_request(options);
  const nlohmann::ordered_json json =
      session::plan_packing_json(computation, request, tensor::plan_packing(cost, computation, request));
  write_report(
      options.report,
      {{"title", "Packings of " + computation.name}, {"subtitle", options.requirement}, {"packing_plan", json}});
  print_report(options.compute.json, json, session::plan_packing_text(json));
  return kSuccess;
}

/// What passes made and decided, in the order in which they ran.
using Explanations = std::vector<std::pair<std::string, std::string>>;

/// Asks for those of these passes, or for all.
void ask(CompileOptions& options, const std::vector<std::string>& asked, Explanations& explanations) {
  if (asked.empty()) return;
  if (asked != std::vector<std::string>{"all"}) options.explained_passes = asked;
  options.explain = [&](const std::string& pass, const std::string& text) {
    if (explanations.empty() || explanations.back().first != pass)
      explanations.emplace_back(pass, text);
    else
      explanations.back().second += text;
  };
}

void print(const Explanations& explanations) {
  for (const auto& [pass, text] : explanations) print_text("{}:\n{}\n", pass, text);
}

nlohmann::ordered_json json_of(const Explanations& explanations) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const auto& [pass, text] : explanations) json.push_back({{"pass", pass}, {"text", text}});
  return json;
}

int plan(const PlanOptions& options) {
  if (options.model.empty() == options.tiles.empty())
    throw base::InputError("plan needs either a network or --tiles with a computation");
  if (!options.tiles.empty()) return plan_tiles(options);
  if (!options.latency.empty() || options.items != 0)
    throw base::InputError(
        "--latency and --items choose among the packings of --tiles; a network's layouts are its own");
  if (options.regions && options.choices.scheme != Scheme::tfhe)
    throw base::InputError("--regions draws what becomes one lookup of integers; give --scheme tfhe");
  options.compute.apply();
  ProgressBar bar;
  Explanations explanations;
  NetworkOptions compiled = options;
  ask(compiled.choices, options.explain, explanations);
  std::unique_ptr<session::CompiledNetwork> network;
  try {
    network = compiled.compile(bar);
  } catch (const base::InputError&) {
    if (!options.compute.json) print(explanations);  // what a search tried tells why it found nothing
    throw;
  }
  warn_of(network->warnings());
  for (const std::string& pass : options.explain)
    if (pass != "all" && std::ranges::none_of(explanations, [&](const auto& told) { return told.first == pass; }))
      base::refuse("no pass '{}' ran on this network; --explain all shows those that did", pass);
  nlohmann::ordered_json json = network->plan();
  for (const std::int64_t ranks : options.ranks)
    json["ranks"].push_back(network->plan_of_ranks(ranks, params::Interconnect::parse(options.network)));
  if (!explanations.empty()) json["passes"] = json_of(explanations);
  write_report(options.report,
               {{"title", "Plan for " + network->name()}, {"subtitle", "before any key exists"}, {"model", json}});
  if (options.compute.json) {
    print_json(json);
    return kSuccess;
  }
  if (options.regions) {
    print_text("{}", json.at("drawing").get<std::string>());
    return kSuccess;
  }
  print(explanations);
  print_text("{}{}\n{}", session::plan_text(without_warnings(json)),
             json.contains("ranks") ? session::rank_plans_text(json["ranks"]) : "", session::instructions_text(json));
  return kSuccess;
}

}  // namespace

void add_plan(CLI::App& app, int& status) {
  auto [command, options] = add_command(
      app, status, "plan", "Show how a network would be computed: parameters, layouts, keys, memory and time", plan,
      "No key is generated. With --tiles, --memory bounds what the packing holds.\n\nExample:\n"
      "  tacit plan cryptonets.onnx --input-range 0,1 --report plan.html\n"
      "  tacit plan cryptonets.onnx --input-range 0,1 --passes no-fold --explain layouts,parameters\n"
      "  tacit plan cryptonets.onnx --input-range 0,1 --shard Conv_0=x:5 --explain sharding\n"
      "  tacit plan cryptonets.onnx --input-range 0,1 --ranks 4,16 --network 10Gb,20us\n"
      "  tacit plan --tiles 'pairs 10000x32' --latency 0.2s --objective throughput\n");
  command.add_option("model", options.model, "The network, an ONNX file");
  options.add_to(command);
  command.add_option("--report", options.report, "Write a page with plots (HTML, self-contained)");
  command
      .add_option("--explain", options.explain,
                  "Show what passes of the compiler made or decided and rejected, with prices: all, or names of the "
                  "scheme's passes, as in fold,parameters,layouts,sharding,program")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_flag("--regions", options.regions,
                   "With --scheme tfhe: draw sums, lookups and the operators in each, as a Mermaid flowchart");
  command.add_option("--tiles", options.tiles,
                     "Instead of a network: a computation whose packing to choose, 'regression 10000x100', 'pairs "
                     "10000x32' or 'chain 4,5,6,7,8'");
  command.add_option("--requirement", options.requirement, "What the parameters of --tiles must hold")
      ->capture_default_str();
  command.add_option("--latency", options.latency, "With --tiles: upper bound, as in 0.2s");
  command.add_option("--objective", options.objective, "With --tiles: what to make best within the bounds")
      ->check(CLI::IsMember({"latency", "throughput", "memory"}))
      ->capture_default_str();
  command.add_option("--items", options.items, "With --tiles: items to compute, instead of those of the computation")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 30));
  CLI::Option* const ranks =
      command
          .add_option(
              "--ranks", options.ranks,
              "Also: time, traffic and memory of so many ranks, as mpirun starts them; several numbers with commas")
          ->check(CLI::Range(1, 65536))
          ->delimiter(',')
          ->allow_extra_args(false);
  CLI::Option* const network = command.add_option(
      "--network", options.network, "What lies between the ranks: bits a second and latency, as in 10Gb,20us");
  ranks->needs(network);
  network->needs(ranks);
}

}  // namespace tacit::app::commands
