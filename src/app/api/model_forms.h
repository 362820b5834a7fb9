#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "app/api/memory.h"
#include "app/api/model_impl.h"
#include "graph/serialize.h"
#include "params/shared_tally.h"
#include "runtime/description.h"
#include "session/owner/disclosure.h"
#include "session/owner/halves.h"
#include "session/owner/kept_inputs.h"

/// The forms of both schemes for the public classes of <tacit/model.h>. `On` is OnSlots or OnIntegers. Each has the
/// types of its scheme, and functions for the differences, under the same names. slots/model_on_slots.h describes them.
/// session/owner/slots/client_on_slots.h describes those of the owner of the data.
namespace tacit {

template <class On>
struct EncryptedOn final : detail::EncryptedFile {
  typename On::ContextPtr context{};
  std::vector<std::vector<typename On::Question>> inputs{};  ///< by sample, one per name; empty in results
  std::vector<std::vector<typename On::Answer>> results{};   ///< likewise; empty in inputs

  void save(const runtime::Sink& sink) const override {
    const auto found = kept.load();
    if (found && role == runtime::CiphertextRole::inputs && !sink.file().empty())
      found->save(session::KeptInputs::beside(sink.file()));
    runtime::write_artefact(sink, runtime::ArtefactKind::ciphertexts, On::kArtefactScheme,
                            [&](runtime::ArtefactWriter& artefact) {
                              auto writer = On::create_samples(artefact, context, {role, binding, names, batched});
                              for (const auto& input : inputs) On::add(writer, context, input);
                              for (std::size_t i = 0; i < results.size(); ++i)
                                On::add(writer, context, results[i], questions[i]);
                              writer.end();
                            });
  }
};

template <class On>
struct KeysOn final : detail::KeySet {
  typename On::ContextPtr context;
  std::shared_ptr<const typename On::Keys> keys;

  KeysOn(const runtime::Binding& bound, typename On::ContextPtr made_for, typename On::Keys&& made)
      : context(std::move(made_for)), keys(std::make_shared<const typename On::Keys>(std::move(made))) {
    binding = bound;
  }
  void save(const runtime::Sink& sink) const override { On::save(context, *keys, binding, sink); }
};

template <class On>
runtime::Binding binding_of(const runtime::ModelId& id, const typename On::ContextPtr& context,
                            const runtime::KeySetId& key_set = {}) {
  return {id, context->parameters().hash(), key_set};
}

/// Encrypts inputs run by run, without a binding. The digest of an input belongs to a run: `batch` inputs side by side.
template <class On>
std::shared_ptr<EncryptedOn<On>> encrypted_inputs(const typename On::ClientModel& model,
                                                  const typename On::ContextPtr& context,
                                                  const graph::ClientParts& parts, const typename On::Client& client,
                                                  std::span<const Tensors> inputs, Progress& progress) {
  On::require_memory_for_input(model, app::api::work_budget(0));
  const auto tensors = std::make_shared<EncryptedOn<On>>();
  tensors->role = runtime::CiphertextRole::inputs;
  tensors->batched = {inputs.size(), On::batch(model)};
  tensors->context = context;
  tensors->names = runtime::input_names(model);
  const auto kept = std::make_shared<session::KeptInputs>();
  progress.begin("encrypting", inputs.size());
  for (std::size_t run = 0; run < tensors->batched.samples(); ++run) {
    std::vector<std::vector<graph::Tensor>> side_by_side;
    for (const Tensors& input : inputs.subspan(run * tensors->batched.batch, tensors->batched.of(run)))
      side_by_side.push_back(sample_of(parts.before, input, "an input"));
    tensors->inputs.push_back(On::encrypt(client, parts, side_by_side));
    tensors->questions.push_back(On::digest_of(context, tensors->inputs.back()));
    if (parts.kept > 0) kept->add(tensors->questions.back(), graph::kept_tensors(parts, side_by_side));
    progress.advance(side_by_side.size());
  }
  progress.end();
  if (parts.kept > 0) tensors->kept = kept;
  return tensors;
}

template <class On>
struct InputKeyOn final : detail::InputKey {
  InputKeyOn(std::shared_ptr<const typename On::ClientModel> of, typename On::ContextPtr made_for,
             graph::ClientParts run_in_the_clear, const runtime::Binding& bound, typename On::PublicKey&& made)
      : model(std::move(of)),
        context(std::move(made_for)),
        parts(std::move(run_in_the_clear)),
        binding(bound),
        key(std::move(made)),
        client(On::encrypting_client(model, context, key)) {}

  void save(const runtime::Sink& sink) const override { On::save(context, key, binding, sink); }

