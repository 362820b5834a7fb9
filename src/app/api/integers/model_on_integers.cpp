#include "app/api/integers/model_on_integers.h"

#include "app/api/insecure.h"
#include "app/api/memory.h"
#include "app/api/planned.h"
#include "graph/serialize.h"
#include "runtime/description.h"
#include "runtime/integers/integer_files.h"
#include "session/owner/halves.h"
#include "session/owner/plan_text.h"

namespace tacit {
namespace {

using runtime::IntegerClientModel;
using runtime::IntegerServerModel;
using scheme::tfhe::ContextPtr;

params::TfheParameters permitted(const params::TfheLiteral& literal, InsecureParameters insecure) {
  params::TfheParameters checked = params::TfheParameters::check(literal);
  app::api::require_permitted(checked.identity(), insecure);
  return checked;
}

ContextPtr context_of(const params::TfheLiteral& literal, InsecureParameters insecure) {
  return scheme::tfhe::Context::make(permitted(literal, insecure));
}

params::TfheLiteral literal_of(const std::string& choice) {
  return choice.find('{') == std::string::npos ? params::named_tfhe_literal(choice)
                                               : params::tfhe_literal_from_json(choice);
}

EncryptedTensors load_tensors(const runtime::ModelId& id, const ContextPtr& context, runtime::CiphertextRole role,
                              const std::filesystem::path& path) {
  const runtime::SampleReader reader = runtime::open_samples(path, *context, role);
  runtime::require_same_model(binding_of(id, context), "the model", reader.head().binding, path.string());
  if (reader.batched().batch != 1)
    throw KeyMismatch(path.string() + " holds several inputs a run, and a model on integers takes one");
  const auto tensors = std::make_shared<EncryptedOnIntegers>();
  tensors->role = role;
  tensors->binding = reader.head().binding;
  tensors->names = reader.head().names;
  tensors->batched = reader.batched();
  tensors->context = context;
  const bool answers = role == runtime::CiphertextRole::results;
  tensors->questions = answers ? reader.questions() : reader.digests();
  for (std::size_t i = 0; i < reader.samples(); ++i) {
    if (answers)
      tensors->results.push_back(runtime::read_results(reader, i, *context));
    else
      tensors->inputs.push_back(runtime::read_inputs(reader, i, *context));
  }
  return Access::wrap<EncryptedTensors>(tensors);
}

struct ClientHalfOnIntegers final : detail::ClientHalf {
  explicit ClientHalfOnIntegers(IntegersClient client)
      : ClientHalf(graph::client_parts_from_bytes(client.model->parts)), half(std::move(client)) {}

  void save(const std::filesystem::path& path) const override { runtime::save(*half.model, path); }
  Scheme scheme() const override { return Scheme::tfhe; }
  std::string parameters() const override { return params::to_json(half.model->literal); }
  std::string id() const override { return base::hexadecimal(half.model->id); }
  Plan plan() const override;
  std::shared_ptr<const detail::Owner> owner() const override { return owner_on_integers(half, parts); }
  std::shared_ptr<const detail::Owner> owner(const std::filesystem::path& secret_key) const override {
    return owner_on_integers(half, parts, secret_key);
  }
  EncryptedTensors load(runtime::CiphertextRole role, const std::filesystem::path& path) const override {
    return load_tensors(half.model->id, half.context, role, path);
  }

  IntegersClient half;
};

Plan ClientHalfOnIntegers::plan() const {
  Plan plan;
  plan.scheme = Scheme::tfhe;
  // What the file says of its parameters is not believed: they were checked.
  const params::TfheParameters& parameters = half.context->parameters();
  plan.security_bits = parameters.security_bits();
  plan.log_n = parameters.literal().log_polynomial;
  plan.log2_failure = parameters.literal().log2_failure;
  session::reading_plan(half.model->plan, [&](nlohmann::ordered_json json) {
    json["security_bits"] = plan.security_bits;
    json["parameters"] = nlohmann::ordered_json::parse(params::to_json(parameters.literal()));
    json["log2_failure"] = plan.log2_failure;
    plan.lookups = app::api::planned_count(json, "lookups");
    plan.bootstraps = app::api::planned_count(json, "bootstraps");
    app::api::read_common(json, plan);
    plan.text = session::plan_text(json);
  });
  return plan;
}

struct ServerHalfOnIntegers final : detail::ServerHalf {
  ServerHalfOnIntegers(std::shared_ptr<const IntegerServerModel> server, ContextPtr made_for)
      : model(std::move(server)), context(std::move(made_for)) {}

