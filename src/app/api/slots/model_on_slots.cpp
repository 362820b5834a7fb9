#include "app/api/slots/model_on_slots.h"

#include <algorithm>

#include "app/api/memory.h"
#include "app/api/planned.h"
#include "graph/serialize.h"
#include "params/cost_table.h"
#include "runtime/description.h"
#include "runtime/slots/key_store.h"
#include "session/owner/halves.h"
#include "session/owner/plan_text.h"
#include "session/owner/shardings.h"

namespace tacit {
namespace {

scheme::ckks::ContextPtr context_of(const params::CkksLiteral& literal, InsecureParameters insecure) {
  return scheme::ckks::Context::make(app::api::permitted(literal, insecure));
}

params::CkksLiteral literal_of(const std::string& choice) {
  return choice.find('{') == std::string::npos ? params::named_literal(choice) : params::literal_from_json(choice);
}

EncryptedTensors load_tensors(const runtime::ModelId& id, const scheme::ckks::ContextPtr& context,
                              runtime::CiphertextRole role, const std::filesystem::path& path) {
  const runtime::CiphertextReader reader(path, context, role);
  runtime::require_same_model(binding_of(id, context), "the model", reader.binding(), path.string());
  const auto tensors = std::make_shared<EncryptedOnSlots>();
  tensors->role = role;
  tensors->binding = reader.binding();
  tensors->names = reader.names();
  tensors->questions = role == runtime::CiphertextRole::results ? reader.questions() : reader.digests();
  tensors->batched = reader.batched();
  tensors->context = context;
  for (std::size_t i = 0; i < reader.samples(); ++i) tensors->samples.push_back(reader.read(i));
  return Access::wrap<EncryptedTensors>(tensors);
}

struct ClientHalfOnSlots final : detail::ClientHalf {
  explicit ClientHalfOnSlots(SlotsClient client)
      : ClientHalf(graph::client_parts_from_bytes(client.model->parts)), half(std::move(client)) {}

  void save(const std::filesystem::path& path) const override { runtime::save(*half.model, path); }
  Scheme scheme() const override { return Scheme::ckks; }
  std::string parameters() const override { return params::to_json(half.model->literal); }
  std::string id() const override { return base::hexadecimal(half.model->id); }
  Plan plan() const override;
  std::shared_ptr<const detail::Owner> owner() const override { return owner_on_slots(half, parts); }
  std::shared_ptr<const detail::Owner> owner(const std::filesystem::path& secret_key) const override {
    return owner_on_slots(half, parts, secret_key);
  }
  EncryptedTensors load(runtime::CiphertextRole role, const std::filesystem::path& path) const override {
    return load_tensors(half.model->id, half.context, role, path);
  }

  SlotsClient half;
};

struct ServerHalfOnSlots final : detail::ServerHalf {
  ServerHalfOnSlots(std::shared_ptr<const runtime::ServerModel> server, scheme::ckks::ContextPtr made_for)
      : model(std::move(server)), context(std::move(made_for)) {}

  void save(const std::filesystem::path& path) const override { runtime::save(*model, path); }
  runtime::Binding binding() const override { return binding_of(model->id, context); }
  ModelKeys load_keys(const std::filesystem::path& path) const override {
    const auto set = std::make_shared<KeysOnSlots>();
    runtime::Provenance found;
    set->context = context;
    set->keys = std::make_shared<const scheme::ckks::EvaluationKeys>(
        runtime::load_evaluation_keys(path, context, &model->id, found));
    set->binding = found;
    return Access::wrap<ModelKeys>(set);
  }
  EncryptedTensors load_inputs(const std::filesystem::path& path) const override {
    return load_tensors(model->id, context, runtime::CiphertextRole::inputs, path);
  }
  std::shared_ptr<const detail::PreparedHalf> prepare(std::uint64_t memory_bytes, int clients,
                                                      std::span<const ModelKeys> held,
                                                      Progress& progress) const override {
    return prepare_on_slots(model, context, memory_bytes, clients, held, progress);
  }

