#pragma once

#include <cstdint>
#include <vector>

#include "graph/range.h"
#include "graph/tree_ensemble.h"

namespace tacit::graph::quant {

/// How the leaves of an ensemble become integers. Of every tree and target a middle is taken off all leaves and joins
/// the offset, so that nothing but differences of leaves needs bits. Every target has a unit of its own.
struct LeafIntegers {
  std::vector<double> units;                 ///< by target: what an integer 1 stands for
  std::vector<double> offsets;               ///< by target: a score is unit * sum of integers + offset
  std::vector<std::vector<double>> middles;  ///< by tree and target
  std::size_t looked_up = 0;  ///< targets that leaves are looked up for. The last one, if it is not, is what they leave
  std::vector<std::int64_t> lowest, highest;  ///< by target, of the sums of integers
  std::vector<double> errors;  ///< by target: what rounding changes on average, as a share of the scores' range
};

/// Bits of sums, the sign included.
struct SumBits {
  int cheap = 10;  ///< parameters that tables need anyway decrypt so many
  int most = 16;   ///< none decrypt more
};

/// Chooses units for sums of the fewest bits that keep the error of every target small against its own range, and no
/// fewer than are cheap. Leaves that are whole multiples of one number have it as their unit, and are exact.
/// `seen` are the ranges of the scores over samples, by target; empty where there are no samples.
/// Where the leaves of every tree have the same sum over all targets, and targets are of a similar width, the last
/// target is the rest.
LeafIntegers leaf_integers(const TreeEnsemble& ensemble, const std::vector<Range>& seen, const SumBits& sum_bits = {});

/// What a leaf of this tree adds to a target that leaves are looked up for.
std::int64_t leaf_integer(const LeafIntegers& integers, const TreeEnsemble& ensemble, std::size_t tree,
                          const TreeNode& leaf, std::size_t target);

}  // namespace tacit::graph::quant
