#include <utility>

#include "app/api/integers/model_on_integers.h"
#include "app/api/memory.h"
#include "runtime/integers/integer_client.h"
#include "runtime/integers/integer_files.h"
#include "runtime/integers/prepared_integers.h"
#include "session/owner/integers/encrypt_sample.h"
#include "session/owner/integers/result_reader.h"

namespace tacit {
namespace {

using scheme::tfhe::SecretKey;

struct OwnerOnIntegers final : detail::Owner {
  OwnerOnIntegers(IntegersClient of, graph::ClientParts run_in_the_clear, const runtime::Binding& bound,
                  const SecretKey& key)
      : half(std::move(of)),
        parts(std::move(run_in_the_clear)),
        binding(bound),
        secret(key),
        client(half.model->interface, half.context, secret) {}

  void save_secret_key(const std::filesystem::path& path) const override {
    runtime::save(*half.context, secret, binding, path);
  }
  ModelKeys evaluation_keys(Progress& progress) const override;
  EncryptedTensors encrypt(std::span<const Tensors> inputs, Progress& progress) const override;
  std::vector<Tensors> decrypt(const EncryptedTensors& outputs, const Disclosure& disclosure,
                               Progress& progress) const override;

  IntegersClient half;
  graph::ClientParts parts;
  runtime::Binding binding;
  SecretKey secret;
  runtime::IntegerClient client;
};

ModelKeys OwnerOnIntegers::evaluation_keys(Progress& progress) const {
  app::api::work_budget(0).require("the keys of model '" + half.model->name + "' need",
                                   runtime::key_bytes(half.context->parameters()));
  const auto set = std::make_shared<KeysOnIntegers>();
  set->binding = binding;
  set->context = half.context;
  set->keys = std::make_shared<const scheme::tfhe::SeededEvaluationKeys>(
      scheme::tfhe::SeededEvaluationKeys::generate(*half.context, secret, progress));
  return Access::wrap<ModelKeys>(set);
}

EncryptedTensors OwnerOnIntegers::encrypt(std::span<const Tensors> inputs, Progress& progress) const {
  const auto tensors = std::make_shared<EncryptedOnIntegers>();
  tensors->role = runtime::CiphertextRole::inputs;
  tensors->binding = binding;
  tensors->batched = {inputs.size(), 1};
  tensors->context = half.context;
  for (const integers::ClientInput& input : half.model->interface.inputs) tensors->names.push_back(input.name);
  progress.begin("encrypting", inputs.size());
  for (const Tensors& input : inputs) {
    tensors->inputs.push_back(session::encrypt_sample(client, parts, sample_of(parts.before, input, "an input")));
    tensors->questions.push_back(runtime::digest_of(*half.context, tensors->inputs.back()));
    progress.advance();
  }
  progress.end();
  return Access::wrap<EncryptedTensors>(tensors);
}

std::vector<Tensors> OwnerOnIntegers::decrypt(const EncryptedTensors& outputs, const Disclosure& disclosure,
                                              Progress& progress) const {
  runtime::require_same_keys(binding, "the client's key", Access::impl(outputs).binding, "the result");
  const auto& encrypted = form_of<EncryptedOnIntegers>(outputs);
  session::Disclosure shown{.labels = disclosure.labels};
  if (disclosure.bits) shown.sharing = {*disclosure.bits, disclosure.statistical_bits, disclosure.decryptions};
  const session::IntegerResultReader reader(parts, shown);
  std::vector<Tensors> results;
  progress.begin("decrypting", encrypted.results.size());
  for (const auto& answer : encrypted.results) {
    results.push_back(numbers_of(reader.read(client, answer)));
    progress.advance();
  }
  progress.end();
  return results;
}

}  // namespace

std::shared_ptr<const detail::Owner> owner_on_integers(const IntegersClient& half, const graph::ClientParts& parts) {
  return std::make_shared<const OwnerOnIntegers>(half, parts,
                                                 binding_of(half.model->id, half.context, runtime::new_key_set_id()),
                                                 SecretKey::generate(*half.context));
}

std::shared_ptr<const detail::Owner> owner_on_integers(const IntegersClient& half, const graph::ClientParts& parts,
                                                       const std::filesystem::path& secret_key) {
  runtime::Provenance found;
  const SecretKey secret = runtime::load_tfhe_secret_key(secret_key, *half.context, &half.model->id, found);
  return std::make_shared<const OwnerOnIntegers>(half, parts, found, secret);
}

}  // namespace tacit
