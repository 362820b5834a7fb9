#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "ring/rns_poly.h"
#include "scheme/rlwe/combination.h"
#include "scheme/rlwe/digits.h"
#include "scheme/rlwe/modulus_chain.h"
#include "scheme/rlwe/scratch.h"
#include "scheme/rlwe/switching_key.h"

/// Hybrid key switching (Han, Ki 2020; Kim, Polyakov, Zucca 2021), as phases between which every limb is written and
/// read once, in order: digits are converted tile by tile and stored half-transformed; rows are finished block by
/// block, in the first cache, and multiplied with the key; rows of special primes are half-transformed back, converted
/// tile by tile, and subtracted block by block. The division by P_level, or by P_level times the last prime, is part
/// of the last phase.
namespace tacit::scheme::rlwe {

/// What a division divides by.
enum class Divisor {
  special,           ///< P_level: the result has the rows of the level
  special_and_last,  ///< P_level * q_level: fused mod-down and rescale, the result has the rows of level - 1
};

/// A run of finished words: polynomial 0 or 1, row, first position, words. Runs start and end on multiples of
/// Automorphism::kStrip, or are the whole row.
struct Run {
  std::size_t poly = 0, row = 0, at = 0;
  std::span<std::uint64_t> words;  ///< the callee may change them
};
/// Receives every run once, from several threads.
using RunSink = std::function<void(const Run& run)>;
/// Copies the runs of polynomial k to polys[k], which must outlive the sink.
RunSink copy_runs(std::vector<ring::NttPoly*> polys);

/// (u_0, u_1) = <digits, key>, extended, not divided.
void switch_key_extended(const ModulusChain& chain, const Digits& digits, const SwitchingKey& key, const RunSink& sink);

/// (u_0 + P_level * add[0], u_1 + P_level * add[1]) divided with rounding. The key must reach the level of the digits.
void switch_key(const ModulusChain& chain, const Digits& digits, const SwitchingKey& key,
                const std::array<Combination, 2>& add, Divisor divisor, const RunSink& sink);

/// Extended polynomials at `level` divided with rounding; `polys` are not changed. Of secret contents no copy stays.
void divide(const ModulusChain& chain, int level, std::span<const ring::NttPoly* const> polys, Divisor divisor,
            const RunSink& sink, Contents contents = Contents::open);

/// Combinations over q_0 … q_level divided by q_level with rounding: a rescale.
void rescale(const ModulusChain& chain, int level, std::span<const Combination> combinations, const RunSink& sink);

}  // namespace tacit::scheme::rlwe
