#pragma once

#include <span>
#include <vector>

#include "scheme/tfhe/lwe_ciphertexts.h"
#include "scheme/tfhe/secret_key.h"
#include "scheme/tfhe/torus.h"

namespace tacit::scheme::tfhe {

/// Encrypts under the large key with fresh randomness of the operating system. Thread safe.
class Encryptor {
 public:
  /// Throws KeyMismatch on a secret of another set.
  Encryptor(ContextPtr context, SecretKey secret);
  /// Encrypts torus elements (torus.h: encode).
  LweCiphertexts encrypt(std::span<const Torus> messages) const;
  /// Encrypts the same in a form that is k N times smaller.
  FreshLweCiphertexts encrypt_seeded(std::span<const Torus> messages) const;
  /// Encrypts integers in [0, 2^bits), which tables take. Throws InputError naming the first one outside.
  LweCiphertexts encrypt_messages(std::span<const std::int64_t> messages) const;

 private:
  ContextPtr context_;
  SecretKey secret_;
};

/// Returns the ciphertexts that a server computes on, k N times larger. The reader of the bytes must bound their count
/// first. Throws KeyMismatch on ciphertexts of another set.
LweCiphertexts expand(const Context& context, const FreshLweCiphertexts& fresh);

/// Decrypts. Thread safe. Throws KeyMismatch on ciphertexts or a secret of another set.
class Decryptor {
 public:
  Decryptor(ContextPtr context, SecretKey secret);
  /// Returns message and noise.
  std::vector<Torus> phases(const LweCiphertexts& ciphertexts) const;
  /// Returns the nearest integers in [0, 2^(bits + 1)), the bit of padding included.
  std::vector<std::uint64_t> decrypt(const LweCiphertexts& ciphertexts) const;

 private:
  ContextPtr context_;
  SecretKey secret_;
};

}  // namespace tacit::scheme::tfhe
