#include "session/owner/client_half.h"

#include <mutex>

#include "base/error.h"
#include "graph/serialize.h"
#include "runtime/slots/client.h"
#include "runtime/slots/key_store.h"
#include "session/output_files.h"
#include "session/owner/slots/client_memory.h"
#include "session/owner/slots/encrypt_samples.h"
#include "session/owner/slots/result_reader.h"

namespace tacit::session {
namespace {

using ModelPtr = std::shared_ptr<const runtime::ClientModel>;

std::vector<std::string> input_names(const runtime::ClientModel& model) {
  std::vector<std::string> names;
  for (const program::ClientInput& input : model.interface.inputs) names.push_back(input.name);
  return names;
}

class EncryptorOnSlots final : public InputEncryptor {
 public:
  EncryptorOnSlots(const ModelPtr& model, const graph::ClientParts& parts, const std::filesystem::path& key,
                   const std::filesystem::path& output, const runtime::BatchedInputs& batched)
      : parts_(parts),
        client_(runtime::Client::with_key(model, key, false, of_key_)),
        file_(output, client_.context(), runtime::CiphertextRole::inputs, of_key_, input_names(*model), batched) {}

  void add(std::span<const std::vector<graph::Tensor>> samples) override {
    file_.add(encrypt_samples(client_, parts_, samples));
  }
  base::Digest finish() override { return file_.finish(); }

 private:
  const graph::ClientParts& parts_;
  runtime::Provenance of_key_;
  runtime::Client client_;
  runtime::CiphertextWriter file_;
};

class ResultsOnSlots final : public ResultFile {
 public:
  ResultsOnSlots(const ModelPtr& model, const graph::ClientParts& parts, const ResultRequest& request)
      : client_(runtime::Client::with_key(model, request.key, true, of_key_)),
        file_(request.results, client_.context(), runtime::CiphertextRole::results),
        reader_(parts, request.disclosure) {
    require_results(request, of_key_, file_, model->interface.batch,
                    [&](const auto& path, runtime::CiphertextRole role) {
                      return runtime::CiphertextReader(path, client_.context(), role);
                    });
  }

  const runtime::BatchedInputs& batched() const override { return file_.batched(); }
  const graph::ClientParts& parts() const override { return reader_.parts(); }
  std::vector<std::vector<graph::Tensor>> read(std::size_t run) const override {
    return reader_.read(client_, file_.read(run), batched().of(run));
  }

 private:
  runtime::Provenance of_key_;
  runtime::Client client_;
  runtime::CiphertextReader file_;
  ResultReader reader_;
};

class HalfOnSlots final : public ClientHalf {
 public:
  explicit HalfOnSlots(const std::filesystem::path& path)
      : model_(std::make_shared<const runtime::ClientModel>(runtime::load_client_model(path))) {}

  const std::string& name() const override { return model_->name; }
  params::ParameterIdentity parameters() const override { return runtime::identity_of(*model_); }
  const graph::ClientParts& parts() const override {
    std::call_once(read_, [&] { parts_ = graph::client_parts_from_bytes(model_->parts); });
    return parts_;
  }
  std::int64_t batch() const override { return model_->interface.batch; }
  KeyRoots generate_keys(const KeyFiles& files, const base::MemoryBudget& memory,
                         base::Progress& progress) const override {
    require_memory_for_keys("model '" + model_->name + "'", model_->literal, model_->keys, memory);
    const auto context = scheme::ckks::Context::make(params::CkksParameters::check(model_->literal));
    const runtime::Binding binding{model_->id, context->parameters().hash(), runtime::new_key_set_id()};
    const scheme::ckks::KeyGenerator generator(context);
    const scheme::ckks::SecretKey secret = generator.secret_key();
    // The secret goes last: when a file cannot be written, there is none whose keys are missing.
    WrittenFiles written;
    KeyRoots roots;
    roots.evaluation =
        runtime::save(context, generator.evaluation_keys(secret, model_->keys, progress), binding, files.evaluation);
    written.add(files.evaluation);
    if (!files.public_key.empty()) {
      roots.public_key = runtime::save(context, generator.public_key(secret), binding, files.public_key);
      written.add(files.public_key);
    }
    runtime::save(context, secret, binding, files.secret);
    written.keep();
    return roots;
  }
  nlohmann::ordered_json describe_keys() const override { return {{"rotation_keys", model_->keys.rotations.size()}}; }
  void require_memory_for_input(const base::MemoryBudget& memory) const override {
    session::require_memory_for_input(*model_, memory);
  }
  std::unique_ptr<InputEncryptor> encryptor(const std::filesystem::path& key, const std::filesystem::path& output,
                                            const runtime::BatchedInputs& batched) const override {
    return std::make_unique<EncryptorOnSlots>(model_, parts(), key, output, batched);
  }
  std::unique_ptr<ResultFile> results(const ResultRequest& request) const override {
    return std::make_unique<ResultsOnSlots>(model_, parts(), request);
  }

 private:
  ModelPtr model_;
  mutable std::once_flag read_;  ///< keys need no parts
  mutable graph::ClientParts parts_;
};

}  // namespace

std::unique_ptr<ClientHalf> load_client_half_on_slots(const std::filesystem::path& path) {
  return std::make_unique<HalfOnSlots>(path);
}

}  // namespace tacit::session
