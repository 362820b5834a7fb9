#include "session/owner/client_half.h"

#include <utility>

#include "base/error.h"
#include "graph/serialize.h"
#include "runtime/integers/compiled_integers.h"
#include "runtime/integers/integer_client.h"
#include "runtime/integers/integer_files.h"
#include "runtime/integers/prepared_integers.h"
#include "session/output_files.h"
#include "session/owner/integers/encrypt_sample.h"
#include "session/owner/integers/result_reader.h"

namespace tacit::session {
namespace {

using runtime::IntegerClientModel;
using scheme::tfhe::ContextPtr;

runtime::IntegerClient client_with_key(const IntegerClientModel& model, const ContextPtr& context,
                                       const std::filesystem::path& key, runtime::Provenance& found) {
  return {model.interface, context, runtime::load_tfhe_secret_key(key, *context, &model.id, found)};
}

std::vector<std::string> input_names(const IntegerClientModel& model) {
  std::vector<std::string> names;
  for (const integers::ClientInput& input : model.interface.inputs) names.push_back(input.name);
  return names;
}

class EncryptorOnIntegers final : public InputEncryptor {
 public:
  EncryptorOnIntegers(const IntegerClientModel& model, const graph::ClientParts& parts, ContextPtr context,
                      const std::filesystem::path& key, const std::filesystem::path& output,
                      const runtime::BatchedInputs& batched)
      : parts_(parts),
        context_(std::move(context)),
        client_(client_with_key(model, context_, key, of_key_)),
        file_(output, runtime::ArtefactScheme::tfhe,
              {runtime::CiphertextRole::inputs, of_key_, input_names(model), batched}) {}

  void add(std::span<const std::vector<graph::Tensor>> samples) override {
    for (const std::vector<graph::Tensor>& sample : samples) {
      const auto tensors = encrypt_sample(client_, parts_, sample, &beyond_);
      file_.add(runtime::pieces_of(*context_, std::span<const scheme::tfhe::SeededLweCiphertexts>(tensors)));
    }
  }
  base::Digest finish() override { return file_.finish(); }
  std::vector<std::string> warnings() const override { return beyond_.sentences(client_.interface()); }

 private:
  const graph::ClientParts& parts_;
  BeyondGrids beyond_;
  ContextPtr context_;
  runtime::Provenance of_key_;
  runtime::IntegerClient client_;
  runtime::SampleWriter file_;
};

class ResultsOnIntegers final : public ResultFile {
 public:
  ResultsOnIntegers(const IntegerClientModel& model, const graph::ClientParts& parts, ContextPtr context,
                    const ResultRequest& request)
      : context_(std::move(context)),
        reader_(parts, request.disclosure),
        client_(client_with_key(model, context_, request.key, of_key_)),
        file_(runtime::open_samples(request.results, *context_, runtime::CiphertextRole::results)) {
    require_results(request, of_key_, file_, 1, [&](const auto& path, runtime::CiphertextRole role) {
      return runtime::open_samples(path, *context_, role);
    });
  }

  const runtime::BatchedInputs& batched() const override { return file_.batched(); }
  const graph::ClientParts& parts() const override { return reader_.parts(); }
  std::vector<std::vector<graph::Tensor>> read(std::size_t run) const override {
    return {reader_.read(client_, runtime::read_results(file_, run, *context_))};
  }

 private:
  ContextPtr context_;
  IntegerResultReader reader_;
  runtime::Provenance of_key_;
  runtime::IntegerClient client_;
  runtime::SampleReader file_;
};

class HalfOnIntegers final : public ClientHalf {
 public:
  explicit HalfOnIntegers(const std::filesystem::path& path)
      : model_(runtime::load_integer_client_model(path)),
        context_(scheme::tfhe::Context::make(params::TfheParameters::check(model_.literal))),
        parts_(graph::client_parts_from_bytes(model_.parts)) {}

  const std::string& name() const override { return model_.name; }
  params::ParameterIdentity parameters() const override { return context_->parameters().identity(); }
  const graph::ClientParts& parts() const override { return parts_; }
  std::int64_t batch() const override { return 1; }

  KeyRoots generate_keys(const KeyFiles& files, const base::MemoryBudget& memory,
                         base::Progress& progress) const override {
    if (!files.public_key.empty())
      throw base::InputError("keys of integers (TFHE) have no public one; encrypt with the secret key");
    memory.require("the keys of model '" + model_.name + "' need", runtime::key_bytes(context_->parameters()));
    const runtime::Binding binding{model_.id, context_->parameters().hash(), runtime::new_key_set_id()};
    const auto secret = scheme::tfhe::SecretKey::generate(*context_);
    const auto keys = scheme::tfhe::SeededEvaluationKeys::generate(*context_, secret, progress);
    // The secret goes last: when a file cannot be written, there is none whose keys are missing.
    WrittenFiles written;
    KeyRoots roots;
    roots.evaluation = runtime::save(*context_, keys, binding, files.evaluation);
    written.add(files.evaluation);
    runtime::save(*context_, secret, binding, files.secret);
    written.keep();
    return roots;
  }
  nlohmann::ordered_json describe_keys() const override {
    return {{"bootstrap_key_bytes", context_->parameters().bootstrap_key_bytes()},
            {"key_switch_key_bytes", context_->parameters().key_switch_key_bytes()}};
  }
  void require_memory_for_input(const base::MemoryBudget& memory) const override {
    double ciphertexts = 0;
    for (const integers::ClientInput& input : model_.interface.inputs)
      ciphertexts += static_cast<double>(layout::element_count(input.shape));
    memory.require("an input of model '" + model_.name + "' needs",
                   ciphertexts * context_->parameters().ciphertext_bytes());
  }
  std::unique_ptr<InputEncryptor> encryptor(const std::filesystem::path& key, const std::filesystem::path& output,
                                            const runtime::BatchedInputs& batched) const override {
    return std::make_unique<EncryptorOnIntegers>(model_, parts_, context_, key, output, batched);
  }
  std::unique_ptr<ResultFile> results(const ResultRequest& request) const override {
    return std::make_unique<ResultsOnIntegers>(model_, parts_, context_, request);
  }

 private:
  IntegerClientModel model_;
  ContextPtr context_;
  graph::ClientParts parts_;
};

}  // namespace

std::unique_ptr<ClientHalf> load_client_half_on_integers(const std::filesystem::path& path) {
  return std::make_unique<HalfOnIntegers>(path);
}

}  // namespace tacit::session
