#include "base/ed25519.h"

#include "base/cipher/own_ed25519.h"
#include "base/error.h"

// Signatures are checked by our own code. A client signs nothing.
namespace tacit::base {
namespace {
[[noreturn]] void refuse_to_sign() { refuse("this client signs nothing; sign with tacit evaluate --sign"); }
}  // namespace

SigningKey SigningKey::from_pem(const std::filesystem::path&) { refuse_to_sign(); }
SignerId SigningKey::signer() const { refuse_to_sign(); }
Signature SigningKey::sign(std::span<const std::byte>) const { refuse_to_sign(); }
SignerId signer_from_pem(const std::filesystem::path&) { refuse_to_sign(); }
bool verifies(const SignerId& signer, std::span<const std::byte> message, const Signature& signature) {
  return own_verifies(signer, message, signature);
}

}  // namespace tacit::base
