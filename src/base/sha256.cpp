#include "base/sha256.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/cipher/cipher.h"

namespace tacit::base {

Sha256::Sha256() : hash_(ciphers().sha256().release(), [](Hash* hash) { delete hash; }) {}

Sha256& Sha256::update(std::span<const std::byte> bytes) {
  hash_->update(bytes);
  return *this;
}

Digest Sha256::finish() { return hash_->finish(); }

Digest sha256(std::span<const std::byte> bytes) { return Sha256().update(bytes).finish(); }

std::string hexadecimal(std::span<const std::uint8_t> bytes) { return fmt::format("{:02x}", fmt::join(bytes, "")); }

}  // namespace tacit::base
