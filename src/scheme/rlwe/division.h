#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "ring/rns_poly.h"
#include "scheme/rlwe/modulus_chain.h"
#include "scheme/rlwe/scratch.h"

namespace tacit::scheme::rlwe {

/// The divisor of a division.
enum class Divisor {
  special,           ///< P_level: the result has the rows of the level
  special_and_last,  ///< P_level * q_level: fused mod-down and rescale, the result has the rows of level - 1
};

/// A run of finished words: polynomial, row, first position, words. Runs start and end on multiples of
/// Automorphism::kStrip, or are the whole row.
struct Run {
  std::size_t poly = 0, row = 0, at = 0;
  std::span<std::uint64_t> words;  ///< the callee may change them
};
/// Receives every run once, from several threads.
using RunSink = std::function<void(const Run& run)>;
/// Copies the runs of polynomial k to polys[k], which must outlive the sink.
RunSink copy_runs(std::vector<ring::NttPoly*> polys);

/// Gives the values of one block of an extended row of every polynomial, in [0, q). The producer writes the block into
/// `room[poly]`, or points `values[poly]` at an existing block. In both cases `values[poly]` is set. A block has
/// tiling().block_words words. Blocks are requested in order.
using BlockProducer = std::function<void(std::size_t block, std::uint64_t* const* room, const std::uint64_t** values)>;
/// Makes extended polynomials row by row, every row once. It is thread safe; its result is for one thread.
using RowSource = std::function<BlockProducer(std::size_t row)>;

/// Divides `polys` extended polynomials at `level` with rounding. The rows that the divisor drops are made first.
/// Secret contents are wiped from the division's own scratch; the source wipes its own.
void divide(const ModulusChain& chain, int level, std::size_t polys, const RowSource& source, Divisor divisor,
            const RunSink& sink, Contents contents = Contents::open);

/// Divides existing polynomials, which are not changed. No copy of secret contents stays.
void divide(const ModulusChain& chain, int level, std::span<const ring::NttPoly* const> polys, Divisor divisor,
            const RunSink& sink, Contents contents = Contents::open);

}  // namespace tacit::scheme::rlwe
