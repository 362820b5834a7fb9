#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

/// Ed25519 signatures (Bernstein, Duif, Lange, Schwabe, Yang 2012; RFC 8032), as OpenSSL makes them.
namespace tacit::base {

using Signature = std::array<std::uint8_t, 64>;
using SignerId = std::array<std::uint8_t, 32>;  ///< a public key

/// A private key. Thread safe, cheap to copy.
class SigningKey {
 public:
  /// Reads a PEM file without a passphrase, as `openssl genpkey -algorithm ed25519` writes it. Throws InputError naming
  /// the file for anything else.
  static SigningKey from_pem(const std::filesystem::path& path);
  SignerId signer() const;
  Signature sign(std::span<const std::byte> message) const;

 private:
  explicit SigningKey(std::shared_ptr<void> key) : key_(std::move(key)) {}
  std::shared_ptr<void> key_;
};

/// Reads the public key in a PEM file (`openssl pkey -pubout`). Throws InputError naming the file for anything else.
SignerId signer_from_pem(const std::filesystem::path& path);

/// Returns true if the signer made this signature of this message.
bool verifies(const SignerId& signer, std::span<const std::byte> message, const Signature& signature);

}  // namespace tacit::base