  EncryptedTensors encrypt(std::span<const Tensors> inputs, Progress& progress) const override {
    auto tensors = encrypted_inputs<On>(*model, context, parts, client, inputs, progress);
    tensors->binding = binding;
    return Access::wrap<EncryptedTensors>(std::move(tensors));
  }

  std::shared_ptr<const typename On::ClientModel> model;
  typename On::ContextPtr context;
  graph::ClientParts parts;
  runtime::Binding binding;
  typename On::PublicKey key;
  typename On::Client client;
};

/// The numbers of outputs belong to a run: `batch` inputs side by side.
template <class On>
struct OwnerOn final : detail::Owner {
  OwnerOn(std::shared_ptr<const typename On::ClientModel> of, typename On::ContextPtr made_for,
          graph::ClientParts run_in_the_clear, const runtime::Binding& bound, typename On::SecretKey&& key)
      : model(std::move(of)),
        context(std::move(made_for)),
        parts(std::move(run_in_the_clear)),
        binding(bound),
        secret(std::make_shared<const typename On::SecretKey>(std::move(key))),
        client(On::client(model, context, secret)) {}

  void save_secret_key(const runtime::Sink& sink) const override { On::save(context, *secret, binding, sink); }

  ModelKeys evaluation_keys(Progress& progress) const override {
    On::require_one_owner(*model);
    On::require_memory_for_keys(*model, app::api::work_budget(0));
    return Access::wrap<ModelKeys>(
        std::make_shared<const KeysOn<On>>(binding, context, On::new_keys(*model, context, *secret, progress)));
  }

  ModelPublicKey public_key() const override {
    On::require_room_for_public_key(*model);
    return Access::wrap<ModelPublicKey>(
        std::make_shared<const InputKeyOn<On>>(model, context, parts, binding, On::new_public_key(context, *secret)));
  }

  EncryptedTensors encrypt(std::span<const Tensors> inputs, Progress& progress) const override {
    auto tensors = encrypted_inputs<On>(*model, context, parts, client, inputs, progress);
    tensors->binding = binding;
    if (const auto of_inputs = tensors->kept.load()) {
      const std::lock_guard lock(kept_mutex);
      for (const base::Digest& run : tensors->questions) kept.add(run, of_inputs->of(run));
    }
    return Access::wrap<EncryptedTensors>(std::move(tensors));
  }

  std::vector<Tensors> decrypt(const EncryptedTensors& outputs, const Disclosure& disclosure,
                               Progress& progress) const override {
    runtime::require_same_keys(binding, "the client's key", Access::impl(outputs).binding, "the result",
                               runtime::kNameResults);
    const auto& encrypted = form_of<EncryptedOn<On>>(outputs);
    const session::Disclosure shown{.sharing = session::sharing_of(disclosure), .labels = disclosure.labels};
    const typename On::ResultReader reader(parts, shown);
    if (shown.sharing) On::require_shared(*model, parts, *shown.sharing);
    if (encrypted.batched.batch != On::batch(*model))
      throw KeyMismatch("decrypt: these results hold " + std::to_string(encrypted.batched.batch) +
                        " inputs each, and the model answers " + std::to_string(On::batch(*model)) + " a run");
    if (shown.sharing) shared.add(encrypted.results.size(), *shown.sharing, "the object that holds it");
    std::vector<Tensors> results;
    progress.begin("decrypting", encrypted.batched.inputs);
    for (std::size_t run = 0; run < encrypted.results.size(); ++run) {
      for (std::vector<graph::Tensor>& found :
           On::read(reader, client, encrypted.results[run], encrypted.batched.of(run), kept_of(encrypted, run, reader)))
        results.push_back(numbers_of(std::move(found)));
      progress.advance(encrypted.batched.of(run));
    }
    progress.end();
    return results;
  }

  /// The values that the client kept of the inputs of run `run`: from the question, or from this object.
  std::vector<std::vector<graph::Tensor>> kept_of(const EncryptedOn<On>& encrypted, std::size_t run,
                                                  const typename On::ResultReader& reader) const {
    if (reader.parts().kept == 0) return {};
    const base::Digest& asked = encrypted.questions.at(run);
    if (const auto found = encrypted.kept.load(); found && found->holds(asked)) return found->of(asked);
    const std::lock_guard lock(kept_mutex);
    return kept.of(asked);
  }

