#include "scheme/ckks/decryptor.h"

#include "base/parallel.h"
#include "ring/limb.h"
#include "scheme/ckks/check.h"

namespace tacit::scheme::ckks {

Decryptor::Decryptor(ContextPtr context, const SecretKey& key) : context_(std::move(context)), key_(key) {
  check_parameters(*context_, key.parameters(), "decrypt", "secret key");
}

Plaintext Decryptor::decrypt(const Ciphertext& ciphertext) const {
  check(*context_, ciphertext, "decrypt");
  const rlwe::ModulusChain& chain = context_->chain();
  Plaintext result{
      .poly = ciphertext.c0, .level = ciphertext.level, .scale = ciphertext.scale, .parameters = ciphertext.parameters};
  base::parallel_for(0, result.poly.limbs(), [&](std::size_t row) {
    ring::limb::multiply_add(result.poly.limb(row), ciphertext.c1.limb(row), key_.poly().limb(row), chain.n(),
                             chain.modulus(row));
  });
  return result;
}

}  // namespace tacit::scheme::ckks
