#include "session/owner/client_half.h"

#include <fmt/format.h>

#include <mutex>
#include <optional>

#include "base/error.h"
#include "graph/owned_inputs.h"
#include "graph/serialize.h"
#include "session/output_files.h"
#include "session/owner/integers/client_on_integers.h"
#include "session/owner/kept_inputs.h"
#include "session/owner/question_parts.h"
#include "session/owner/shared_results.h"
#include "session/owner/slots/client_on_slots.h"

namespace tacit::session {
namespace {

/// Returns a client that encrypts with the key in a file. `found` receives the provenance of the key.
template <class On>
typename On::Client encrypting_client(const std::shared_ptr<const typename On::ClientModel>& model,
                                      const typename On::ContextPtr& context, const EncryptionKey& key,
                                      runtime::Provenance& found) {
  if (key.is_public)
    return On::encrypting_client(model, context, On::load_public_key(key.file, context, model->id, found));
  return On::client(
      model, context,
      std::make_shared<const typename On::SecretKey>(On::load_secret_key(key.file, context, model->id, found)));
}

template <class On>
class EncryptorOn final : public InputEncryptor {
 public:
  EncryptorOn(const std::shared_ptr<const typename On::ClientModel>& model, const graph::ClientParts& parts,
              const EncryptionKey& key, const runtime::Sink& output, const runtime::BatchedInputs& batched,
              runtime::CiphertextRole role)
      : parts_(parts),
        output_(output),
        context_(On::checked_context(model->literal)),
        client_(encrypting_client<On>(model, context_, key, of_key_)),
        file_(On::create_samples(output, context_, {role, of_key_, runtime::input_names(*model), batched})) {}

  void add(std::span<const std::vector<graph::Tensor>> samples) override {
    const auto question = On::encrypt(client_, parts_, samples, &beyond_);
    if (parts_.kept > 0) kept_.add(On::digest_of(context_, question), graph::kept_tensors(parts_, samples));
    On::add(file_, context_, question);
  }
  base::Digest finish() override {
    if (parts_.kept > 0 && !output_.file().empty()) kept_.save(KeptInputs::beside(output_.file()));
    return file_.finish();
  }
  std::vector<std::byte> kept_values() const override {
    return parts_.kept > 0 ? kept_.to_bytes() : std::vector<std::byte>();
  }
  std::vector<std::string> warnings() const override { return On::warnings(client_, beyond_); }

 private:
  const graph::ClientParts& parts_;
  runtime::Sink output_;
  KeptInputs kept_;
  typename On::Beyond beyond_;
  typename On::ContextPtr context_;
  runtime::Provenance of_key_;
  typename On::Client client_;
  typename On::SampleWriter file_;
};

/// Throws KeyMismatch where results
/// - are not of the keys,
/// - hold runs of another size than the model's,
/// - do not answer each input of the question once and in order; a request may name none.
/// `open` reads a file of questions.
template <class Open>
void require_results(const ResultRequest& request, const runtime::Provenance& of_key,
                     const runtime::SampleReader& results, std::size_t batch, const Open& open) {
  const std::string &name = request.results.name(), &question = request.question.name();
  runtime::require_same_keys(of_key, request.key.name(), results.head().binding, name, runtime::kNameResults);
  if (results.batched().batch != batch)
    throw base::KeyMismatch(
        fmt::format("{} holds results of {} inputs each, and the model answers {} a run; nothing is shown", name,
                    results.batched().batch, batch));
  if (!request.question) return;
  const runtime::SampleReader asked = open(request.question);
  // What several owners decrypted for a receiver was asked under their key.
  runtime::Binding asked_under = of_key;
  if (results.head().owners) asked_under.key_set = results.head().owners->asked_under;
  runtime::require_same_keys(asked_under, request.key.name(), asked.head().binding, question, runtime::kEncryptInputs);
  const std::vector<base::Digest> digests = asked.digests();
  runtime::require_answers({digests, asked.batched()}, question, {results.questions(), results.batched()}, name);
}

/// Returns the values that encrypt kept of the question, for a model that returns inputs unchanged. The result is empty
/// if they were neither given nor found next to the question.
std::optional<KeptInputs> kept_beside(const graph::ClientParts& parts, const ResultRequest& request) {
  if (parts.kept == 0) return KeptInputs();
  if (!request.kept.empty()) return KeptInputs::from_bytes(request.kept, "the kept values");
  const std::filesystem::path& question = request.question.file();
  if (question.empty()) return std::nullopt;
  const std::filesystem::path path = KeptInputs::beside(question);
  if (!std::filesystem::exists(path)) return std::nullopt;
  return KeptInputs::load(path);
}

template <class On>
class ResultsOn final : public ResultFile {
 public:
  ResultsOn(const std::shared_ptr<const typename On::ClientModel>& model, const graph::ClientParts& parts,
            const ResultRequest& request)
      : left_out_(graph::kept_outputs(parts)),
        context_(On::checked_context(model->literal)),
        kept_(kept_beside(parts, request)),
        reader_(kept_ ? parts : graph::without_kept(parts), request.disclosure),
        client_(On::client(model, context_,
                           std::make_shared<const typename On::SecretKey>(
                               On::load_secret_key(request.key, context_, model->id, of_key_)))),
        file_(On::open_samples(request.results, context_, runtime::CiphertextRole::results)) {
    if (kept_ || request.disclosure.labels) left_out_.clear();
    require_results(request, of_key_, file_, On::batch(*model), [&](const runtime::Source& source) {
      return On::open_samples(source, context_, runtime::CiphertextRole::inputs);
    });
    if (file_.head().owners) On::expect(client_, *file_.head().owners);
    if (!request.disclosure.sharing) return;
    On::require_shared(*model, parts, *request.disclosure.sharing);
    if (request.key.file().empty())
      base::refuse(
          "{}: results that others see are counted in a file next to the file of the key, and this key is not a file",
          request.key.name());
    count_shared_results(request.key.file(), of_key_.key_set, file_.batched().samples(), *request.disclosure.sharing);
  }

