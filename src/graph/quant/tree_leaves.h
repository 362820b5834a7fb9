#pragma once

#include <cstdint>
#include <vector>

#include "graph/range.h"
#include "graph/tree_ensemble.h"

namespace tacit::graph::quant {

/// The leaves of an ensemble as integers. For every tree and target, a middle is subtracted from all leaves and added
/// to the offset, so that only differences of leaves need bits. Every target has a separate unit.
struct LeafIntegers {
  std::vector<double> units;                 ///< by target: the number that an integer 1 represents
  std::vector<double> offsets;               ///< by target: a score is unit * sum of integers + offset
  std::vector<std::vector<double>> middles;  ///< by tree and target
  std::size_t looked_up =
      0;  ///< number of targets with lookups of leaves; the last target, if it has none, is the rest that they leave
  std::vector<std::int64_t> lowest, highest;  ///< by target: bounds of the sums of integers
  std::vector<double> errors;  ///< by target: the average change by rounding, as a share of the scores' range
};

/// The bits of sums, sign included.
struct SumBits {
  int cheap = 10;    ///< bits that the parameters of tables decrypt anyway
  int most = 16;     ///< bits that no parameters exceed
  bool rest = true;  ///< the last target may be the rest that the others leave
};

/// Chooses units for sums of the fewest bits that keep the error of every target small against its range. Sums have at
/// least `sum_bits.cheap` bits. If leaves are whole multiples of one number, that number is their unit, and they are
/// exact. `seen` are the ranges of the scores over samples, by target; empty without samples. The last target is the
/// rest if two conditions hold: the leaves of every tree have the same sum over all targets, and the targets have
/// similar widths.
LeafIntegers leaf_integers(const TreeEnsemble& ensemble, const std::vector<Range>& seen, const SumBits& sum_bits = {});

/// Returns the integer that a leaf of this tree adds to a target with lookups of leaves.
std::int64_t leaf_integer(const LeafIntegers& integers, const TreeEnsemble& ensemble, std::size_t tree,
                          const TreeNode& leaf, std::size_t target);

}  // namespace tacit::graph::quant
