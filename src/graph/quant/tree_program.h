#pragma once

#include <limits>
#include <string>
#include <vector>

#include "graph/quant/lookup_tables.h"
#include "graph/range.h"
#include "graph/tree_ensemble.h"

namespace tacit::graph::quant {

/// The readers of scores.
struct ScoreReaders {
  bool tables = false;        ///< tables read them
  bool client_alone = false;  ///< nothing reads them before they are decrypted
  /// The most steps of the torus per real 1, so that sums can multiply scores by fine weights.
  double torus = std::numeric_limits<double>::infinity();
};

/// The features that trees read, as integers.
struct TreeFeatures {
  integers::ValueId id = 0;
  std::vector<double> points;  ///< by feature: the real number of each of its 2^bits boxes
  /// By feature, its element of the tensor; empty where feature f is element f.
  std::vector<std::uint32_t> elements{};
  /// If true, the points are compared as they are, NaN included. Otherwise a threshold close to a point equals it.
  bool exact = false;
};

/// Appends the scores of an ensemble to a program. A table of the points of a feature answers each comparison. So the
/// program gives exactly the scores of the trees on quantised features, with leaves rounded to whole multiples of a
/// unit of their target (tree_leaves.h). `seen` are the ranges of scores over samples, by target, or empty. Adds a
/// warning for every feature whose boxes all answer its thresholds alike, and one if boxes cannot separate thresholds.
/// If the client alone reads the scores, and the leaves
/// differ too much for one sum, each score is several sums of groups of trees. Throws InputError if a tree is too deep
/// for the tables.
Made add_trees(integers::Program& program, const TreeEnsemble& ensemble, const TreeFeatures& features,
               const std::vector<Range>& seen, const ScoreReaders& readers, const std::string& node,
               std::vector<std::string>& warnings);

}  // namespace tacit::graph::quant
