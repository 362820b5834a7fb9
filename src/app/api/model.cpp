#include <tacit/model.h>

#include <algorithm>
#include <mutex>

#include "app/api/access.h"
#include "app/api/insecure.h"
#include "app/api/model_halves.h"
#include "base/parallel.h"
#include "base/wipe.h"
#include "graph/attribute.h"
#include "graph/compile.h"
#include "graph/onnx/import.h"
#include "graph/serialize.h"
#include "program/key_manifest.h"
#include "runtime/ciphertext_file.h"
#include "runtime/client.h"
#include "runtime/executor.h"
#include "runtime/key_store.h"
#include "runtime/model_about.h"
#include "runtime/server_model.h"
#include "session/owner/compilation.h"
#include "session/owner/plan.h"

namespace tacit {

struct ClientModel::Impl {
  Impl(std::shared_ptr<const runtime::ClientModel> half, scheme::ckks::ContextPtr made_for)
      : model(std::move(half)), context(std::move(made_for)), parts(graph::client_parts_from_bytes(model->parts)) {}
  std::shared_ptr<const runtime::ClientModel> model;
  scheme::ckks::ContextPtr context;
  graph::ClientParts parts;  ///< what the client runs in the clear
};

struct ServerModel::Impl {
  std::shared_ptr<const runtime::ServerModel> model;
  scheme::ckks::ContextPtr context;
};

struct EncryptedTensors::Impl {
  scheme::ckks::ContextPtr context;
  runtime::CiphertextRole role;
  runtime::Binding binding;
  std::vector<std::string> names;
  std::vector<runtime::CiphertextArray> arrays;
};

struct ModelKeys::Impl {
  scheme::ckks::ContextPtr context;
  runtime::Binding binding;
  std::shared_ptr<const scheme::ckks::EvaluationKeys> keys;
};

struct Client::Impl {
  ClientModel half;
  runtime::Binding binding;
  std::shared_ptr<const scheme::ckks::SecretKey> secret;
  runtime::Client client;
};

struct PreparedModel::Impl {
  ServerModel half;
  std::shared_ptr<const runtime::PreparedProgram> prepared;
};

struct Server::Impl {
  runtime::Binding binding;
  runtime::Executor executor;
  std::vector<std::string> output_names;
  std::mutex mutex;
};

using detail::Access;

namespace {

scheme::ckks::ContextPtr context_of(const params::CkksLiteral& literal, InsecureParameters insecure) {
  return scheme::ckks::Context::make(app::api::permitted(literal, insecure));
}

runtime::Binding binding_of(const runtime::ModelId& id, const scheme::ckks::ContextPtr& context,
                            const runtime::KeySetId& key_set) {
  return {id, context->parameters().hash(), key_set};
}

params::CkksLiteral literal_of(const std::string& choice) {
  return choice.find('{') == std::string::npos ? params::named_literal(choice) : params::literal_from_json(choice);
}

/// `what` names the tensors in errors: "a calibration sample".
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
  if (reader.samples() != 1)
    throw InputError(path.string() + ": holds " + std::to_string(reader.samples()) + " samples where one is expected");
  return Access::make<EncryptedTensors>(half.context, role, reader.binding(), reader.names(), reader.read(0));
}

std::vector<std::string> names_of(const std::vector<program::ClientInput>& inputs) {
  std::vector<std::string> names;
  for (const program::ClientInput& input : inputs) names.push_back(input.name);
  return names;
}

}  // namespace

namespace {

/// The model, if the keys belong to it: KeyMismatch before any work.
const ServerModel& of_the_keys(const ServerModel& model, const ModelKeys& keys) {
  const auto& half = Access::impl(model);
  runtime::require_same_model(binding_of(half.model->id, half.context, {}), "the model", Access::impl(keys).binding,
                              "the keys");
  return model;
}

}  // namespace

void set_threads(int threads) { base::set_thread_limit(threads); }

