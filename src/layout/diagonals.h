#pragma once

#include <map>
#include <set>
#include <vector>

#include "layout/linear_operator.h"

namespace tacit::layout {

/// How much the diagonals of a map multiply.
struct DiagonalCount {
  Index products = 0;  ///< non-zero diagonals, summed over the blocks
  double density = 1;  ///< share of the slots that the weights of a diagonal take before they repeat; the mean
  Index parts = 1;     ///< equal groups of ciphertexts, which share their weights
  /// Slots that all weights take.
  double weights(Index slots) const {
    return static_cast<double>(products / parts) * density * static_cast<double>(slots);
  }
};

/// Which generalised diagonals of a linear map are not zero, and how partial sums fold. With p_in and p_out the periods
/// of the two layouts, an entry from slot t to slot s lies on diagonal d: the accumulating slot u = s + k p_out has
/// t - u = d. If p_out < p_in, d is taken modulo p_out and each of the p_in / p_out accumulators of an output gets a
/// part of the sum, to be folded by rotations p_in / 2, …, p_out (the hybrid of Juvekar, Vaikuntanathan, Chandrakasan
/// 2018, section 4.2.2); otherwise d is taken modulo p_in and nothing folds.
struct DiagonalSet {
  Index slots = 0;
  Index period = 0;           ///< of every diagonal: max(p_in, p_out)
  Index modulus = 0;          ///< diagonals lie in [0, modulus): min(p_in, p_out)
  std::vector<Index> folds;   ///< rotations, in order
  std::set<Index> diagonals;  ///< union over the blocks
  Index blocks = 0;           ///< (input, output) pairs of ciphertexts with an entry
  DiagonalCount count;
};

/// The set alone, for pricing. Reads every entry of the operator once, or, where it slides a window over many places,
/// every weight: a position is a sum of one part for each axis, so that each axis is counted on its own. The density is
/// that of the weights where they repeat with the innermost digits of the layouts, and elsewhere an upper bound: one
/// period.
DiagonalSet diagonal_set(const LinearMap& map);

/// The input ciphertexts with entries for every output ciphertext, rising: what must be at hand to compute one. Read as
/// `diagonal_set` is.
std::vector<std::vector<Index>> inputs_of_outputs(const LinearMap& map);

/// One (output ciphertext, input ciphertext) block: diagonal d to its weights, one per slot of the period or of the
/// shorter one that they repeat with: accumulator[u] += weights[u % size] * x[u + d]. Weights that meet a known zero,
/// or whose result is out of range where the output may hold unknown numbers, are chosen so that the others repeat.
using DiagonalBlock = std::map<Index, std::vector<double>>;

/// The weights of a block for any rotation of the input by `diagonal` slots, 0 to slots - 1: those of the diagonal that
/// equals it modulo set.modulus, moved along where partial sums fold. Empty if the block has no such diagonal.
std::vector<double> weights_of(const DiagonalSet& set, const DiagonalBlock& block, Index diagonal);

struct Diagonals {
  DiagonalSet set;
  /// [output ciphertext][input ciphertext]; empty blocks have no entries.
  std::vector<std::vector<DiagonalBlock>> blocks;
};

/// The weights of the map, for one output ciphertext at a time if `only_output` is not negative (the others stay
/// empty).
Diagonals diagonals(const LinearMap& map, Index only_output = -1);

}  // namespace tacit::layout
