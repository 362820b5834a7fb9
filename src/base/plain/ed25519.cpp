#include "base/ed25519.h"

#include "base/error.h"

// There are no signatures: signed receipts are refused, and unsigned ones are checked.
namespace tacit::base {
namespace {
[[noreturn]] void refuse_signatures() {
  refuse(
      "this client cannot check signatures of Ed25519; check the receipt with tacit verify-receipt, or ask for one "
      "that is not signed");
}
}  // namespace

SigningKey SigningKey::from_pem(const std::filesystem::path&) { refuse_signatures(); }
SignerId SigningKey::signer() const { refuse_signatures(); }
Signature SigningKey::sign(std::span<const std::byte>) const { refuse_signatures(); }
SignerId signer_from_pem(const std::filesystem::path&) { refuse_signatures(); }
bool verifies(const SignerId&, std::span<const std::byte>, const Signature&) { refuse_signatures(); }

}  // namespace tacit::base
