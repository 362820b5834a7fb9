#include "scheme/ckks/residue_bits.h"

#include <bit>

namespace tacit::scheme::ckks {

std::size_t residue_bits(const ring::Modulus& q) { return static_cast<std::size_t>(std::bit_width(q.value() - 1)); }

std::vector<std::uint8_t> packed_bits(std::span<const std::uint64_t> words, std::size_t bits) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(packed_bytes(words.size(), bits));
  std::uint64_t waiting = 0;  // less than a byte before each word
  std::size_t held = 0;
  for (const std::uint64_t word : words) {
    waiting |= word << held;
    for (held += bits; held >= 8; held -= 8) {
      bytes.push_back(static_cast<std::uint8_t>(waiting));
      waiting >>= 8;
    }
  }
  if (held > 0) bytes.push_back(static_cast<std::uint8_t>(waiting));
  return bytes;
}

std::optional<std::vector<std::uint64_t>> unpacked_bits(std::span<const std::uint8_t> bytes, std::size_t count,
                                                        std::size_t bits, std::uint64_t bound) {
  std::vector<std::uint64_t> words;
  words.reserve(count);
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  std::uint64_t waiting = 0;
  std::size_t held = 0, at = 0;
  for (std::size_t i = 0; i < count; ++i) {
    for (; held < bits; held += 8) waiting |= std::uint64_t{bytes[at++]} << held;
    words.push_back(waiting & mask);
    if (words.back() >= bound) return std::nullopt;
    waiting >>= bits;
    held -= bits;
  }
  if (waiting != 0) return std::nullopt;
  return words;
}

}  // namespace tacit::scheme::ckks
