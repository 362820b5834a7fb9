#pragma once

#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "program/integers/client_interface.h"
#include "scheme/tfhe/encryption.h"
#include "scheme/tfhe/public_key.h"

namespace tacit::runtime {

/// The owner of the data: quantises and encrypts the tensors of one run, decrypts and checks its results. With a public
/// key it only encrypts. Intermediate copies of a message are wiped. The given tensors and the results belong to the
/// caller. Thread safe.
class IntegerClient {
 public:
  /// Throws KeyMismatch if the key has other parameters.
  IntegerClient(integers::ClientInterface interface, scheme::tfhe::ContextPtr context,
                const scheme::tfhe::SecretKey& secret);
  /// Throws KeyMismatch if the key has other parameters.
  IntegerClient(integers::ClientInterface interface, scheme::tfhe::ContextPtr context,
                const scheme::tfhe::PublicKey& key);

  const integers::ClientInterface& interface() const { return interface_; }

  /// Encrypts the inputs of a run. tensors[i] is input i of the interface, row-major. Throws InputError as
  /// integers::quantise does. Ciphertexts under a public key are packed (FreshLweCiphertexts).
  std::vector<scheme::tfhe::FreshLweCiphertexts> encrypt(std::span<const std::vector<double>> tensors) const;
  /// Decrypts `outputs`, the program's outputs in order. Throws InputError as integers::dequantise does, and for
  /// another number of ciphertexts than the interface has elements, and without a secret key.
  std::vector<std::vector<double>> decrypt(std::span<const scheme::tfhe::LweCiphertexts> outputs) const;

 private:
  integers::ClientInterface interface_;
  std::variant<scheme::tfhe::Encryptor, scheme::tfhe::PublicEncryptor> encryptor_;
  std::optional<scheme::tfhe::Decryptor> decryptor_;
};

/// Returns the signed integer of a phase, in units of 2^step.
std::int64_t integer_of(scheme::tfhe::Torus phase, int step);

}  // namespace tacit::runtime
