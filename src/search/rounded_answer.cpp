#include "search/rounded_answer.h"

#include <bit>

#include "search/store_shape.h"

namespace tacit::search {
namespace {
__extension__ using Wide128 = unsigned __int128;
}  // namespace

std::size_t answer_tile_bytes(AnswerBits bits) {
  return packed_bytes(kTileNumbers, bits.c0) + packed_bytes(kTileNumbers, bits.c1);
}

void round_residues(std::span<const std::uint64_t> residues, const ring::Modulus& q, unsigned bits,
                    std::span<std::uint8_t> out) {
  // factor = 2^(64 + bits) / q: below 2^64, because q has more than 32 bits.
  const auto factor = static_cast<std::uint64_t>(((Wide128{1} << (64 + bits)) + q.value() / 2) / q.value());
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  std::uint64_t held = 0;
  unsigned count = 0;
  std::size_t at = 0;
  for (const std::uint64_t residue : residues) {
    const auto number = static_cast<std::uint64_t>((Wide128{residue} * factor + (Wide128{1} << 63)) >> 64) & mask;
    held |= number << count;
    count += bits;
    for (; count >= 8; count -= 8, held >>= 8) out[at++] = static_cast<std::uint8_t>(held);
  }
  if (count > 0) out[at] = static_cast<std::uint8_t>(held);
}

void residues_from(std::span<const std::uint8_t> packed, const ring::Modulus& q, unsigned bits,
                   std::span<std::uint64_t> residues) {
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  std::uint64_t held = 0;
  unsigned count = 0;
  std::size_t at = 0;
  for (std::uint64_t& residue : residues) {
    for (; count < bits; count += 8) held |= std::uint64_t{packed[at++]} << count;
    const std::uint64_t value =
        static_cast<std::uint64_t>((Wide128{held & mask} * q.value() + (Wide128{1} << (bits - 1))) >> bits);
    residue = value >= q.value() ? 0 : value;
    held >>= bits;
    count -= bits;
  }
}

}  // namespace tacit::search
