#include "base/sha256.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/cipher/cipher.h"

namespace tacit::base {

namespace {
Hash& hash_of(evp_md_ctx_st& kept) { return *reinterpret_cast<Hash*>(&kept); }
}  // namespace

Sha256::Sha256()
    : context_(reinterpret_cast<evp_md_ctx_st*>(ciphers().sha256().release()),
               [](evp_md_ctx_st* kept) { delete &hash_of(*kept); }) {}

Sha256& Sha256::update(std::span<const std::byte> bytes) {
  hash_of(*context_).update(bytes);
  return *this;
}

Digest Sha256::finish() { return hash_of(*context_).finish(); }

Digest sha256(std::span<const std::byte> bytes) { return Sha256().update(bytes).finish(); }

std::string hexadecimal(std::span<const std::uint8_t> bytes) { return fmt::format("{:02x}", fmt::join(bytes, "")); }

}  // namespace tacit::base
