#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"

namespace tacit::graph {

/// The comparison of a feature with the threshold of a node.
enum class Comparison : std::uint8_t { at_most, below, at_least, above, equal, not_equal };
bool holds(Comparison comparison, double feature, double threshold);

/// A node of a decision tree: a comparison with two successors, or a leaf with weights by target.
struct TreeNode {
  Comparison comparison = Comparison::at_most;
  std::int64_t feature = 0;
  double threshold = 0;
  std::size_t yes = 0, no = 0;  ///< positions in the tree; not read for a leaf
  bool leaf = true;
  bool missing_yes = false;                             ///< true if NaN goes to `yes`, whatever the comparison gives
  std::vector<std::pair<std::size_t, double>> weights;  ///< target and weight, for a leaf

  /// True if this value of the feature goes to `yes`. For comparisons.
  bool goes_yes(double value) const { return holds(comparison, value, threshold) || (missing_yes && value != value); }

  /// Returns the weight of a leaf for a target, or 0 if it has none.
  double weight_of(std::size_t target) const;
};

/// A tree: node 0 is the root, and successors come after their node.
using Tree = std::vector<TreeNode>;

/// Decision trees whose leaves' weights are added, with one sum per target. Immutable.
struct TreeEnsemble {
  std::vector<Tree> trees;
  std::vector<double> base;   ///< start of the sum, by target
  double factor = 1;          ///< factor of the sums: 1 / number of trees for averages
  std::int64_t features = 0;  ///< one more than the largest feature that is read

  std::size_t targets() const { return base.size(); }
  /// Returns the scores of one row of at least `features` numbers.
  std::vector<double> scores(std::span<const double> row) const;
};

/// True if all scores are whole numbers in so small a range that programs on integers hold each of them.
bool has_whole_scores(const TreeEnsemble& ensemble);

/// The operator that computes the scores of an ensemble: ai.onnx.ml.TreeEnsembleClassifier or -Regressor without their
/// last step.
inline constexpr const char* kTreeScoresOp = "tacit.TreeScores";
/// The operator that makes labels and transformed scores from these scores.
inline constexpr const char* kTreeVotesOp = "tacit.TreeVotes";

/// Returns the ensemble in the attributes of a node of either operator. Throws InputError, naming the node, if the
/// attributes are of different lengths, nodes do not form trees, or aggregation is not SUM or AVERAGE.
TreeEnsemble tree_ensemble(const Node& node);

/// Returns the attributes of kTreeVotesOp for a classifier: its labels, its transform, and whether its scores are
/// already probabilities ("probabilities": no leaf has a negative weight).
std::map<std::string, Attribute> tree_votes_attributes(const Node& classifier);

}  // namespace tacit::graph
