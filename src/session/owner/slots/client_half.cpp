#include "session/owner/slots/client_half.h"

#include <fmt/format.h>

#include <mutex>
#include <utility>

#include "base/error.h"
#include "graph/serialize.h"
#include "runtime/slots/client.h"
#include "session/owner/slots/encrypt_samples.h"
#include "session/owner/slots/encryption_memory.h"
#include "session/owner/slots/key_generation.h"
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
    runtime::require_same_keys(of_key_, request.key.string(), file_.binding(), request.results.string());
    if (!request.question.empty()) {
      const runtime::CiphertextReader asked(request.question, client_.context(), runtime::CiphertextRole::inputs);
      runtime::require_same_keys(of_key_, request.key.string(), asked.binding(), request.question.string());
      const std::vector<base::Digest> digests = asked.digests();
      runtime::require_answers({digests, asked.batched()}, request.question.string(),
                               {file_.questions(), file_.batched()}, request.results.string());
    }
    if (file_.batched().batch != static_cast<std::size_t>(model->interface.batch))
      throw base::KeyMismatch(
          fmt::format("{} holds results of {} inputs each, and the model answers {} a run; nothing is shown",
                      request.results.string(), file_.batched().batch, model->interface.batch));
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
    return session::generate_keys(*model_, files, memory, progress);
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