ClientModel::ClientModel(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
ServerModel::ServerModel(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
EncryptedTensors::EncryptedTensors(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
ModelKeys::ModelKeys(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

CompiledModel compile(const std::filesystem::path& onnx_file, const CompileOptions& options) {
  session::Compilation compilation{onnx_file.filename().string(), graph::onnx::import_model(onnx_file), {}};
  graph::CompileOptions choices;
  for (const Tensors& sample : options.calibration)
    choices.calibration.push_back(sample_of(compilation.graph, sample, "a calibration sample"));
  choices.input_range = options.input_range;
  if (!options.parameters.empty()) {
    choices.parameters = literal_of(options.parameters);
    app::api::permitted(*choices.parameters, options.insecure);
  }
  choices.memory.bytes = options.memory_bytes;
  if (options.max_degree > 0) choices.max_degree = choices.max_value_degree = options.max_degree;
  choices.max_error = options.max_error;
  choices.client_before = options.client_before;
  choices.keep_private = {options.keep_private.begin(), options.keep_private.end()};
  choices.costs = compilation.costs;
  compilation.model = graph::compile(compilation.graph, choices);
  return app::api::halves_of(std::move(compilation), options.insecure);
}

CompiledModel app::api::halves_of(session::Compilation compilation, InsecureParameters insecure) {
  const std::string plan = session::plan_text(session::plan_json(compilation));
  graph::CompiledModel& model = compilation.model;
  const std::vector<std::uint8_t> parts = graph::to_bytes(model.parts);
  const runtime::ModelId id = runtime::model_id(model.parameters, model.program, model.client, parts);
  const auto keys = program::key_manifest(model.program);
  const auto context = context_of(model.parameters, insecure);
  auto client = std::make_shared<const runtime::ClientModel>(
      runtime::ClientModel{{compilation.name, id, model.parameters}, std::move(model.client), keys, plan, parts});
  auto server = std::make_shared<const runtime::ServerModel>(
      runtime::ServerModel{{compilation.name, id, model.parameters}, std::move(model.program)});
  return {Access::make<ClientModel>(std::move(client), context), Access::make<ServerModel>(std::move(server), context)};
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
std::string ClientModel::plan() const { return impl_->model->plan; }

ServerModel ServerModel::load(const std::filesystem::path& path, InsecureParameters insecure) {
  return load_half<ServerModel>(path, insecure, runtime::load_server_model);
}

void ServerModel::save(const std::filesystem::path& path) const { runtime::save(*impl_->model, path); }

void EncryptedTensors::save(const std::filesystem::path& path) const {
  runtime::CiphertextWriter writer(path, impl_->context, impl_->role, impl_->binding, impl_->names);
  writer.add(impl_->arrays);
  writer.finish();
}

EncryptedTensors EncryptedTensors::load(const ClientModel& model, const std::filesystem::path& path) {
  return load_tensors(model, runtime::CiphertextRole::results, path);
}

EncryptedTensors EncryptedTensors::load(const ServerModel& model, const std::filesystem::path& path) {
  return load_tensors(model, runtime::CiphertextRole::inputs, path);
}

void ModelKeys::save(const std::filesystem::path& path) const {
  runtime::save(impl_->context, *impl_->keys, impl_->binding, path);
}

ModelKeys ModelKeys::load(const ServerModel& model, const std::filesystem::path& path) {
  const auto& half = Access::impl(model);
  runtime::Binding found;
  auto keys = std::make_shared<const scheme::ckks::EvaluationKeys>(
      runtime::load_evaluation_keys(path, half.context, &half.model->id, found));
  return Access::make<ModelKeys>(half.context, found, std::move(keys));
}

Client::Client(const ClientModel& model)
    : impl_([&] {
        const auto& half = Access::impl(model);
        auto secret =
            std::make_shared<const scheme::ckks::SecretKey>(scheme::ckks::KeyGenerator(half.context).secret_key());
        return std::make_shared<const Impl>(Impl{model,
                                                 binding_of(half.model->id, half.context, runtime::new_key_set_id()),
                                                 secret, runtime::Client(half.model, half.context, secret)});
      }()) {}

Client::Client(const ClientModel& model, const std::filesystem::path& secret_key)
    : impl_([&] {
        const auto& half = Access::impl(model);
        runtime::Binding found;
        auto secret = std::make_shared<const scheme::ckks::SecretKey>(
            runtime::load_secret_key(secret_key, half.context, &half.model->id, found));
        return std::make_shared<const Impl>(
            Impl{model, found, secret, runtime::Client(half.model, half.context, secret)});
      }()) {}

void Client::save_secret_key(const std::filesystem::path& path) const {
  runtime::save(Access::impl(impl_->half).context, *impl_->secret, impl_->binding, path);
}

ModelKeys Client::evaluation_keys() const {
  const auto& half = Access::impl(impl_->half);
  auto keys = std::make_shared<const scheme::ckks::EvaluationKeys>(
      scheme::ckks::KeyGenerator(half.context).evaluation_keys(*impl_->secret, half.model->keys));
  return Access::make<ModelKeys>(half.context, impl_->binding, std::move(keys));
}

EncryptedTensors Client::encrypt(const Tensors& inputs) const {
  const auto& half = Access::impl(impl_->half);
  std::vector<std::vector<double>> tensors;
  const base::WipedAtExit wiped(tensors);
  for (graph::Tensor& tensor : graph::run_before(half.parts, sample_of(half.parts.before, inputs, "an input")))
    tensors.push_back(std::move(tensor.data));
  return Access::make<EncryptedTensors>(half.context, runtime::CiphertextRole::inputs, impl_->binding,
                                        names_of(half.model->interface.inputs), impl_->client.encrypt(tensors));
}

Tensors Client::decrypt(const EncryptedTensors& outputs) const {
  const auto& encrypted = Access::impl(outputs);
  runtime::require_role(runtime::CiphertextRole::results, encrypted.role, "the argument of decrypt");
  runtime::require_same_keys(impl_->binding, "the client's key", encrypted.binding, "the result");
  std::vector<std::vector<double>> decrypted;
  const base::WipedAtExit wiped(decrypted);
  for (runtime::DecryptedOutput& output : impl_->client.decrypt(encrypted.arrays))
    decrypted.push_back(std::move(output.values));
  Tensors tensors;
  for (graph::Tensor& output : graph::run_after(Access::impl(impl_->half).parts, decrypted))
    tensors.push_back(std::move(output.data));
  return tensors;
}

PreparedModel::PreparedModel(const ServerModel& model, std::uint64_t memory_bytes, int clients)
    : impl_([&] {
        if (clients < 1) throw InputError("a prepared model serves at least one client at a time");
        const auto& half = Access::impl(model);
        auto prepared = std::make_shared<const runtime::PreparedProgram>(
            half.context, half.model->program,
            runtime::PrepareOptions{.memory = {memory_bytes, 0}, .clients = clients});
        prepared->encode();
        return std::make_shared<const Impl>(Impl{model, std::move(prepared)});
      }()) {}

Server::Server(const PreparedModel& model, const ModelKeys& keys)
    : impl_([&] {
        const auto& prepared = Access::impl(model);
        const auto& half = Access::impl(of_the_keys(prepared.half, keys));
        const auto& owned = Access::impl(keys);
        std::vector<std::string> names;
        for (const program::Instruction& instruction : half.model->program.instructions)
          if (const auto* output = std::get_if<program::Output>(&instruction.operation)) names.push_back(output->name);
        return std::make_shared<Impl>(owned.binding, runtime::Executor(prepared.prepared, owned.keys),
                                      std::move(names));
      }()) {}

Server::Server(const ServerModel& model, const ModelKeys& keys, std::uint64_t memory_bytes)
    : Server(PreparedModel(of_the_keys(model, keys), memory_bytes), keys) {}

EncryptedTensors Server::evaluate(const EncryptedTensors& inputs) {
  const auto& encrypted = Access::impl(inputs);
  runtime::require_role(runtime::CiphertextRole::inputs, encrypted.role, "the argument of evaluate");
  runtime::require_same_keys(impl_->binding, "the evaluation keys", encrypted.binding, "the input");
  const std::lock_guard lock(impl_->mutex);
  return Access::make<EncryptedTensors>(encrypted.context, runtime::CiphertextRole::results, encrypted.binding,
                                        impl_->output_names, impl_->executor.run(encrypted.arrays).outputs);
}

}  // namespace tacit
