#pragma once

#include <array>
#include <functional>
#include <span>

#include "ring/rns_poly.h"
#include "scheme/rlwe/combination.h"
#include "scheme/rlwe/digits.h"
#include "scheme/rlwe/modulus_chain.h"
#include "scheme/rlwe/switching_key.h"

/// Hybrid key switching (Han, Ki 2020; Kim, Polyakov, Zucca 2021), as phases between which every limb is written and
/// read once, in order: digits are converted tile by tile and stored half-transformed; rows are finished block by block,
/// in the first cache, and multiplied with the key; rows of special primes are half-transformed back, converted tile by
/// tile, and subtracted block by block. The division by P, or by P times the last prime, is part of the last phase.
namespace tacit::scheme::rlwe {

/// What a division divides by.
enum class Divisor {
  special,           ///< P: the result has the rows of the level
  special_and_last,  ///< P * q_level: fused mod-down and rescale, the result has the rows of level - 1
};

/// Receives finished rows, each once, from several threads: polynomial 0 or 1, row, n words that the callee may change.
using RowSink = std::function<void(std::size_t poly, std::size_t row, std::uint64_t* values)>;

/// (u_0, u_1) = <digits, key>, extended, not divided.
void switch_key_extended(const ModulusChain& chain, const Digits& digits, const SwitchingKey& key, const RowSink& sink);

/// (u_0 + P * add[0], u_1 + P * add[1]) divided with rounding. The key must reach the level of the digits.
void switch_key(const ModulusChain& chain, const Digits& digits, const SwitchingKey& key,
                const std::array<Combination, 2>& add, Divisor divisor, const RowSink& sink);

/// Extended polynomials at `level` divided with rounding; `polys` are not changed.
void divide(const ModulusChain& chain, int level, std::span<const ring::NttPoly* const> polys, Divisor divisor,
            const RowSink& sink);

/// Combinations over q_0 … q_level divided by q_level with rounding: a rescale.
void rescale(const ModulusChain& chain, int level, std::span<const Combination> combinations, const RowSink& sink);

}  // namespace tacit::scheme::rlwe
