#include <algorithm>
#include <cmath>
#include <utility>

#include "app/api/slots/ckks_impl.h"
#include "base/error.h"
#include "base/wipe.h"
#include "params/noise.h"
#include "params/shared_tally.h"

namespace tacit::ckks {
namespace {

std::vector<double> real_parts(const std::vector<std::complex<double>>& values) {
  std::vector<double> real(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) real[i] = values[i].real();
  return real;
}

template <class Number>
Plaintext encode_at(const Context& context, std::span<const Number> values, std::optional<int> level,
                    std::optional<double> scale) {
  const Parameters& parameters = context.parameters();
  return Access::make<Plaintext>(
      inner::Encoder(context_of(context))
          .encode(values, level.value_or(parameters.max_level()), scale.value_or(parameters.scale())));
}

}  // namespace

int Plaintext::level() const { return impl_->value.level; }
double Plaintext::scale() const { return impl_->value.scale; }

int Ciphertext::level() const { return impl_->value.level; }
double Ciphertext::scale() const { return impl_->value.scale; }

Encoder::Encoder(Context context) : context_(std::move(context)) {}

Plaintext Encoder::encode(std::span<const double> values, std::optional<int> level, std::optional<double> scale) const {
  return encode_at(context_, values, level, scale);
}

Plaintext Encoder::encode(std::span<const std::complex<double>> values, std::optional<int> level,
                          std::optional<double> scale) const {
  return encode_at(context_, values, level, scale);
}

std::vector<double> Encoder::decode(const Plaintext& plaintext) const { return real_parts(decode_complex(plaintext)); }

std::vector<std::complex<double>> Encoder::decode_complex(const Plaintext& plaintext) const {
  return inner::Encoder(context_of(context_)).decode(Access::impl(plaintext).value);
}

/// What works under one key.
template <class Worker>
struct UnderKey {
  Context context;
  Worker value;
  runtime::KeySetId key_set;

  template <class Key>
  UnderKey(const Context& of, const Key& key)
      : context(of), value(context_of(of), Access::impl(key).value), key_set(Access::impl(key).key_set) {}
};
struct EncryptorImpl : UnderKey<inner::Encryptor> {
  using UnderKey::UnderKey;
};
struct DecryptorImpl : UnderKey<inner::Decryptor> {
  using UnderKey::UnderKey;
  mutable params::SharedCounter shared;  ///< vectors so far
};

Encryptor::Encryptor(const Context& context, const PublicKey& key)
    : Handle(std::make_shared<const Impl>(context, key)) {}
Encryptor::Encryptor(const Context& context, const SecretKey& key)
    : Handle(std::make_shared<const Impl>(context, key)) {}
Decryptor::Decryptor(const Context& context, const SecretKey& key)
    : Handle(std::make_shared<const Impl>(context, key)) {}

Ciphertext Encryptor::encrypt(const Plaintext& plaintext) const {
  return Access::make<Ciphertext>(context_of(impl_->context), impl_->value.encrypt(Access::impl(plaintext).value),
                                  impl_->key_set);
}

Ciphertext Encryptor::encrypt(std::span<const double> values) const {
  const Parameters& parameters = impl_->context.parameters();
  inner::Plaintext plaintext =
      inner::Encoder(context_of(impl_->context)).encode(values, parameters.max_level(), parameters.scale());
  inner::Ciphertext ciphertext = impl_->value.encrypt(plaintext);
  plaintext.poly.wipe();
  return Access::make<Ciphertext>(context_of(impl_->context), std::move(ciphertext), impl_->key_set);
}

std::vector<double> Decryptor::decrypt(const Ciphertext& ciphertext) const {
  check_key_set(impl_->key_set, Access::impl(ciphertext).key_set, "decrypt");
  std::vector<std::complex<double>> values = impl_->value.decrypt(Access::impl(ciphertext).value);
  const base::WipedAtExit wiped(values);
  return real_parts(values);
}

std::vector<std::complex<double>> Decryptor::decrypt_complex(const Ciphertext& ciphertext, double deviation) const {
  check_key_set(impl_->key_set, Access::impl(ciphertext).key_set, "decrypt");
  const inner::Ciphertext& value = Access::impl(ciphertext).value;
  const double least = params::symmetric_encryption_noise(context_of(impl_->context)->parameters(), value.scale);
  if (!(deviation >= least && std::isfinite(deviation)))
    base::refuse("decrypt: noise of deviation {:.3g} is not enough to add; a fresh ciphertext of this scale has {:.3g}",
                 deviation, least);
  return impl_->value.decrypt(value, deviation);
}

std::vector<double> Decryptor::decrypt_for_sharing(const Ciphertext& ciphertext, int bits,
                                                   const Sharing& sharing) const {
  const params::Sharing promise{bits, sharing.statistical_bits, sharing.decryptions};
  params::check(promise);
  if (sharing.noise < 0 || !std::isfinite(sharing.noise))
    throw InputError("decrypt: the noise of a ciphertext is no negative number");
  if (sharing.noise == 0 && context_of(impl_->context)->parameters().real_slots())
    throw InputError("decrypt: real slots do not show the noise of a ciphertext; state it as Sharing::noise");
  check_key_set(impl_->key_set, Access::impl(ciphertext).key_set, "decrypt");
  const inner::Ciphertext& value = Access::impl(ciphertext).value;
  const double noise = std::max(sharing.noise, impl_->value.estimated_noise(value));
  const double flooded = params::flooding_deviation(noise, promise);
  if (const int most = params::most_shared_bits(flooded); bits > most)
    base::refuse(
        "decrypt: {} bits behind the binary point cannot be shared, {} can: noise of 2^{:.1f} is hidden by a flood of "
        "2^{:.1f}; ask for fewer bits, or compute at a larger scale",
        bits, most, std::log2(noise), std::log2(flooded));
  impl_->shared.add(1, promise, "this decryptor");
  std::vector<double> values = real_parts(impl_->value.decrypt(value, flooded));
  for (double& number : values) number = params::rounded_to(number, bits);
  return values;
}

}  // namespace tacit::ckks
