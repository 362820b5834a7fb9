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

  /// Encrypts a message whose slots repeat with the period slots / 2^log_gap as a *thin* ciphertext. With g =
  /// 2^log_gap, such a message is a polynomial in X^g. The result has only the N / g coefficients of X^(g i) of c0. So
  /// c0 takes 1 / g of the bytes when it is sent. A thin ciphertext decrypts to nothing useful. Its trace, the sum of
  /// its rotations by the multiples of the period, is an ordinary ciphertext of the message (Chen, Dai, Kim, Song
  /// 2020):
  ///
  ///     for (int i = 0; i < log_gap; ++i) c = evaluator.rotate_sum(c, {{period << i}});
  ///
  /// The trace multiplies coefficients of X^(g i) by g and all others by 0. The message is encrypted as message / g
  /// modulo the primes, so that no bit of it is lost.
  ///
  /// A thin ciphertext is a part of an ordinary one under the same secret, modulus and dimension: its security rests on
  /// the same row of the table. Coefficients of the plaintext outside of X^(g i) are lost. Throws InputError unless 0
  /// <= log_gap < log2 slots.
  Ciphertext encrypt_thin(const Plaintext& plaintext, int log_gap) const;

 private:
  Ciphertext encrypt(const Plaintext& plaintext, int log_gap) const;
  Ciphertext encrypt_public(const Plaintext& plaintext, const PublicKey& key, int log_gap) const;
  Ciphertext encrypt_symmetric(const Plaintext& plaintext, const SecretKey& key, int log_gap) const;
  ContextPtr context_;
  std::variant<std::shared_ptr<const PublicKey>, SecretKey> key_;
};

}  // namespace tacit::scheme::ckks
