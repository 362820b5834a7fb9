#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace tacit::fuzz {

/// A well-formed object with the fuzzer's bytes put over it from a position that its first two bytes name, and cut or
/// extended there when the third byte is odd: reaches past magic numbers and hashes that chance would not hit.
inline std::vector<std::uint8_t> splice(std::vector<std::uint8_t> whole, std::span<const std::uint8_t> bytes) {
  if (bytes.size() < 3) return whole;
  const std::size_t at = (bytes[0] + 256u * bytes[1]) % (whole.size() + 1);
  const bool cut = bytes[2] % 2 == 1;
  bytes = bytes.subspan(3);
  if (cut || at + bytes.size() > whole.size()) whole.resize(at + bytes.size());
  std::copy(bytes.begin(), bytes.end(), whole.begin() + static_cast<std::ptrdiff_t>(at));
  return whole;
}

}  // namespace tacit::fuzz
