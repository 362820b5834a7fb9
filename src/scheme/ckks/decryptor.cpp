#include "scheme/ckks/decryptor.h"

#include "base/parallel.h"
#include "base/wipe.h"
#include "ring/limb.h"
#include "scheme/ckks/check.h"
#include "scheme/ckks/subring.h"

namespace tacit::scheme::ckks {

Decryptor::Decryptor(ContextPtr context, const SecretKey& key)
    : context_(std::move(context)), encoder_(context_), key_(key), noise_(key) {
  check_parameters(*context_, key.parameters(), "decrypt", "secret key");
}

std::vector<std::complex<double>> Decryptor::decrypt(const Ciphertext& ciphertext,
                                                     std::optional<double> deviation) const {
  std::vector<std::complex<double>> slots = exact_slots(ciphertext);
  if (!deviation) deviation = ckks::estimated_noise(context_->parameters(), ciphertext.level, ciphertext.scale, slots);
  noise_.add_to(slots, ciphertext, *deviation);
  return slots;
}

std::vector<std::complex<double>> Decryptor::exact_slots(const Ciphertext& ciphertext,
                                                         std::optional<double> scale) const {
  Plaintext exact = decrypt_exactly(ciphertext);
  exact.scale = scale.value_or(exact.scale);
  std::vector<std::complex<double>> slots = encoder_.decode(exact);
  exact.poly.wipe();
  return slots;
}

double Decryptor::estimated_noise(const Ciphertext& ciphertext) const {
  std::vector<std::complex<double>> slots = exact_slots(ciphertext);
  const base::WipedAtExit wiped(slots);
  return ckks::estimated_noise(context_->parameters(), ciphertext.level, ciphertext.scale, slots);
}

Plaintext Decryptor::decrypt_exactly(const Ciphertext& ciphertext) const {
  check(*context_, ciphertext, "decrypt");
  const rlwe::ModulusChain& chain = context_->chain();
  Plaintext result{
      .poly = ciphertext.c0, .level = ciphertext.level, .scale = ciphertext.scale, .parameters = ciphertext.parameters};
  base::parallel_for(0, result.poly.limbs(), [&](std::size_t row) {
    ring::limb::multiply_add(result.poly.limb(row), ciphertext.c1.limb(row), key_.poly().limb(row), chain.n(),
                             chain.modulus(row));
  });
  keep_subring(chain, result.poly, ciphertext.log_gap);
  return result;
}

}  // namespace tacit::scheme::ckks