  std::shared_ptr<const runtime::ServerModel> model;
  scheme::ckks::ContextPtr context;
};

Plan ClientHalfOnSlots::plan() const {
  Plan plan;
  // What the file says of its parameters is not believed: they were checked.
  const params::CkksParameters& parameters = half.context->parameters();
  plan.security_bits = parameters.security_bits();
  plan.log_n = parameters.log_n();
  plan.log_qp = parameters.log_qp();
  session::reading_plan(half.model->plan, [&](nlohmann::ordered_json json) {
    json["security_bits"] = plan.security_bits;
    json["log_n"] = plan.log_n;
    json["log_qp"] = plan.log_qp;
    const auto count = [&](const char* field) { return app::api::planned_count(json, field); };
    plan.levels = static_cast<int>(std::min<std::int64_t>(count("levels"), 1 << 20));
    plan.rotations = count("rotations");
    plan.rotation_keys = count("rotation_keys");
    plan.bootstraps = count("bootstraps");
    plan.batch = half.model->interface.batch;
    json["batch"] = plan.batch;
    app::api::read_common(json, plan);
    plan.text = session::plan_text(json);
  });
  return plan;
}

}  // namespace

void EncryptedOnSlots::save(const std::filesystem::path& path) const {
  runtime::CiphertextWriter writer(path, context, role, binding, names, batched);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (role == runtime::CiphertextRole::results)
      writer.add(samples[i], questions[i]);
    else
      writer.add(samples[i]);
  }
  writer.finish();
}

void KeysOnSlots::save(const std::filesystem::path& path) const { runtime::save(context, *keys, binding, path); }

session::Compilation compile_on_slots(app::api::Network network, const CompileOptions& options, Progress& progress) {
  graph::CompileOptions choices;
  choices.calibration = std::move(network.calibration);
  choices.input_range = options.input_range;
  if (!options.parameters.empty()) {
    choices.parameters = literal_of(options.parameters);
    app::api::permitted(*choices.parameters, options.insecure);
  }
  choices.memory = app::api::planning_budget(options.memory_bytes);
  if (options.max_degree < 0) throw InputError("max_degree is " + std::to_string(options.max_degree) + ", below 0");
  if (options.max_degree > 0) choices.max_degree = choices.max_value_degree = options.max_degree;
  choices.max_error = options.max_error;
  choices.client_before = options.client_before;
  choices.batch = options.batch == kCheapestBatch ? std::nullopt : std::optional(options.batch);
  choices.keep_private = {options.keep_private.begin(), options.keep_private.end()};
  choices.shardings = session::read_shardings(options.shard);
  if (!options.costs.empty()) choices.costs = params::cost_table_from_json(options.costs);
  return session::compile_graph(network.name, std::move(network.graph), choices, progress);
}

CompiledModel compiled_model_of(session::Compilation compilation, InsecureParameters insecure) {
  session::Halves halves = session::halves_of(compilation);
  const scheme::ckks::ContextPtr context = context_of(compilation.model.parameters, insecure);
  return {Access::wrap<ClientModel>(std::make_shared<const ClientHalfOnSlots>(
              SlotsClient{std::make_shared<const runtime::ClientModel>(std::move(halves.client)), context})),
          Access::wrap<ServerModel>(std::make_shared<const ServerHalfOnSlots>(
              std::make_shared<const runtime::ServerModel>(std::move(halves.server)), context)),
          origin_on_slots(std::move(compilation))};
}

ClientModel load_client_on_slots(const std::filesystem::path& path, InsecureParameters insecure) {
  SlotsClient half{std::make_shared<const runtime::ClientModel>(runtime::load_client_model(path)), {}};
  runtime::parsing(path, [&] { half.context = context_of(half.model->literal, insecure); });
  return Access::wrap<ClientModel>(std::make_shared<const ClientHalfOnSlots>(std::move(half)));
}

ServerModel load_server_on_slots(const std::filesystem::path& path, InsecureParameters insecure) {
  auto model = std::make_shared<const runtime::ServerModel>(runtime::load_server_model(path));
  scheme::ckks::ContextPtr context;
  runtime::parsing(path, [&] { context = context_of(model->literal, insecure); });
  return Access::wrap<ServerModel>(std::make_shared<const ServerHalfOnSlots>(std::move(model), std::move(context)));
}

}  // namespace tacit