  const runtime::BatchedInputs& batched() const override { return file_.batched(); }
  const graph::ClientParts& parts() const override { return reader_.parts(); }
  std::vector<std::vector<graph::Tensor>> read(std::size_t run) const override {
    const bool shows_kept = kept_ && reader_.parts().kept > 0;
    return On::read(reader_, client_, On::read_answer(file_, run, context_), batched().of(run),
                    shows_kept ? kept_->of(file_.questions()[run]) : std::vector<std::vector<graph::Tensor>>());
  }
  std::vector<std::string> left_out() const override { return left_out_; }

 private:
  std::vector<std::string> left_out_;
  typename On::ContextPtr context_;
  runtime::Provenance of_key_;
  std::optional<KeptInputs> kept_;
  typename On::ResultReader reader_;
  typename On::Client client_;
  typename On::SampleReader file_;
};

template <class On>
class ClientHalfOn final : public ClientHalf {
 public:
  explicit ClientHalfOn(const runtime::Source& source)
      : model_(std::make_shared<const typename On::ClientModel>(On::load_client_model(source))) {}
  /// The half for the owner of some inputs, which are those of `model` and `parts`.
  ClientHalfOn(std::shared_ptr<const typename On::ClientModel> model, graph::ClientParts parts)
      : model_(std::move(model)), role_(runtime::CiphertextRole::some_inputs) {
    std::call_once(read_, [&] { parts_ = std::move(parts); });
  }

  const std::string& name() const override { return model_->name; }
  const runtime::ModelId& id() const override { return model_->id; }
  runtime::ArtefactScheme scheme() const override { return On::kArtefactScheme; }
  params::ParameterIdentity parameters() const override { return runtime::identity_of(*model_); }
  const graph::ClientParts& parts() const override {
    std::call_once(read_, [&] { parts_ = graph::client_parts_from_bytes(model_->parts); });
    return parts_;
  }
  std::size_t batch() const override { return On::batch(*model_); }

  KeyRoots generate_keys(const KeyFiles& files, const base::MemoryBudget& memory,
                         base::Progress& progress) const override {
    On::require_one_owner(*model_);
    if (files.public_key) On::require_room_for_public_key(*model_);
    On::require_memory_for_one_key(*model_, memory);
    const auto context = On::checked_context(model_->literal);
    const runtime::Binding binding{model_->id, context->parameters().hash(), runtime::new_key_set_id()};
    const auto secret = On::new_secret_key(context);
    // The secret goes last: when a file cannot be written, there is none whose keys are missing.
    WrittenFiles written;
    KeyRoots roots;
    roots.evaluation = On::make_and_save_keys(*model_, context, secret, binding, files.evaluation, progress);
    written.add(files.evaluation.file());
    if (files.public_key) {
      roots.public_key = On::save(context, On::new_public_key(context, secret), binding, *files.public_key);
      written.add(files.public_key->file());
    }
    On::save(context, secret, binding, files.secret);
    written.keep();
    return roots;
  }
  nlohmann::ordered_json describe_keys() const override { return On::describe_keys(*model_); }
  void require_memory_for_input(const base::MemoryBudget& memory) const override {
    On::require_memory_for_input(*model_, memory);
  }
  std::unique_ptr<InputEncryptor> encryptor(const EncryptionKey& key, const runtime::Sink& output,
                                            const runtime::BatchedInputs& batched) const override {
    return std::make_unique<EncryptorOn<On>>(model_, parts(), key, output, batched, role_);
  }
  std::unique_ptr<ClientHalf> only(std::span<const std::string> names) const override {
    graph::OwnedInputs owned = graph::owned_inputs(parts(), names);
    typename On::ClientModel model = *model_;
    model.interface.inputs.clear();
    for (const std::size_t i : owned.encrypted) model.interface.inputs.push_back(model_->interface.inputs.at(i));
    return std::make_unique<ClientHalfOn<On>>(std::make_shared<const typename On::ClientModel>(std::move(model)),
                                              std::move(owned.parts));
  }
  CombinedQuestion combine_questions(const std::vector<runtime::Source>& question_parts,
                                     const std::optional<runtime::KeySetId>& key_set, const runtime::Sink& sink,
                                     base::Progress& progress) const override {
    const auto context = On::checked_context(model_->literal);
    const QuestionParts<On> opened(*model_, parts(), context, question_parts, key_set);
    return opened.save(sink, progress);
  }
  std::unique_ptr<ResultFile> results(const ResultRequest& request) const override {
    return std::make_unique<ResultsOn<On>>(model_, parts(), request);
  }

 private:
  std::shared_ptr<const typename On::ClientModel> model_;
  runtime::CiphertextRole role_ = runtime::CiphertextRole::inputs;
  mutable std::once_flag read_;  ///< keys need no parts
  mutable graph::ClientParts parts_;
};

}  // namespace

std::unique_ptr<ClientHalf> load_client_half(const runtime::Source& source) {
  if (runtime::artefact_scheme(source) == runtime::ArtefactScheme::tfhe)
    return std::make_unique<ClientHalfOn<ClientOnIntegers>>(source);
  return std::make_unique<ClientHalfOn<ClientOnSlots>>(source);
}

}  // namespace tacit::session
