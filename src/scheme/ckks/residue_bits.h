#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ring/modulus.h"

/// Packs residues in as many bits as their prime needs, without gaps. Bits fill a byte from the lowest one up. The last
/// byte is filled with zeros.
namespace tacit::scheme::ckks {

/// Returns the bits of a residue modulo q.
std::size_t residue_bits(const ring::Modulus& q);
/// Returns the bytes of `count` words of `bits` bits.
constexpr std::size_t packed_bytes(std::size_t count, std::size_t bits) { return (count * bits + 7) / 8; }

/// Packs words below 2^bits, 1 <= bits <= 56.
std::vector<std::uint8_t> packed_bits(std::span<const std::uint64_t> words, std::size_t bits);
/// Reads what packed_bits() wrote: packed_bytes(count, bits) bytes. The result is empty if a word is not below `bound`,
/// or if a bit after the last word is set.
std::optional<std::vector<std::uint64_t>> unpacked_bits(std::span<const std::uint8_t> bytes, std::size_t count,
                                                        std::size_t bits, std::uint64_t bound);

}  // namespace tacit::scheme::ckks
