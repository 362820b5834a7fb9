#include <tacit/model.h>

#include "app/api/bytes.h"
#include "app/api/integers/model_on_integers.h"
#include "app/api/model_impl.h"
#include "app/api/slots/model_on_slots.h"
#include "base/parallel.h"
#include "graph/attribute.h"
#include "params/cost_table.h"
#include "runtime/artefact.h"
#include "session/owner/compiled_network.h"
#include "session/owner/integers/ranges_file.h"
#include "session/owner/measured_ranges.h"
#include "session/owner/options/compile_option.h"
#include "session/owner/ranges_file.h"
#include "session/owner/read_model.h"

namespace tacit {
namespace {

bool on_integers(const runtime::Source& source) {
  return runtime::artefact_scheme(source) == runtime::ArtefactScheme::tfhe;
}

session::CompileRequest request_of(const session::ModelSource& source, const CompileOptions& options) {
  session::require_heeded(options);
  session::CompileRequest request{.model = source.file.empty() ? std::filesystem::path(source.name) : source.file,
                                  .graph = session::read_model(source, options),
                                  .options = options,
                                  .memory = app::api::planning_budget(options.memory_bytes)};
  for (const Tensors& sample : options.calibration)
    request.calibration.push_back(sample_of(request.graph, sample, "a calibration sample"));
  request.options.calibration.clear();
  return request;
}

Progress& progress_of(const CompileOptions& options) {
  return options.progress != nullptr ? *options.progress : Progress::silent();
}

CompiledModel compile_source(const session::ModelSource& source, const CompileOptions& options) {
  auto compiled = session::compile_for_scheme(request_of(source, options), progress_of(options));
  if (auto* const slots = std::get_if<session::Compilation>(&compiled))
    return compiled_model_on<OnSlots>(std::move(*slots), options.insecure);
  return compiled_model_on<OnIntegers>(std::get<session::IntegerCompilation>(std::move(compiled)), options.insecure);
}

std::string calibrate_source(const session::ModelSource& source, const CompileOptions& options) {
  const session::MeasuredRanges measured = session::measure_ranges(request_of(source, options), progress_of(options));
  return std::visit([](const auto& ranges) { return session::ranges_to_json(ranges); }, measured.ranges);
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
  return compile_source({.file = onnx_file}, options);
}

CompiledModel compile_bytes(std::string_view onnx, const std::string& name, const CompileOptions& options) {
  return compile_source({.content = onnx, .name = name}, options);
}

std::string calibrate(const std::filesystem::path& onnx_file, const CompileOptions& options) {
  return calibrate_source({.file = onnx_file}, options);
}

std::string calibrate_bytes(std::string_view onnx, const std::string& name, const CompileOptions& options) {
  return calibrate_source({.content = onnx, .name = name}, options);
}

std::vector<OptionRow> option_table() {
  std::vector<OptionRow> rows;
  for (const session::CompileOption& option : session::compile_options())
    rows.push_back({.name = std::string(option.name),
                    .form = std::string(option.form),
                    .absent = std::string(option.absent),
                    .help = option.help,
                    .slots = option.heeded != session::Heeded::by_integers,
                    .integers = option.heeded != session::Heeded::by_slots,
                    .repeats = option.repeats});
  return rows;
}

void set_option(CompileOptions& options, std::string_view name, const std::vector<std::string>& words) {
  session::set(session::compile_option(name), options, words);
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
