#pragma once

#include <array>
#include <span>

#include "scheme/rlwe/combination.h"
#include "scheme/rlwe/digits.h"
#include "scheme/rlwe/division.h"
#include "scheme/rlwe/modulus_chain.h"
#include "scheme/rlwe/switching_key.h"

/// Hybrid key switching (Han, Ki 2020; Kim, Polyakov, Zucca 2021) in phases. Between phases every limb is written and
/// read once, in order:
/// - Digits are converted tile by tile and stored half-transformed.
/// - Rows are finished block by block, in the first cache, and multiplied with the key.
/// - Rows of special primes are half-transformed back, converted tile by tile, and subtracted block by block.
///
/// The division by P_level, or by P_level times the last prime, is part of the last phase.
namespace tacit::scheme::rlwe {

/// Divides (u_0 + P_level * add[0], u_1 + P_level * add[1]) with rounding, where (u_0, u_1) = <digits, key>. The key
/// must reach the level of the digits.
void switch_key(const ModulusChain& chain, const Digits& digits, const SwitchingKey& key,
                const std::array<Combination, 2>& add, Divisor divisor, const RunSink& sink);

/// Switches one polynomial with several keys, and divides. The pair of key i is polynomials 2 i and 2 i + 1 of the
/// sink. The digits of a row are read once for all keys.
void switch_keys(const ModulusChain& chain, const Digits& digits, std::span<const SwitchingKey* const> keys,
                 Divisor divisor, const RunSink& sink);

/// Divides combinations over q_0 … q_level by q_level with rounding: a rescale.
void rescale(const ModulusChain& chain, int level, std::span<const Combination> combinations, const RunSink& sink);

}  // namespace tacit::scheme::rlwe
