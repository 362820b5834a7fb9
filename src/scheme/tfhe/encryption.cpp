#include "scheme/tfhe/encryption.h"

#include "base/error.h"
#include "base/private_value.h"
#include "base/random.h"
#include "base/wipe.h"
#include "scheme/tfhe/bounded_noise.h"
#include "scheme/tfhe/check.h"

namespace tacit::scheme::tfhe {
namespace {

/// Branch free: the bits are secret.
Torus inner_product(std::span<const Torus> mask, std::span<const std::uint8_t> bits) {
  Torus sum = 0;
  for (std::size_t i = 0; i < mask.size(); ++i) sum += mask[i] & (Torus{0} - Torus{bits[i]});
  return sum;
}
}  // namespace

Encryptor::Encryptor(ContextPtr context, SecretKey secret) : context_(std::move(context)), secret_(std::move(secret)) {
  check_parameters(*context_, secret_.parameters(), "encrypt", "secret key's bits");
}

SeededLweCiphertexts Encryptor::encrypt_seeded(std::span<const Torus> messages) const {
  SeededLweCiphertexts result{.seed = base::public_seed(), .bodies = {}, .parameters = context_->parameters().hash()};
  const int noise_bits = context_->parameters().literal().glwe_noise_bits;
  base::Csprng noise = base::Csprng::from_system(), masks(result.seed);
  base::AlignedVector<Torus> mask(context_->large());
  for (const Torus message : messages) {
    masks.fill(mask);
    result.bodies.push_back(inner_product(mask, secret_.large()) + message +
                            static_cast<Torus>(bounded_noise(noise, noise_bits)));
  }
  return result;
}

LweCiphertexts Encryptor::encrypt(std::span<const Torus> messages) const {
  return expand(*context_, encrypt_seeded(messages));
}

LweCiphertexts expand(const Context& context, const SeededLweCiphertexts& seeded) {
  check_parameters(context, seeded.parameters, "expand", "ciphertexts");
  LweCiphertexts result(context.parameters().large_lwe(), seeded.bodies.size(), seeded.parameters);
  base::Csprng masks(seeded.seed);
  for (std::size_t i = 0; i < result.count(); ++i) {
    masks.fill(result.mask(i));
    result.body(i) = seeded.bodies[i];
  }
  return result;
}

LweCiphertexts Encryptor::encrypt_messages(std::span<const std::int64_t> messages) const {
  const int bits = context_->parameters().bits();
  std::vector<Torus> encoded;
  encoded.reserve(messages.size());  // one block, which is wiped
  const base::WipedAtExit wiped(encoded);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (messages[i] < 0 || messages[i] >= std::int64_t{1} << bits)
      base::refuse("encrypt: message {} is {}, outside 0 to {}", i,
                   base::private_value(static_cast<double>(messages[i])), (std::int64_t{1} << bits) - 1);
    encoded.push_back(encode(messages[i], bits));
  }
  return encrypt(encoded);
}

Decryptor::Decryptor(ContextPtr context, SecretKey secret) : context_(std::move(context)), secret_(std::move(secret)) {
  check_parameters(*context_, secret_.parameters(), "decrypt", "secret key's bits");
}

std::vector<Torus> Decryptor::phases(const LweCiphertexts& ciphertexts) const {
  check(*context_, ciphertexts, "decrypt");
  std::vector<Torus> result;
  result.reserve(ciphertexts.count());  // growing would leave copies behind
  for (std::size_t i = 0; i < ciphertexts.count(); ++i)
    result.push_back(ciphertexts.body(i) - inner_product(ciphertexts.mask(i), secret_.large()));
  return result;
}

std::vector<std::uint64_t> Decryptor::decrypt(const LweCiphertexts& ciphertexts) const {
  std::vector<std::uint64_t> result = phases(ciphertexts);
  for (std::uint64_t& word : result) word = decode(word, context_->parameters().bits());
  return result;
}

}  // namespace tacit::scheme::tfhe
