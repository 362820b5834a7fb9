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

FreshLweCiphertexts Encryptor::encrypt_seeded(std::span<const Torus> messages) const {
  FreshLweCiphertexts result{.seed = base::public_seed(), .parameters = context_->parameters().hash()};
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

namespace {

/// Writes the mask of the LWE ciphertext that a GLWE ciphertext holds at coefficient `at` (sample extraction).
void extract_mask(std::span<const Torus> glwe, std::size_t n, std::size_t at, std::span<Torus> mask) {
  for (std::size_t first = 0; first < glwe.size(); first += n) {
    for (std::size_t i = 0; i <= at; ++i) mask[first + i] = glwe[first + at - i];
    for (std::size_t i = at + 1; i < n; ++i) mask[first + i] = 0 - glwe[first + n + at - i];
  }
}

}  // namespace

LweCiphertexts expand(const Context& context, const FreshLweCiphertexts& fresh) {
  check_parameters(context, fresh.parameters, "expand", "ciphertexts");
  const std::size_t n = context.polynomial(), large = context.large();
  TACIT_ASSERT(!fresh.is_packed() || fresh.masks.size() == (fresh.bodies.size() + n - 1) / n * large);
  LweCiphertexts result(context.parameters().large_lwe(), fresh.bodies.size(), fresh.parameters);
  base::Csprng masks(fresh.seed);
  for (std::size_t i = 0; i < result.count(); ++i) {
    if (fresh.is_packed())
      extract_mask(std::span(fresh.masks).subspan(i / n * large, large), n, i % n, result.mask(i));
    else
      masks.fill(result.mask(i));
    result.body(i) = fresh.bodies[i];
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
