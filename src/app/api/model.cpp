#include <tacit/model.h>

#include <algorithm>

#include "app/api/insecure.h"
#include "app/api/memory.h"
#include "app/api/model_impl.h"
#include "base/parallel.h"
#include "graph/attribute.h"
#include "graph/onnx/import.h"
#include "runtime/description.h"
#include "runtime/slots/key_store.h"
#include "session/owner/halves.h"
#include "session/owner/slots/plan.h"

namespace tacit {
namespace {

scheme::ckks::ContextPtr context_of(const params::CkksLiteral& literal, InsecureParameters insecure) {
  return scheme::ckks::Context::make(app::api::permitted(literal, insecure));
}

params::CkksLiteral literal_of(const std::string& choice) {
  return choice.find('{') == std::string::npos ? params::named_literal(choice) : params::literal_from_json(choice);
}

template <class Model, class Loader>
Model load_half(const std::filesystem::path& path, InsecureParameters insecure, const Loader& loader) {
  auto half = std::make_shared<const decltype(loader(path))>(loader(path));
  scheme::ckks::ContextPtr context;
  runtime::parsing(path, [&] { context = context_of(half->literal, insecure); });
  return Access::make<Model>(std::move(half), std::move(context));
}

template <class Model>
EncryptedTensors load_tensors(const Model& model, runtime::CiphertextRole role, const std::filesystem::path& path) {
  const auto& half = Access::impl(model);
  const runtime::CiphertextReader reader(path, half.context, role);
  runtime::require_same_model(binding_of(half.model->id, half.context, {}), "the model", reader.binding(),
                              path.string());
  std::vector<std::vector<runtime::CiphertextArray>> samples;
  for (std::size_t i = 0; i < reader.samples(); ++i) samples.push_back(reader.read(i));
  return Access::make<EncryptedTensors>(
      half.context, role, reader.binding(), reader.names(), std::move(samples),
      role == runtime::CiphertextRole::results ? reader.questions() : reader.digests(), reader.batched());
}

}  // namespace

std::vector<graph::Tensor> sample_of(const graph::Graph& graph, const Tensors& tensors, const std::string& what) {
  if (tensors.size() != graph.inputs.size())
    throw InputError(what + " has " + std::to_string(tensors.size()) + " tensors, the model has " +
                     std::to_string(graph.inputs.size()) + " inputs");
  std::vector<graph::Tensor> sample;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const graph::TensorInfo& info = graph.tensors.at(graph.inputs[i]);
    if (info.text) throw InputError("input '" + info.name + "' takes strings, which only the tacit command reads");
    const std::int64_t size = graph::element_count(info.shape);
    if (static_cast<std::int64_t>(tensors[i].size()) != size)
      throw InputError(what + " for input '" + info.name + "' has " + std::to_string(tensors[i].size()) +
                       " elements instead of " + std::to_string(size));
    sample.push_back({info.shape, tensors[i], info.integral});
  }
  return sample;
}

std::string default_costs() { return params::to_json(params::CostTable{}); }

void set_threads(int threads) { base::set_thread_limit(threads); }

