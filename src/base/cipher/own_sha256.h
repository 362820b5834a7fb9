#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/cipher/cipher.h"

namespace tacit::base {

/// SHA-256 (FIPS 180-4) in plain C++.
class OwnSha256 final : public Hash {
 public:
  ~OwnSha256() override;
  void update(std::span<const std::byte> bytes) override;
  Digest finish() override;

 private:
  static constexpr std::size_t kBlockBytes = 64;
  void add_block(const std::byte* block);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, kBlockBytes> waiting_{};  ///< the first `bytes_ % kBlockBytes` are of a block
  std::uint64_t bytes_ = 0;
};

}  // namespace tacit::base
