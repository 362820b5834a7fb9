#include "app/api/bytes.h"
#include "app/api/integers/tfhe_impl.h"
#include "app/api/memory.h"
#include "runtime/integers/integer_files.h"
#include "runtime/integers/prepared_integers.h"

namespace tacit::tfhe {
namespace {

/// Keys and ciphertexts that were made without a model belong to the model of no bytes.
runtime::Binding binding(const inner::ContextPtr& context, const runtime::KeySetId& key_set) {
  return {.model = {}, .parameters = context->parameters().hash(), .key_set = key_set};
}

void require_own(const runtime::KeySetId& key_set, const Ciphertexts& ciphertexts, const char* what) {
  if (Access::impl(ciphertexts).key_set != key_set)
    throw KeyMismatch(std::string(what) + ": the ciphertexts are under another secret key");
}

}  // namespace

SecretKey::SecretKey(const Parameters& parameters)
    : Handle([&] {
        const inner::ContextPtr& context = context_of(parameters);
        return std::make_shared<const Impl>(
            Impl{context, runtime::new_key_set_id(), inner::SecretKey::generate(*context)});
      }()) {}

void SecretKey::save(const Sink& sink) const {
  require_new(sink);
  runtime::save(*impl_->context, impl_->value, binding(impl_->context, impl_->key_set), open(sink));
}

SecretKey SecretKey::load(const Parameters& parameters, const Source& source) {
  const inner::ContextPtr& context = context_of(parameters);
  runtime::Provenance found;
  auto key = runtime::load_tfhe_secret_key(open(source), *context, nullptr, found);
  return Access::make<SecretKey>(context, found.key_set, std::move(key));
}

EvaluationKeys SecretKey::evaluation_keys(Progress& progress) const {
  const inner::Context& context = *impl_->context;
  app::api::work_budget(0).require("the keys of the parameter set '" + context.parameters().literal().name + "' need",
                                   runtime::key_bytes(context.parameters()));
  auto keys = std::make_shared<const inner::SeededEvaluationKeys>(
      inner::SeededEvaluationKeys::generate(context, impl_->value, progress));
  return Access::make<EvaluationKeys>(impl_->context, impl_->key_set, std::move(keys));
}

void EvaluationKeys::save(const Sink& sink) const {
  runtime::save(*impl_->context, *impl_->value, binding(impl_->context, impl_->key_set), open(sink));
}

EvaluationKeys EvaluationKeys::load(const Parameters& parameters, const Source& source) {
  const inner::ContextPtr& context = context_of(parameters);
  runtime::Provenance found;
  auto keys = std::make_shared<const inner::SeededEvaluationKeys>(
      runtime::load_tfhe_evaluation_keys(open(source), *context, nullptr, found));
  return Access::make<EvaluationKeys>(context, found.key_set, std::move(keys));
}

Ciphertexts SecretKey::encrypt(std::span<const std::int64_t> integers) const {
  const int bits = impl_->context->parameters().bits();
  std::vector<inner::Torus> messages;
  for (std::size_t i = 0; i < integers.size(); ++i) {
    if (integers[i] < 0 || integers[i] >= std::int64_t{1} << bits)
      throw InputError("encrypt: integer " + std::to_string(i) + " is outside 0 to " +
                       std::to_string((std::int64_t{1} << bits) - 1));
    messages.push_back(inner::encode(integers[i], bits));
  }
  return fresh_ciphertexts(impl_->context, impl_->key_set,
                           std::make_shared<const inner::FreshLweCiphertexts>(
                               inner::Encryptor(impl_->context, impl_->value).encrypt_seeded(messages)));
}

std::vector<std::int64_t> SecretKey::decrypt(const Ciphertexts& ciphertexts) const {
  require_own(impl_->key_set, ciphertexts, "decrypt");
  const IntegerBatch& encrypted = Access::impl(ciphertexts);
  require_quiet(encrypted, true, "decrypt");
  const std::vector<std::uint64_t> found = inner::Decryptor(impl_->context, impl_->value).decrypt(encrypted.values);
  return {found.begin(), found.end()};
}

}  // namespace tacit::tfhe