  void save(const std::filesystem::path& path) const override { runtime::save(*model, path); }
  runtime::Binding binding() const override { return binding_of(model->id, context); }
  ModelKeys load_keys(const std::filesystem::path& path) const override {
    const auto set = std::make_shared<KeysOnIntegers>();
    runtime::Provenance found;
    set->context = context;
    set->keys = std::make_shared<const scheme::tfhe::SeededEvaluationKeys>(
        runtime::load_tfhe_evaluation_keys(path, *context, &model->id, found));
    set->binding = found;
    return Access::wrap<ModelKeys>(set);
  }
  EncryptedTensors load_inputs(const std::filesystem::path& path) const override {
    return load_tensors(model->id, context, runtime::CiphertextRole::inputs, path);
  }
  // Keys that are in memory are seeds, and what is made of them counts.
  std::shared_ptr<const detail::PreparedHalf> prepare(std::uint64_t memory_bytes, int clients,
                                                      std::span<const ModelKeys>, Progress&) const override {
    return prepare_on_integers(model, context, memory_bytes, clients);
  }

  std::shared_ptr<const IntegerServerModel> model;
  ContextPtr context;
};

}  // namespace

void EncryptedOnIntegers::save(const std::filesystem::path& path) const {
  runtime::SampleWriter writer(path, runtime::ArtefactScheme::tfhe, {role, binding, names, batched});
  for (const auto& sample : inputs)
    writer.add(runtime::pieces_of(*context, std::span<const scheme::tfhe::SeededLweCiphertexts>(sample)));
  for (std::size_t i = 0; i < results.size(); ++i)
    writer.add(runtime::pieces_of(*context, std::span<const scheme::tfhe::LweCiphertexts>(results[i])), questions[i]);
  writer.finish();
}

void KeysOnIntegers::save(const std::filesystem::path& path) const { runtime::save(*context, *keys, binding, path); }

session::IntegerCompilation compile_on_integers(app::api::Network network, const CompileOptions& options,
                                                Progress& progress) {
  graph::quant::CompileOptions choices;
  if (options.bits != 0) choices.bits = options.bits;
  if (options.log2_failure != 0) choices.log2_failure = options.log2_failure;
  if (options.exact_rounding) choices.rounding = graph::quant::Rounding::exact;
  if (!options.parameters.empty()) {
    choices.parameters = literal_of(options.parameters);
    permitted(*choices.parameters, options.insecure);
  }
  choices.calibration = std::move(network.calibration);
  choices.input_range = options.input_range;
  choices.client_before = options.client_before;
  choices.keep_private = {options.keep_private.begin(), options.keep_private.end()};
  return session::compile_graph_on_integers(network.name, std::move(network.graph), choices,
                                            app::api::planning_budget(options.memory_bytes), progress);
}

CompiledModel compiled_model_of(session::IntegerCompilation compilation, InsecureParameters insecure) {
  session::IntegerHalves halves = session::halves_of(compilation);
  const ContextPtr context = context_of(compilation.model.parameters, insecure);
  return {Access::wrap<ClientModel>(std::make_shared<const ClientHalfOnIntegers>(
              IntegersClient{std::make_shared<const IntegerClientModel>(std::move(halves.client)), context})),
          Access::wrap<ServerModel>(std::make_shared<const ServerHalfOnIntegers>(
              std::make_shared<const IntegerServerModel>(std::move(halves.server)), context)),
          origin_on_integers(std::move(compilation))};
}

ClientModel load_client_on_integers(const std::filesystem::path& path, InsecureParameters insecure) {
  IntegersClient half{std::make_shared<const IntegerClientModel>(runtime::load_integer_client_model(path)), {}};
  runtime::parsing(path, [&] { half.context = context_of(half.model->literal, insecure); });
  return Access::wrap<ClientModel>(std::make_shared<const ClientHalfOnIntegers>(std::move(half)));
}

ServerModel load_server_on_integers(const std::filesystem::path& path, InsecureParameters insecure) {
  auto model = std::make_shared<const IntegerServerModel>(runtime::load_integer_server_model(path));
  ContextPtr context;
  runtime::parsing(path, [&] { context = context_of(model->literal, insecure); });
  return Access::wrap<ServerModel>(std::make_shared<const ServerHalfOnIntegers>(std::move(model), std::move(context)));
}

}  // namespace tacit
