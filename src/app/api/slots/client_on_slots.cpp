#include <utility>

#include "app/api/memory.h"
#include "app/api/slots/model_on_slots.h"
#include "runtime/slots/client.h"
#include "runtime/slots/key_store.h"
#include "session/owner/slots/client_memory.h"
#include "session/owner/slots/encrypt_samples.h"
#include "session/owner/slots/result_reader.h"

namespace tacit {
namespace {

using SecretPtr = std::shared_ptr<const scheme::ckks::SecretKey>;

struct OwnerOnSlots final : detail::Owner {
  OwnerOnSlots(SlotsClient of, graph::ClientParts run_in_the_clear, const runtime::Binding& bound, SecretPtr key)
      : half(std::move(of)),
        parts(std::move(run_in_the_clear)),
        binding(bound),
        secret(std::move(key)),
        client(half.model, half.context, secret) {}

  void save_secret_key(const std::filesystem::path& path) const override {
    runtime::save(half.context, *secret, binding, path);
  }
  ModelKeys evaluation_keys(Progress& progress) const override;
  EncryptedTensors encrypt(std::span<const Tensors> inputs, Progress& progress) const override;
  std::vector<Tensors> decrypt(const EncryptedTensors& outputs, const Disclosure& disclosure,
                               Progress& progress) const override;

  SlotsClient half;
  graph::ClientParts parts;
  runtime::Binding binding;
  SecretPtr secret;
  runtime::Client client;
};

ModelKeys OwnerOnSlots::evaluation_keys(Progress& progress) const {
  session::require_memory_for_keys("model '" + half.model->name + "'", half.model->literal, half.model->keys,
                                   app::api::work_budget(0));
  const auto set = std::make_shared<KeysOnSlots>();
  set->binding = binding;
  set->context = half.context;
  set->keys = std::make_shared<const scheme::ckks::EvaluationKeys>(
      scheme::ckks::KeyGenerator(half.context).evaluation_keys(*secret, half.model->keys, progress));
  return Access::wrap<ModelKeys>(set);
}

EncryptedTensors OwnerOnSlots::encrypt(std::span<const Tensors> inputs, Progress& progress) const {
  session::require_memory_for_input(*half.model, app::api::work_budget(0));
  const auto tensors = std::make_shared<EncryptedOnSlots>();
  tensors->role = runtime::CiphertextRole::inputs;
  tensors->binding = binding;
  tensors->batched = {inputs.size(), static_cast<std::size_t>(half.model->interface.batch)};
  tensors->context = half.context;
  for (const program::ClientInput& input : half.model->interface.inputs) tensors->names.push_back(input.name);
  progress.begin("encrypting", inputs.size());
  for (std::size_t run = 0; run < tensors->batched.samples(); ++run) {
    std::vector<std::vector<graph::Tensor>> side_by_side;
    for (const Tensors& input : inputs.subspan(run * tensors->batched.batch, tensors->batched.of(run)))
      side_by_side.push_back(sample_of(parts.before, input, "an input"));
    tensors->samples.push_back(session::encrypt_samples(client, parts, side_by_side));
    tensors->questions.push_back(runtime::digest_of(*half.context, tensors->samples.back()));
    progress.advance(side_by_side.size());
  }
  progress.end();
  return Access::wrap<EncryptedTensors>(tensors);
}

std::vector<Tensors> OwnerOnSlots::decrypt(const EncryptedTensors& outputs, const Disclosure& disclosure,
                                           Progress& progress) const {
  runtime::require_same_keys(binding, "the client's key", Access::impl(outputs).binding, "the result");
  const auto& encrypted = form_of<EncryptedOnSlots>(outputs);
  session::Disclosure shown{.labels = disclosure.labels};
  if (disclosure.bits) shown.sharing = {*disclosure.bits, disclosure.statistical_bits, disclosure.decryptions};
  const session::ResultReader reader(parts, shown);
  if (encrypted.batched.batch != static_cast<std::size_t>(half.model->interface.batch))
    throw KeyMismatch("decrypt: these results hold " + std::to_string(encrypted.batched.batch) +
                      " inputs each, and the model answers " + std::to_string(half.model->interface.batch) + " a run");
  std::vector<Tensors> results;
  progress.begin("decrypting", encrypted.batched.inputs);
  for (std::size_t run = 0; run < encrypted.samples.size(); ++run) {
    for (std::vector<graph::Tensor>& found : reader.read(client, encrypted.samples[run], encrypted.batched.of(run)))
      results.push_back(numbers_of(std::move(found)));
    progress.advance(encrypted.batched.of(run));
  }
  progress.end();
  return results;
}

}  // namespace

std::shared_ptr<const detail::Owner> owner_on_slots(const SlotsClient& half, const graph::ClientParts& parts) {
  return std::make_shared<const OwnerOnSlots>(
      half, parts, binding_of(half.model->id, half.context, runtime::new_key_set_id()),
      std::make_shared<const scheme::ckks::SecretKey>(scheme::ckks::KeyGenerator(half.context).secret_key()));
}

std::shared_ptr<const detail::Owner> owner_on_slots(const SlotsClient& half, const graph::ClientParts& parts,
                                                    const std::filesystem::path& secret_key) {
  runtime::Provenance found;
  auto secret = std::make_shared<const scheme::ckks::SecretKey>(
      runtime::load_secret_key(secret_key, half.context, &half.model->id, found));
  return std::make_shared<const OwnerOnSlots>(half, parts, found, std::move(secret));
}

}  // namespace tacit
