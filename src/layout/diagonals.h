#pragma once

#include <map>
#include <set>
#include <vector>

#include "layout/alike_lines.h"
#include "layout/linear_operator.h"

namespace tacit::layout {

/// The number of multiplications by the diagonals of a map.
struct DiagonalCount {
  Index products = 0;  ///< non-zero diagonals, summed over the blocks
  double density = 1;  ///< mean share of the slots that the weights of a diagonal take before they repeat
  Index parts = 1;     ///< number of equal groups of ciphertexts, which share their weights
  /// Returns the number of slots of all weights.
  double weights(Index slots) const {
    return static_cast<double>(products / parts) * density * static_cast<double>(slots);
  }
};

/// The generalised diagonals of a linear map that are not zero, and the rotations that fold partial sums. Let p_in and
/// p_out be the periods of the two layouts. An entry from slot t to slot s is on diagonal d: the accumulating slot u =
/// s + k p_out has t - u = d.
/// - If p_out < p_in, d is taken modulo p_out. Each of the p_in / p_out accumulators of an output gets a part of the
///   sum. Rotations p_in / 2, …, p_out fold the parts (the hybrid of Juvekar, Vaikuntanathan, Chandrakasan 2018,
///   section 4.2.2).
/// - Otherwise d is taken modulo p_in, and nothing folds.
struct DiagonalSet {
  Index slots = 0;
  Index period = 0;           ///< period of every diagonal: max(p_in, p_out)
  Index modulus = 0;          ///< diagonals are in [0, modulus): min(p_in, p_out)
  std::vector<Index> folds;   ///< rotations, in order
  std::set<Index> diagonals;  ///< union over the blocks
  Index blocks = 0;           ///< (input, output) pairs of ciphertexts with an entry
  DiagonalCount count;
};

/// Returns the set alone, for pricing. It reads every entry of the operator once. For an operator that slides a window,
/// it reads every weight instead and counts each axis separately, because a position is a sum of one part per axis. The
/// density is exact if the weights repeat with the innermost digits of the layouts. Otherwise it is an upper bound, one
/// period. `lines` is called where entries would be read one by one. If it finds lines, one of them is read, or a few.
DiagonalSet diagonal_set(const LinearMap& map, const SeekLines& lines = {});

/// Returns, for every output ciphertext, the input ciphertexts with entries in rising order. These must be present to
/// compute the output. The operator is read as in `diagonal_set`.
std::vector<std::vector<Index>> inputs_of_outputs(const LinearMap& map);

/// One block, from an input ciphertext to an output ciphertext: diagonal d to its weights. They have one number per
/// slot of the period, or of the shorter period that they repeat with: accumulator[u] += weights[u % size] * x[u + d].
/// Some weights do not matter: they meet a known zero, or their result is out of range where the output may hold
/// unknown numbers. These are chosen so that the others repeat.
using DiagonalBlock = std::map<Index, std::vector<double>>;

/// Returns the weights of a block for any rotation of the input by `diagonal` slots, 0 to slots - 1. They are the
/// weights of the equal diagonal modulo set.modulus, moved where partial sums fold. The result is empty if the block
/// has no such diagonal.
std::vector<double> weights_of(const DiagonalSet& set, const DiagonalBlock& block, Index diagonal);

struct Diagonals {
  DiagonalSet set;
  /// Blocks by [output ciphertext][input ciphertext]. Empty blocks have no entries.
  std::vector<std::vector<DiagonalBlock>> blocks;
};

/// Returns the weights of the map. A non-negative `only_output` selects one output ciphertext and leaves the others
/// empty.
Diagonals diagonals(const LinearMap& map, Index only_output = -1);

}  // namespace tacit::layout