  std::shared_ptr<const typename On::ClientModel> model;
  typename On::ContextPtr context;
  graph::ClientParts parts;
  runtime::Binding binding;
  std::shared_ptr<const typename On::SecretKey> secret;
  typename On::Client client;
  mutable std::mutex kept_mutex;
  mutable session::KeptInputs kept;  ///< values of the inputs that this object encrypted
  mutable params::SharedCounter shared;
};

template <class On>
EncryptedTensors load_tensors(const runtime::ModelId& id, const typename On::ContextPtr& context,
                              runtime::CiphertextRole role, const runtime::Source& source) {
  const auto reader = On::open_samples(source, context, role);
  runtime::require_same_model(
      binding_of<On>(id, context), "the model", reader.head().binding, reader.name(),
      role == runtime::CiphertextRole::results ? runtime::kNameResults : runtime::kEncryptInputs);
  if (reader.head().owners)
    throw InputError(reader.name() +
                     " holds results that several owners decrypted; read them with decrypt_shared (tacit/owners.h) or "
                     "with tacit decrypt");
  const auto tensors = std::make_shared<EncryptedOn<On>>();
  tensors->role = role;
  tensors->binding = reader.head().binding;
  tensors->names = reader.head().names;
  tensors->batched = reader.batched();
  tensors->context = context;
  const bool answers = role == runtime::CiphertextRole::results;
  tensors->questions = answers ? reader.questions() : reader.digests();
  for (std::size_t i = 0; i < reader.samples(); ++i) {
    if (answers)
      tensors->results.push_back(On::read_answer(reader, i, context));
    else
      tensors->inputs.push_back(On::read_question(reader, i, context));
  }
  return Access::wrap<EncryptedTensors>(tensors);
}

/// Writes a half.
template <class Half>
void save_half(const Half& half, const runtime::Sink& sink) {
  save(half, sink);
}

template <class On>
struct ClientHalfOn final : detail::ClientHalf {
  ClientHalfOn(std::shared_ptr<const typename On::ClientModel> of, typename On::ContextPtr made_for)
      : ClientHalf(graph::client_parts_from_bytes(of->parts)), model(std::move(of)), context(std::move(made_for)) {}

  void save(const runtime::Sink& sink) const override { save_half(*model, sink); }
  Scheme scheme() const override { return On::kScheme; }
  std::string parameters() const override { return to_json(model->literal); }
  std::string id() const override { return base::hexadecimal(model->id); }
  Plan plan() const override { return On::plan(*model, context->parameters()); }
  std::shared_ptr<const detail::Owner> owner() const override {
    return std::make_shared<const OwnerOn<On>>(model, context, parts,
                                               binding_of<On>(model->id, context, runtime::new_key_set_id()),
                                               On::new_secret_key(context));
  }
  std::shared_ptr<const detail::Owner> owner(const runtime::Source& secret_key) const override {
    runtime::Provenance found;
    typename On::SecretKey secret = On::load_secret_key(secret_key, context, model->id, found);
    return std::make_shared<const OwnerOn<On>>(model, context, parts, found, std::move(secret));
  }
  ModelPublicKey load_public_key(const runtime::Source& source) const override {
    runtime::Provenance found;
    typename On::PublicKey key = On::load_public_key(source, context, model->id, found);
    return Access::wrap<ModelPublicKey>(
        std::make_shared<const InputKeyOn<On>>(model, context, parts, found, std::move(key)));
  }
  EncryptedTensors load(runtime::CiphertextRole role, const runtime::Source& source,
                        std::span<const std::byte> kept) const override {
    EncryptedTensors tensors = load_tensors<On>(model->id, context, role, source);
    const auto keep = [&](session::KeptInputs values) {
      Access::impl(tensors).kept = std::make_shared<const session::KeptInputs>(std::move(values));
    };
    const std::filesystem::path beside = session::KeptInputs::beside(source.file());
    if (!kept.empty())
      keep(session::KeptInputs::from_bytes(kept, "the kept values"));
    else if (role == runtime::CiphertextRole::inputs && !source.file().empty() && std::filesystem::exists(beside))
      keep(session::KeptInputs::load(beside));
    return tensors;
  }

  std::shared_ptr<const typename On::ClientModel> model;
  typename On::ContextPtr context;
};

template <class On>
struct EvaluationOn final : detail::Evaluation {
  EvaluationOn(const runtime::Binding& bound, typename On::Executor of) : binding(bound), executor(std::move(of)) {}

