#pragma once

#include <variant>

#include "scheme/ckks/ciphertext.h"
#include "scheme/ckks/context.h"
#include "scheme/ckks/keys.h"

namespace tacit::scheme::ckks {

/// Encrypts at the level and scale of the plaintext. Thread safe. Throws KeyMismatch on objects of another set.
class Encryptor {
 public:
  /// Keeps a copy of the key.
  Encryptor(ContextPtr context, const PublicKey& key);
  /// Encrypts with less noise, and in half the size when sent: c1 is the expansion of a seed (Ciphertext::c1_seed).
  Encryptor(ContextPtr context, const SecretKey& key);
  Ciphertext encrypt(const Plaintext& plaintext) const;

 private:
  Ciphertext encrypt_public(const Plaintext& plaintext, const PublicKey& key) const;
  Ciphertext encrypt_symmetric(const Plaintext& plaintext, const SecretKey& key) const;
  ContextPtr context_;
  std::variant<std::shared_ptr<const PublicKey>, SecretKey> key_;
};

}  // namespace tacit::scheme::ckks
