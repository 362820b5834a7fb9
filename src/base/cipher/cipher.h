#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/sha256.h"

/// The ciphers and the hash function that everything else computes with. There are two implementations: OpenSSL's, and
/// our own in constant time for machines without OpenSSL. They give equal bytes.
namespace tacit::base {

/// The key stream of AES-256 in counter mode (NIST SP 800-38A). The counter is the whole block, big-endian. Not thread
/// safe.
class StreamCipher {
 public:
  using Key = std::array<std::uint8_t, 32>;
  using Counter = std::array<std::uint8_t, 16>;

  virtual ~StreamCipher() = default;
  /// Continues with the stream that begins at this counter.
  virtual void restart(const Counter& first) = 0;
  /// Replaces the words by the next ones of the stream. Their number is even.
  virtual void fill(std::span<std::uint64_t> words) = 0;
};

/// AES-128 of single blocks (FIPS 197). Not thread safe.
class BlockCipher {
 public:
  using Key = std::array<std::uint8_t, 16>;

  virtual ~BlockCipher() = default;
  /// Encrypts in place. Two words are a block, so their number is even.
  virtual void encrypt(std::span<std::uint64_t> words) = 0;
};

/// SHA-256 of bytes that come in pieces (FIPS 180-4).
class Hash {
 public:
  virtual ~Hash() = default;
  virtual void update(std::span<const std::byte> bytes) = 0;
  /// Returns the digest of all pieces. The object cannot be used afterwards.
  virtual Digest finish() = 0;
};

/// One implementation. The functions throw InternalError if the library below lacks the cipher.
struct Ciphers {
  std::string_view name;
  std::unique_ptr<StreamCipher> (*stream)(const StreamCipher::Key& key, const StreamCipher::Counter& first);
  std::unique_ptr<BlockCipher> (*block)(const BlockCipher::Key& key);
  std::unique_ptr<Hash> (*sha256)();
};

/// Returns the implementation that this build computes with.
const Ciphers& ciphers();
/// Returns our own implementation. Its time and its memory accesses do not depend on keys or data.
const Ciphers& own_ciphers();

}  // namespace tacit::base
