#pragma once

#include "scheme/ckks/ciphertext.h"
#include "scheme/ckks/context.h"
#include "scheme/ckks/keys.h"

namespace tacit::scheme::ckks {

/// Thread safe. The decryption carries the noise of the ciphertext: who shares it must round or flood first
/// (Li, Micciancio 2021).
class Decryptor {
 public:
  /// Throws KeyMismatch on a key of another set.
  Decryptor(ContextPtr context, const SecretKey& key);
  Plaintext decrypt(const Ciphertext& ciphertext) const;

 private:
  ContextPtr context_;
  SecretKey key_;
};

}  // namespace tacit::scheme::ckks
