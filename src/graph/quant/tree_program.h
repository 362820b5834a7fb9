#pragma once

#include <limits>
#include <string>
#include <vector>

#include "graph/quant/lookup_tables.h"
#include "graph/range.h"
#include "graph/tree_ensemble.h"

namespace tacit::graph::quant {

/// What becomes of scores.
struct ScoreReaders {
  bool tables = false;                                     ///< tables read them
  double torus = std::numeric_limits<double>::infinity();  ///< steps that a real 1 may stand for, so that sums can
                                                           ///< multiply scores by fine weights
};

/// The features that trees read, as integers.
struct TreeFeatures {
  integers::ValueId id = 0;
  std::vector<double> points;  ///< by feature: the real number that each of its 2^bits boxes stands for
  /// By feature, its element of the tensor; empty where feature f is element f.
  std::vector<std::uint32_t> elements{};
  /// The points are compared as they are, NaN included. Otherwise a threshold close to a point equals it.
  bool exact = false;
};

/// Appends the scores of an ensemble to a program. Comparisons are answered by a table of the points of their feature,
/// so that the program gives exactly what the trees give on quantised features, with leaves rounded to whole multiples
/// of a unit of their target (tree_leaves.h). `seen` are the scores' ranges over samples, by target, or none. Adds a
/// warning for every feature with thresholds that all its boxes answer alike, and one where boxes cannot tell
/// thresholds apart. Throws InputError where a tree is too deep for the tables.
Made add_trees(integers::Program& program, const TreeEnsemble& ensemble, const TreeFeatures& features,
               const std::vector<Range>& seen, const ScoreReaders& readers, const std::string& node,
               std::vector<std::string>& warnings);

}  // namespace tacit::graph::quant
