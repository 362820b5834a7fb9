#pragma once

#include <limits>
#include <string>
#include <vector>

#include "graph/quant/lookup_tables.h"
#include "graph/tree_ensemble.h"

namespace tacit::graph::quant {

/// What becomes of scores.
struct ScoreReaders {
  bool tables = false;                                     ///< tables read them
  double torus = std::numeric_limits<double>::infinity();  ///< steps that a real 1 may stand for, so that sums can
                                                           ///< multiply scores by fine weights
};

/// Appends the scores of an ensemble to a program. `features` is the integer tensor of the features, and `points` what
/// real number every box of every feature stands for: comparisons are answered by a table of these, so that the program
/// gives exactly what the trees give on quantised features, with leaves rounded to a grid. Adds a warning for every
/// feature with thresholds that all its boxes answer alike, and one where boxes cannot tell thresholds apart. Throws
/// InputError where a tree is too deep for the tables.
Made add_trees(integers::Program& program, const TreeEnsemble& ensemble, integers::ValueId features,
               const std::vector<double>& points, const ScoreReaders& readers, const std::string& node,
               std::vector<std::string>& warnings);

}  // namespace tacit::graph::quant
