#include "runtime/slots/client.h"

#include <utility>

#include "app/api/memory.h"
#include "app/api/model_impl.h"
#include "base/wipe.h"
#include "runtime/slots/key_store.h"
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
  std::vector<std::vector<runtime::CiphertextArray>> samples;
  std::vector<base::Digest> questions;
  progress.begin("encrypting", inputs.size());
  for (const Tensors& input : inputs) {
    std::vector<std::vector<double>> tensors;
    const base::WipedAtExit wiped(tensors);
    for (graph::Tensor& tensor : graph::run_before(half.parts, sample_of(half.parts.before, input, "an input")))
      tensors.push_back(std::move(tensor.data));
    samples.push_back(impl_->client.encrypt(tensors));
    questions.push_back(runtime::digest_of(*half.context, samples.back()));
    progress.advance();
  }
  progress.end();
  std::vector<std::string> names;
  for (const program::ClientInput& input : half.model->interface.inputs) names.push_back(input.name);
  return Access::make<EncryptedTensors>(half.context, runtime::CiphertextRole::inputs, impl_->binding, std::move(names),
                                        std::move(samples), std::move(questions));
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
  std::vector<Tensors> results;
  progress.begin("decrypting", encrypted.samples.size());
  for (const auto& sample : encrypted.samples) {
    Tensors& tensors = results.emplace_back();
    for (graph::Tensor& output : reader.read(impl_->client, sample)) tensors.push_back(std::move(output.data));
    progress.advance();
  }
  progress.end();
  return results;
}

}  // namespace tacit
