#include "app/api/bytes.h"
#include "app/api/model_impl.h"

namespace tacit {

Client::Client(const ClientModel& model) : Handle(Access::impl(model).owner()) {}

Client::Client(const ClientModel& model, const Source& secret_key)
    : Handle(Access::impl(model).owner(open(secret_key))) {}

void Client::save_secret_key(const Sink& sink) const {
  require_new(sink);
  impl_->save_secret_key(open(sink));
}

ModelKeys Client::evaluation_keys(Progress& progress) const { return impl_->evaluation_keys(progress); }

ModelPublicKey Client::public_key() const { return impl_->public_key(); }

void ModelPublicKey::save(const Sink& sink) const { impl_->save(open(sink)); }

ModelPublicKey ModelPublicKey::load(const ClientModel& model, const Source& source) {
  return Access::impl(model).load_public_key(open(source));
}

EncryptedTensors ModelPublicKey::encrypt(const Tensors& inputs) const { return encrypt_all({&inputs, 1}); }

EncryptedTensors ModelPublicKey::encrypt_all(std::span<const Tensors> inputs, Progress& progress) const {
  return impl_->encrypt(inputs, progress);
}

EncryptedTensors Client::encrypt(const Tensors& inputs) const { return encrypt_all({&inputs, 1}); }

EncryptedTensors Client::encrypt_all(std::span<const Tensors> inputs, Progress& progress) const {
  return impl_->encrypt(inputs, progress);
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
  runtime::require_role(runtime::CiphertextRole::results, Access::impl(outputs).role, "the argument of decrypt");
  return impl_->decrypt(outputs, disclosure, progress);
}

}  // namespace tacit
