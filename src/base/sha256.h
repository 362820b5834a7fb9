#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

struct evp_md_ctx_st;  // a name alone: sha256.cpp keeps a Hash of cipher/cipher.h there

namespace tacit::base {

/// A SHA-256 value.
using Digest = std::array<std::uint8_t, 32>;

Digest sha256(std::span<const std::byte> bytes);

/// Computes SHA-256 over several pieces in sequence.
class Sha256 {
 public:
  Sha256();
  Sha256& update(std::span<const std::byte> bytes);
  /// Returns the digest of all pieces. The object cannot be used afterwards.
  Digest finish();

 private:
  std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st*)> context_;
};

/// Returns lower-case hexadecimal text, two digits per byte.
std::string hexadecimal(std::span<const std::uint8_t> bytes);

}  // namespace tacit::base