  EncryptedTensors evaluate(const EncryptedTensors& inputs, Progress& progress) override {
    runtime::require_same_keys(binding, "the evaluation keys", Access::impl(inputs).binding, "the input",
                               runtime::kEncryptInputs);
    const auto& encrypted = form_of<EncryptedOn<On>>(inputs);
    const auto results = std::make_shared<EncryptedOn<On>>();
    results->role = runtime::CiphertextRole::results;
    results->binding = encrypted.binding;
    results->names = program::names_of<typename On::Output>(executor.prepared().program());
    results->questions = encrypted.questions;
    results->batched = encrypted.batched;
    results->context = encrypted.context;
    const std::lock_guard lock(mutex);
    progress.begin("evaluating", encrypted.batched.inputs);
    for (std::size_t run = 0; run < encrypted.inputs.size(); ++run) {
      results->results.push_back(On::run(executor, encrypted.inputs[run], progress));
      progress.advance(encrypted.batched.of(run));
    }
    progress.end();
    return Access::wrap<EncryptedTensors>(results);
  }

  runtime::Binding binding;
  typename On::Executor executor;
  std::mutex mutex;
};

template <class On>
struct PreparedOn final : detail::PreparedHalf {
  PreparedOn(const runtime::Binding& of_model, std::shared_ptr<const typename On::PreparedProgram> program)
      : PreparedHalf(of_model), prepared(std::move(program)) {}

  std::shared_ptr<detail::Evaluation> evaluation(const ModelKeys& keys) const override {
    const auto& owned = form_of<KeysOn<On>>(keys);
    return std::make_shared<EvaluationOn<On>>(owned.binding, On::executor(prepared, owned.keys));
  }

  std::shared_ptr<const typename On::PreparedProgram> prepared;
};

template <class On>
struct ServerHalfOn final : detail::ServerHalf {
  ServerHalfOn(std::shared_ptr<const typename On::ServerModel> of, typename On::ContextPtr made_for)
      : model(std::move(of)), context(std::move(made_for)) {}

  void save(const runtime::Sink& sink) const override { save_half(*model, sink); }
  runtime::Binding binding() const override { return binding_of<On>(model->id, context); }
  ModelKeys load_keys(const runtime::Source& source) const override {
    runtime::Provenance found;
    typename On::Keys keys = On::load_keys(source, context, model->id, found);
    return Access::wrap<ModelKeys>(std::make_shared<const KeysOn<On>>(found, context, std::move(keys)));
  }
  EncryptedTensors load_inputs(const runtime::Source& source) const override {
    return load_tensors<On>(model->id, context, runtime::CiphertextRole::inputs, source);
  }
  std::shared_ptr<const detail::PreparedHalf> prepare(std::uint64_t memory_bytes, int clients,
                                                      std::span<const ModelKeys> held,
                                                      Progress& progress) const override {
    // The budget counts the held keys of `clients` clients.
    const std::span<const ModelKeys> counted = held.first(std::min(held.size(), static_cast<std::size_t>(clients)));
    return std::make_shared<const PreparedOn<On>>(
        binding(), On::prepare(*model, context, memory_bytes, clients, counted, progress));
  }

  std::shared_ptr<const typename On::ServerModel> model;
  typename On::ContextPtr context;
};

/// Returns both halves of a compilation, and keeps the compilation as their origin. Throws InputError unless the model
/// fits the memory that the options of compile named.
template <class On>
CompiledModel compiled_model_on(typename On::Compilation compilation, InsecureParameters insecure) {
  auto halves = session::halves_of(compilation);
  const typename On::ContextPtr context = On::context_of(compilation.model.parameters, insecure);
  return {Access::wrap<ClientModel>(std::make_shared<const ClientHalfOn<On>>(
              std::make_shared<const typename On::ClientModel>(std::move(halves.client)), context)),
          Access::wrap<ServerModel>(std::make_shared<const ServerHalfOn<On>>(
              std::make_shared<const typename On::ServerModel>(std::move(halves.server)), context)),
          On::origin(std::move(compilation))};
}

template <class On>
typename On::ContextPtr checked_context(const runtime::Source& source, const typename On::Literal& literal,
                                        InsecureParameters insecure) {
  typename On::ContextPtr context;
  runtime::parsing(source.name(), [&] { context = On::context_of(literal, insecure); });
  return context;
}

template <class On>
ClientModel load_client(const runtime::Source& source, InsecureParameters insecure) {
  auto model = std::make_shared<const typename On::ClientModel>(On::load_client_model(source));
  auto context = checked_context<On>(source, model->literal, insecure);
  return Access::wrap<ClientModel>(std::make_shared<const ClientHalfOn<On>>(std::move(model), std::move(context)));
}

template <class On>
ServerModel load_server(const runtime::Source& source, InsecureParameters insecure) {
  auto model = std::make_shared<const typename On::ServerModel>(On::load_server_model(source));
  auto context = checked_context<On>(source, model->literal, insecure);
  return Access::wrap<ServerModel>(std::make_shared<const ServerHalfOn<On>>(std::move(model), std::move(context)));
}

}  // namespace tacit
