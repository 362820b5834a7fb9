#include <utility>

#include "app/api/bytes.h"
#include "app/api/slots/ckks_impl.h"
#include "runtime/artefact.h"
#include "runtime/slots/ciphertext_file.h"
#include "runtime/slots/key_store.h"

namespace tacit::ckks {
namespace {

/// Keys and ciphertexts that were made without a model belong to the model of no bytes.
runtime::Binding binding(const inner::ContextPtr& context, const runtime::KeySetId& key_set) {
  return {.model = {}, .parameters = context->parameters().hash(), .key_set = key_set};
}

const char* const kCiphertextName = "ciphertext";

}  // namespace

void SecretKey::save(const Sink& sink) const {
  runtime::save(impl_->context, impl_->value, binding(impl_->context, impl_->key_set), open(sink));
}

SecretKey SecretKey::load(const Context& context, const Source& source) {
  runtime::Provenance found;
  auto key = runtime::load_secret_key(open(source), context_of(context), nullptr, found);
  return Access::make<SecretKey>(context_of(context), std::move(key), found.key_set);
}

void PublicKey::save(const Sink& sink) const {
  runtime::save(impl_->context, impl_->value, binding(impl_->context, impl_->key_set), open(sink));
}

PublicKey PublicKey::load(const Context& context, const Source& source) {
  runtime::Provenance found;
  auto key = runtime::load_public_key(open(source), context_of(context), nullptr, found);
  return Access::make<PublicKey>(context_of(context), std::move(key), found.key_set);
}

void EvaluationKeys::save(const Sink& sink) const {
  runtime::save(impl_->context, *impl_->value, binding(impl_->context, impl_->key_set), open(sink));
}

EvaluationKeys EvaluationKeys::load(const Context& context, const Source& source) {
  runtime::Provenance found;
  auto keys = std::make_shared<const inner::EvaluationKeys>(
      runtime::load_evaluation_keys(open(source), context_of(context), nullptr, found));
  return Access::make<EvaluationKeys>(context_of(context), std::move(keys), found.key_set);
}

void Ciphertext::save(const Sink& sink) const {
  const std::vector<runtime::CiphertextArray> sample{{impl_->value}};
  runtime::save_sample(impl_->context,
                       {runtime::CiphertextRole::vectors, binding(impl_->context, impl_->key_set), {kCiphertextName}},
                       sample, open(sink));
}

Ciphertext Ciphertext::load(const Context& context, const Source& source) {
  runtime::CiphertextReader reader(open(source), context_of(context), runtime::CiphertextRole::vectors);
  std::vector<runtime::CiphertextArray> sample;
  if (reader.samples() == 1) sample = reader.read(0);
  if (sample.size() != 1 || sample.front().size() != 1)
    throw InputError(open(source).name() +
                     ": holds more or less than one ciphertext; it was not written by Ciphertext::save");
  return Access::make<Ciphertext>(context_of(context), std::move(sample.front().front()), reader.binding().key_set);
}

}  // namespace tacit::ckks
