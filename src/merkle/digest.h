#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "merkle/goldilocks.h"

namespace tacit::merkle {

/// Four field elements: a leaf, a node or a root. Equality compares the words, so that both sides should be canonical.
struct Digest {
  std::array<std::uint64_t, 4> words{};
  auto operator<=>(const Digest&) const = default;
};
static_assert(sizeof(Digest) == 32);

/// Returns true if every word is below the modulus.
constexpr bool is_canonical(const Digest& digest) {
  for (const std::uint64_t word : digest.words)
    if (word >= goldilocks::kModulus) return false;
  return true;
}

/// Returns 64 lower-case hexadecimal digits of the 32 bytes, words little-endian, as in files.
std::string hexadecimal(const Digest& digest);
/// Throws InputError naming `what` unless the text is 64 hexadecimal digits of canonical words.
Digest digest_from_hexadecimal(std::string_view text, std::string_view what);

}  // namespace tacit::merkle
