#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ring/modulus.h"
#include "search/score_noise.h"

namespace tacit::search {

/// Returns the bytes of `count` numbers of this many bits, one after the other.
constexpr std::size_t packed_bytes(std::size_t count, unsigned bits) { return (count * bits + 7) / 8; }
/// Returns the bytes of one tile of an answer: c0, then c1.
std::size_t answer_tile_bytes(AnswerBits bits);

/// Rounds residues to the nearest multiple of q / 2^bits, modulo 2^bits, and packs them little-endian (modulus
/// switching: Brakerski, Vaikuntanathan 2011). `bits` is 1 to 32. `out` has packed_bytes(residues.size(), bits) bytes.
/// Integers alone are used, so that every machine writes equal bytes.
void round_residues(std::span<const std::uint64_t> residues, const ring::Modulus& q, unsigned bits,
                    std::span<std::uint8_t> out);
/// Reads packed numbers back as residues: round(number * q / 2^bits), in [0, q). Any bytes are valid.
void residues_from(std::span<const std::uint8_t> packed, const ring::Modulus& q, unsigned bits,
                   std::span<std::uint64_t> residues);

}  // namespace tacit::search