ClientModel::ClientModel(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
ServerModel::ServerModel(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
EncryptedTensors::EncryptedTensors(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
ModelKeys::ModelKeys(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

CompiledModel compile(const std::filesystem::path& onnx_file, const CompileOptions& options) {
  graph::Graph graph = graph::onnx::import_model(onnx_file);
  graph::CompileOptions choices;
  for (const Tensors& sample : options.calibration)
    choices.calibration.push_back(sample_of(graph, sample, "a calibration sample"));
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
  if (!options.costs.empty()) choices.costs = params::cost_table_from_json(options.costs);
  base::Progress& progress = options.progress != nullptr ? *options.progress : base::Progress::silent();
  return compiled_model_of(session::compile_graph(onnx_file.filename().string(), std::move(graph), choices, progress),
                           options.insecure);
}

CompiledModel compiled_model_of(session::Compilation compilation, InsecureParameters insecure) {
  session::Halves halves = session::halves_of(compilation);
  const scheme::ckks::ContextPtr context = context_of(compilation.model.parameters, insecure);
  return {Access::make<ClientModel>(std::make_shared<const runtime::ClientModel>(std::move(halves.client)), context),
          Access::make<ServerModel>(std::make_shared<const runtime::ServerModel>(std::move(halves.server)), context),
          std::make_shared<const detail::Origin>(detail::Origin{std::move(compilation)})};
}

ClientModel ClientModel::load(const std::filesystem::path& path, InsecureParameters insecure) {
  return load_half<ClientModel>(path, insecure, runtime::load_client_model);
}

void ClientModel::save(const std::filesystem::path& path) const { runtime::save(*impl_->model, path); }

std::vector<Shape> ClientModel::input_shapes() const {
  std::vector<Shape> shapes;
  const graph::Graph& before = impl_->parts.before;
  for (const graph::TensorId id : before.inputs) shapes.push_back(before.tensors[id].shape);
  return shapes;
}

std::vector<Shape> ClientModel::output_shapes() const {
  std::vector<Shape> shapes;
  const graph::Graph& after = impl_->parts.after;
  for (const graph::TensorId id : after.outputs) shapes.push_back(after.tensors[id].shape);
  return shapes;
}

std::vector<std::vector<std::string>> ClientModel::output_columns() const {
  std::vector<std::vector<std::string>> columns;
  for (std::size_t i = 0; i < impl_->parts.after.outputs.size(); ++i)
    columns.push_back(graph::column_names(impl_->parts.after, i));
  return columns;
}

std::string ClientModel::parameters() const { return params::to_json(impl_->model->literal); }
std::string ClientModel::id() const { return base::hexadecimal(impl_->model->id); }
Plan ClientModel::plan() const {
  Plan plan;
  // What the file says of its parameters is not believed: they were checked.
  const params::CkksParameters& parameters = impl_->context->parameters();
  plan.security_bits = parameters.security_bits();
  plan.log_n = parameters.log_n();
  plan.log_qp = parameters.log_qp();
  session::reading_plan(impl_->model->plan, [&](nlohmann::ordered_json json) {
    json["security_bits"] = plan.security_bits;
    json["log_n"] = plan.log_n;
    json["log_qp"] = plan.log_qp;
    const auto count = [&](const char* field) {
      constexpr std::uint64_t kMost = std::uint64_t{1} << 53;
      const nlohmann::ordered_json& value = json.at(field);
      if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kMost)
        throw InputError(std::string("the plan in the client's half: '") + field + "' is no count; compile again");
      return value.get<std::int64_t>();
    };
    const nlohmann::ordered_json& estimate = json.at("estimate");
    plan.levels = static_cast<int>(std::min<std::int64_t>(count("levels"), 1 << 20));
    plan.rotations = count("rotations");
    plan.rotation_keys = count("rotation_keys");
    plan.bootstraps = count("bootstraps");
    plan.input_ciphertexts = count("ciphertexts");
    plan.output_ciphertexts = count("output_ciphertexts");
    plan.batch = impl_->model->interface.batch;
    json["batch"] = plan.batch;
    json.at("warnings").get_to(plan.warnings);
    estimate.at("seconds").get_to(plan.seconds);
    plan.threads = estimate.value("threads", 1.0);  // missing in earlier files
    estimate.at("machine").get_to(plan.machine);
    estimate.at("key_bytes").get_to(plan.key_bytes);
    estimate.at("weight_bytes").get_to(plan.weight_bytes);
    estimate.at("ciphertext_bytes").get_to(plan.ciphertext_bytes);
    plan.text = session::plan_text(json);
    plan.json = json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
  });
  return plan;
}

ServerModel ServerModel::load(const std::filesystem::path& path, InsecureParameters insecure) {
  return load_half<ServerModel>(path, insecure, runtime::load_server_model);
}

void ServerModel::save(const std::filesystem::path& path) const { runtime::save(*impl_->model, path); }

void EncryptedTensors::save(const std::filesystem::path& path) const {
  runtime::CiphertextWriter writer(path, impl_->context, impl_->role, impl_->binding, impl_->names, impl_->batched);
  for (std::size_t i = 0; i < impl_->samples.size(); ++i) {
    if (impl_->role == runtime::CiphertextRole::results)
      writer.add(impl_->samples[i], impl_->questions[i]);
    else
      writer.add(impl_->samples[i]);
  }
  writer.finish();
}

std::size_t EncryptedTensors::size() const { return impl_->batched.inputs; }

void EncryptedTensors::require_answers_to(const EncryptedTensors& questions) const {
  runtime::require_role(runtime::CiphertextRole::results, impl_->role, "what is to answer");
  runtime::require_role(runtime::CiphertextRole::inputs, questions.impl_->role, "what is to be answered");
  runtime::require_answers({questions.impl_->questions, questions.impl_->batched}, "the questions",
                           {impl_->questions, impl_->batched}, "the results");
}

EncryptedTensors EncryptedTensors::load(const ClientModel& model, const std::filesystem::path& path) {
  return load_tensors(model, runtime::CiphertextRole::results, path);
}

EncryptedTensors EncryptedTensors::load_questions(const ClientModel& model, const std::filesystem::path& path) {
  return load_tensors(model, runtime::CiphertextRole::inputs, path);
}

EncryptedTensors EncryptedTensors::load(const ServerModel& model, const std::filesystem::path& path) {
  return load_tensors(model, runtime::CiphertextRole::inputs, path);
}

void ModelKeys::save(const std::filesystem::path& path) const {
  runtime::save(impl_->context, *impl_->keys, impl_->binding, path);
}

ModelKeys ModelKeys::load(const ServerModel& model, const std::filesystem::path& path) {
  const auto& half = Access::impl(model);
  runtime::Provenance found;
  auto keys = std::make_shared<const scheme::ckks::EvaluationKeys>(
      runtime::load_evaluation_keys(path, half.context, &half.model->id, found));
  return Access::make<ModelKeys>(half.context, found, std::move(keys));
}

}  // namespace tacit
