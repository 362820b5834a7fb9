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
  /// Torus elements (torus.h: encode).
  LweCiphertexts encrypt(std::span<const Torus> messages) const;
  /// The same, k N times smaller.
  SeededLweCiphertexts encrypt_seeded(std::span<const Torus> messages) const;
  /// Integers in [0, 2^bits), which tables take. Throws InputError naming the first that is outside.
  LweCiphertexts encrypt_messages(std::span<const std::int64_t> messages) const;

 private:
  ContextPtr context_;
  SecretKey secret_;
};

/// What a server computes on, k N times larger: whoever reads the bytes bounds their count first. Throws KeyMismatch on
/// ciphertexts of another set.
LweCiphertexts expand(const Context& context, const SeededLweCiphertexts& seeded);

/// Decrypts. Thread safe. Throws KeyMismatch on ciphertexts or a secret of another set.
class Decryptor {
 public:
  Decryptor(ContextPtr context, SecretKey secret);
  /// Message and noise.
  std::vector<Torus> phases(const LweCiphertexts& ciphertexts) const;
  /// The nearest integers in [0, 2^(bits + 1)), the bit of padding included.
  std::vector<std::uint64_t> decrypt(const LweCiphertexts& ciphertexts) const;

 private:
  ContextPtr context_;
  SecretKey secret_;
};

}  // namespace tacit::scheme::tfhe
