#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace tacit::base {

class Hash;  // cipher/cipher.h

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
  std::unique_ptr<Hash, void (*)(Hash*)> hash_;  // deleted where Hash is complete
};

/// Returns lower-case hexadecimal text, two digits per byte.
std::string hexadecimal(std::span<const std::uint8_t> bytes);

}  // namespace tacit::base
