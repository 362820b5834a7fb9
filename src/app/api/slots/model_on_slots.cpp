#include "app/api/slots/model_on_slots.h"

#include <algorithm>

#include "app/api/insecure.h"
#include "app/api/memory.h"
#include "app/api/planned.h"
#include "params/cost_table.h"
#include "session/owner/plan_text.h"
#include "session/owner/shardings.h"
#include "session/owner/slots/expect_errors.h"

namespace tacit {
namespace {

params::CkksLiteral literal_of(const std::string& choice) {
  return choice.find('{') == std::string::npos ? params::named_literal(choice) : params::literal_from_json(choice);
}

graph::CompileOptions choices_of(const CompileOptions& options) {
  graph::CompileOptions choices;
  choices.input_range = options.input_range;
  choices.trim = options.calibration_trim;
  if (!options.parameters.empty()) {
    choices.parameters = literal_of(options.parameters);
    app::api::permitted(*choices.parameters, options.insecure);
  }
  choices.memory = app::api::planning_budget(options.memory_bytes);
  if (options.max_degree < 0) throw InputError("max_degree is " + std::to_string(options.max_degree) + ", below 0");
  if (options.max_degree > 0) choices.max_degree = choices.max_value_degree = options.max_degree;
  choices.max_error = options.max_polynomial_error;
  choices.client_before = options.client_before;
  choices.batch = options.batch == kCheapestBatch ? std::nullopt : std::optional(options.batch);
  choices.keep_private = {options.keep_private.begin(), options.keep_private.end()};
  choices.shardings = session::read_shardings(options.shard);
  if (!options.costs.empty()) choices.costs = params::cost_table_from_json(options.costs);
  return choices;
}

}  // namespace

void OnSlots::require_options(const app::api::ImportedNetwork& network, const CompileOptions& options) {
  session::require_options(network.graph, choices_of(options));
}

session::Compilation OnSlots::compile(app::api::ImportedNetwork network, const CompileOptions& options,
                                      Progress& progress) {
  graph::CompileOptions choices = choices_of(options);
  choices.calibration = std::move(network.calibration);
  session::Compilation compilation = session::compile_graph(network.name, std::move(network.graph), choices, progress);
  session::state_errors(compilation, choices.calibration, options.max_error, progress);
  return compilation;
}

scheme::ckks::ContextPtr OnSlots::context_of(const Literal& literal, InsecureParameters insecure) {
  return scheme::ckks::Context::make(app::api::permitted(literal, insecure));
}

Plan OnSlots::plan(const ClientModel& model, const params::CkksParameters& parameters) {
  Plan plan;
  plan.security_bits = parameters.security_bits();
  plan.log_n = parameters.log_n();
  plan.log_qp = parameters.log_qp();
  session::reading_plan(model.plan, [&](nlohmann::ordered_json json) {
    json["security_bits"] = plan.security_bits;
    json["log_n"] = plan.log_n;
    json["log_qp"] = plan.log_qp;
    const auto count = [&](const char* field) { return app::api::planned_count(json, field); };
    plan.levels = static_cast<int>(std::min<std::int64_t>(count("levels"), 1 << 20));
    plan.rotations = count("rotations");
    plan.rotation_keys = count("rotation_keys");
    plan.bootstraps = count("bootstraps");
    plan.batch = model.interface.batch;
    json["batch"] = plan.batch;
    app::api::read_common(json, plan);
    plan.text = session::plan_text(json);
  });
  return plan;
}

std::shared_ptr<const runtime::PreparedProgram> OnSlots::prepare(const ServerModel& model, const ContextPtr& context,
                                                                 std::uint64_t memory_bytes, int clients,
                                                                 std::span<const ModelKeys> held, Progress& progress) {
  std::uint64_t held_bytes = 0;
  for (const ModelKeys& keys : held) held_bytes += form_of<KeysOn<OnSlots>>(keys).keys->bytes();
  auto prepared = std::make_shared<const runtime::PreparedProgram>(
      context, model.program,
      runtime::PrepareOptions{.memory = app::api::work_budget(memory_bytes).with_held(held_bytes),
                              .clients = clients,
                              .progress = &progress});
  prepared->encode();
  return prepared;
}

}  // namespace tacit
