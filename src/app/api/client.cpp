#include "runtime/slots/client.h"

#include <utility>

#include "app/api/memory.h"
#include "app/api/model_impl.h"
#include "runtime/slots/key_store.h"
#include "session/owner/slots/encrypt_samples.h"
#include "session/owner/slots/encryption_memory.h"
#include "session/owner/slots/key_generation.h"
#include "session/owner/slots/result_reader.h"

namespace tacit {

struct Client::Impl {
  ClientModel half;
  runtime::Binding binding;
  std::shared_ptr<const scheme::ckks::SecretKey> secret;
  runtime::Client client;
};

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
        runtime::Provenance found;
        auto secret = std::make_shared<const scheme::ckks::SecretKey>(
            runtime::load_secret_key(secret_key, half.context, &half.model->id, found));
        return std::make_shared<const Impl>(
            Impl{model, found, secret, runtime::Client(half.model, half.context, secret)});
      }()) {}

void Client::save_secret_key(const std::filesystem::path& path) const {
  if (std::filesystem::exists(path))
    throw InputError(path.string() + " exists, and data encrypted under a lost key is lost; choose another name");
  runtime::save(Access::impl(impl_->half).context, *impl_->secret, impl_->binding, path);
}

ModelKeys Client::evaluation_keys(Progress& progress) const {
  const auto& half = Access::impl(impl_->half);
  session::require_memory_for_keys("model '" + half.model->name + "'", half.model->literal, half.model->keys,
                                   app::api::work_budget(0));
  auto keys = std::make_shared<const scheme::ckks::EvaluationKeys>(
      scheme::ckks::KeyGenerator(half.context).evaluation_keys(*impl_->secret, half.model->keys, progress));
  return Access::make<ModelKeys>(half.context, impl_->binding, std::move(keys));
}

EncryptedTensors Client::encrypt(const Tensors& inputs) const { return encrypt_all({&inputs, 1}); }

EncryptedTensors Client::encrypt_all(std::span<const Tensors> inputs, Progress& progress) const {
  const auto& half = Access::impl(impl_->half);
  session::require_memory_for_input(*half.model, app::api::work_budget(0));
  const runtime::BatchedInputs batched{inputs.size(), static_cast<std::size_t>(half.model->interface.batch)};
  std::vector<std::vector<runtime::CiphertextArray>> samples;
  std::vector<base::Digest> questions;
  progress.begin("encrypting", inputs.size());
  for (std::size_t run = 0; run < batched.samples(); ++run) {
    std::vector<std::vector<graph::Tensor>> side_by_side;
    for (const Tensors& input : inputs.subspan(run * batched.batch, batched.of(run)))
      side_by_side.push_back(sample_of(half.parts.before, input, "an input"));
    samples.push_back(session::encrypt_samples(impl_->client, half.parts, side_by_side));
    questions.push_back(runtime::digest_of(*half.context, samples.back()));
    progress.advance(side_by_side.size());
  }
  progress.end();
  std::vector<std::string> names;
  for (const program::ClientInput& input : half.model->interface.inputs) names.push_back(input.name);
  return Access::make<EncryptedTensors>(half.context, runtime::CiphertextRole::inputs, impl_->binding, std::move(names),
                                        std::move(samples), std::move(questions), batched);
}

Tensors Client::decrypt(const EncryptedTensors& outputs) const {
  if (outputs.size() != 1)
    throw InputError("decrypt: these are the results of " + std::to_string(outputs.size()) +
                     " inputs; decrypt_all returns those of each");
  return std::move(decrypt_all(outputs).front());
}

std::vector<Tensors> Client::decrypt_all(const EncryptedTensors& outputs, Progress& progress) const {
  return decrypt_all(outputs, Disclosure{}, progress);
}

std::vector<Tensors> Client::decrypt_all(const EncryptedTensors& outputs, const Disclosure& disclosure,
                                         Progress& progress) const {
  const auto& encrypted = Access::impl(outputs);
  runtime::require_role(runtime::CiphertextRole::results, encrypted.role, "the argument of decrypt");
  runtime::require_same_keys(impl_->binding, "the client's key", encrypted.binding, "the result");
  session::Disclosure shown{.labels = disclosure.labels};
  if (disclosure.bits) shown.sharing = {*disclosure.bits, disclosure.statistical_bits, disclosure.decryptions};
  const session::ResultReader reader(Access::impl(impl_->half).parts, shown);
  if (encrypted.batched.batch != static_cast<std::size_t>(impl_->client.model().interface.batch))
    throw KeyMismatch("decrypt: these results hold " + std::to_string(encrypted.batched.batch) +
                      " inputs each, and the model answers " + std::to_string(impl_->client.model().interface.batch) +
                      " a run");
  std::vector<Tensors> results;
  progress.begin("decrypting", encrypted.batched.inputs);
  for (std::size_t run = 0; run < encrypted.samples.size(); ++run) {
    for (std::vector<graph::Tensor>& found :
         reader.read(impl_->client, encrypted.samples[run], encrypted.batched.of(run))) {
      Tensors& tensors = results.emplace_back();
      for (graph::Tensor& output : found) tensors.push_back(std::move(output.data));
    }
    progress.advance(encrypted.batched.of(run));
  }
  progress.end();
  return results;
}

}  // namespace tacit
