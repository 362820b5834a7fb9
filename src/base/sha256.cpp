#include "base/sha256.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>

#include "base/error.h"

namespace tacit::base {

Sha256::Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
  if (!context_ || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1)
    throw InternalError("SHA-256 is not available");
}

Sha256& Sha256::update(std::span<const std::byte> bytes) {
  if (EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) != 1) throw InternalError("SHA-256 failed");
  return *this;
}

Digest Sha256::finish() {
  Digest digest;
  if (EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr) != 1) throw InternalError("SHA-256 failed");
  return digest;
}

Digest sha256(std::span<const std::byte> bytes) { return Sha256().update(bytes).finish(); }

std::string hexadecimal(std::span<const std::uint8_t> bytes) { return fmt::format("{:02x}", fmt::join(bytes, "")); }

}  // namespace tacit::base
