#include <tacit/model.h>

#include <cmath>

#include "app/api/bytes.h"
#include "app/api/integers/model_on_integers.h"
#include "app/api/model_impl.h"
#include "app/api/slots/model_on_slots.h"
#include "base/parallel.h"
#include "graph/attribute.h"
#include "graph/onnx/import.h"
#include "params/cost_table.h"
#include "runtime/artefact.h"
#include "session/owner/integers/plan.h"
#include "session/owner/scheme_choice.h"
#include "session/owner/slots/plan.h"

namespace tacit {
namespace {

bool on_integers(const runtime::Source& source) {
  return runtime::artefact_scheme(source) == runtime::ArtefactScheme::tfhe;
}

void require_scheme(const CompileOptions& options) {
  const bool slots = options.scheme != Scheme::tfhe, integers = options.scheme != Scheme::ckks;
  const auto require = [](bool heeded, bool given, const std::string& field, const char* scheme) {
    if (given && !heeded) throw InputError("'" + field + "' in the options is for networks on " + scheme);
  };
  const CompileOptions defaults;
  if (const auto trim = options.calibration_trim;
      trim && !(*trim >= 0 && *trim < 1e9 && (*trim < 1 || *trim == std::floor(*trim))))
    throw InputError("calibration_trim is " + std::to_string(*trim) +
                     "; give a number of samples, or a share of them below 1");
  require(slots, options.max_degree != defaults.max_degree, "max_degree", "slots (scheme ckks)");
  require(slots, options.max_polynomial_error != defaults.max_polynomial_error, "max_polynomial_error",
          "slots (scheme ckks)");
  require(slots, !options.costs.empty(), "costs", "slots (scheme ckks)");
  require(slots, options.batch != defaults.batch, "batch", "slots (scheme ckks)");
  require(slots, !options.shard.empty(), "shard", "slots (scheme ckks)");
  require(integers, options.bits != defaults.bits, "bits", "integers (scheme tfhe)");
  require(integers, options.log2_failure != defaults.log2_failure, "log2_failure", "integers (scheme tfhe)");
  require(integers, options.exact_rounding, "exact_rounding", "integers (scheme tfhe)");
  if (options.scheme == Scheme::automatic && !options.parameters.empty())
    throw InputError("'parameters' in the options belong to one scheme: ask for ckks or tfhe");
  // Refusals of either scheme say only that the other one is taken, and this one would hide mistakes.
  if (options.scheme == Scheme::automatic && !options.shard.empty())
    throw InputError("'shard' in the options lays out ciphertexts of slots: ask for the scheme ckks");
  if (options.scheme == Scheme::automatic && !options.costs.empty())
    throw InputError(
        "'costs' in the options price CKKS alone, so that they say nothing about which scheme takes less time: ask for "
        "the scheme ckks, or leave them out");
}

graph::onnx::Bindings constants_of(const CompileOptions& options) {
  graph::onnx::Bindings constants;
  for (const auto& [name, number] : options.constants) {
    if (!std::isfinite(number)) throw InputError("the constant '" + name + "' in the options is not finite");
    constants[name].data = {number};
  }
  return constants;
}

graph::Graph read_model(const std::filesystem::path& onnx_file, const CompileOptions& options) {
  return graph::onnx::import_model(onnx_file, constants_of(options), {options.shapes.begin(), options.shapes.end()});
}

graph::Graph read_model(std::string_view onnx, const std::string& name, const CompileOptions& options) {
  return graph::onnx::import_bytes(onnx, name, constants_of(options), {options.shapes.begin(), options.shapes.end()});
}

CompiledModel compile_network(app::api::ImportedNetwork network, const CompileOptions& options) {
  for (const Tensors& sample : options.calibration)
    network.calibration.push_back(sample_of(network.graph, sample, "a calibration sample"));
  Progress& progress = options.progress != nullptr ? *options.progress : Progress::silent();
  const auto on_slots = [&](session::Compilation compilation) {
    return compiled_model_on<OnSlots>(std::move(compilation), options.insecure);
  };
  const auto on_integers = [&](session::IntegerCompilation compilation) {
    return compiled_model_on<OnIntegers>(std::move(compilation), options.insecure);
  };
  switch (options.scheme) {
    case Scheme::ckks: return on_slots(OnSlots::compile(std::move(network), options, progress));
    case Scheme::tfhe: return on_integers(OnIntegers::compile(std::move(network), options, progress));
    case Scheme::automatic: break;
  }
  session::require_either_rounds(options.exact_rounding);
  OnSlots::require_options(network, options);
  OnIntegers::require_options(network, options);
  std::optional<session::Compilation> slots;
  std::optional<session::IntegerCompilation> integers;
  const base::Feasible<session::SchemeChoice> tried = session::choose_scheme(
      [&] { return session::planned_seconds(slots.emplace(OnSlots::compile(network, options, progress))); },
      [&] { return session::planned_seconds(integers.emplace(OnIntegers::compile(network, options, progress))); });
  if (!tried) tried.problem().refuse();
  const session::SchemeChoice& choice = *tried;
  (choice.on_slots ? slots->graph : integers->graph).notes.push_back(choice.note);
  return choice.on_slots ? on_slots(std::move(*slots)) : on_integers(std::move(*integers));
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

Tensors numbers_of(std::vector<graph::Tensor> outputs) {
  Tensors tensors;
  for (graph::Tensor& output : outputs) tensors.push_back(std::move(output.data));
  return tensors;
}

std::string default_costs() { return params::to_json(params::CostTable{}); }

void set_threads(int threads) { base::set_thread_limit(threads); }

CompiledModel compile(const std::filesystem::path& onnx_file, const CompileOptions& options) {
  require_scheme(options);
  return compile_network({onnx_file.filename().string(), read_model(onnx_file, options), {}}, options);
}

CompiledModel compile_bytes(std::string_view onnx, const std::string& name, const CompileOptions& options) {
  require_scheme(options);
  return compile_network({name, read_model(onnx, name, options), {}}, options);
}

Plan plan(const CompiledModel& model) {
  Plan plan = model.client.plan();
  if (model.origin) model.origin->add_operations(plan);
  return plan;
}

ClientModel ClientModel::load(const Source& source, InsecureParameters insecure) {
  const runtime::Source& from = open(source);
  return on_integers(from) ? load_client<OnIntegers>(from, insecure) : load_client<OnSlots>(from, insecure);
}

void ClientModel::save(const Sink& sink) const { impl_->save(open(sink)); }

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

std::string ClientModel::parameters() const { return impl_->parameters(); }
Scheme ClientModel::scheme() const { return impl_->scheme(); }
std::string ClientModel::id() const { return impl_->id(); }
Plan ClientModel::plan() const { return impl_->plan(); }

ServerModel ServerModel::load(const Source& source, InsecureParameters insecure) {
  const runtime::Source& from = open(source);
  return on_integers(from) ? load_server<OnIntegers>(from, insecure) : load_server<OnSlots>(from, insecure);
}

void ServerModel::save(const Sink& sink) const { impl_->save(open(sink)); }

std::vector<Tensors> simulate(const CompiledModel& model, std::span<const Tensors> inputs, Progress& progress) {
  if (!model.origin) throw InputError("simulate: this model was read from files; compile it here");
  return model.origin->simulate(inputs, progress);
}

void EncryptedTensors::save(const Sink& sink) const { impl_->save(open(sink)); }

std::size_t EncryptedTensors::size() const { return impl_->batched.inputs; }

void EncryptedTensors::require_answers_to(const EncryptedTensors& questions) const {
  runtime::require_role(runtime::CiphertextRole::results, impl_->role, "what is to answer");
  runtime::require_role(runtime::CiphertextRole::inputs, questions.impl_->role, "what is to be answered");
  runtime::require_answers({questions.impl_->questions, questions.impl_->batched}, "the questions",
                           {impl_->questions, impl_->batched}, "the results");
  if (const auto kept = questions.impl_->kept.load()) impl_->kept = kept;  // outputs may be inputs as they came in
}

EncryptedTensors EncryptedTensors::load(const ClientModel& model, const Source& source) {
  return Access::impl(model).load(runtime::CiphertextRole::results, open(source), {});
}

std::vector<std::byte> EncryptedTensors::kept_values() const {
  const auto kept = impl_->kept.load();
  return kept ? kept->to_bytes() : std::vector<std::byte>();
}

EncryptedTensors EncryptedTensors::load_questions(const ClientModel& model, const Source& source,
                                                  std::span<const std::byte> kept) {
  return Access::impl(model).load(runtime::CiphertextRole::inputs, open(source), kept);
}

EncryptedTensors EncryptedTensors::load(const ServerModel& model, const Source& source) {
  return Access::impl(model).load_inputs(open(source));
}

void ModelKeys::save(const Sink& sink) const { impl_->save(open(sink)); }

ModelKeys ModelKeys::load(const ServerModel& model, const Source& source) {
  return Access::impl(model).load_keys(open(source));
}

}  // namespace tacit
