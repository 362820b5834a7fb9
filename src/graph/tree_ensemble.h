#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"

namespace tacit::graph {

/// How a node of a decision tree compares a feature with its threshold.
enum class Comparison : std::uint8_t { at_most, below, at_least, above, equal, not_equal };
bool holds(Comparison comparison, double feature, double threshold);

/// A node of a decision tree: a comparison with two successors, or a leaf with weights by target.
struct TreeNode {
  Comparison comparison = Comparison::at_most;
  std::int64_t feature = 0;
  double threshold = 0;
  std::size_t yes = 0, no = 0;  ///< positions in the tree; those of a leaf are not read
  bool leaf = true;
  bool missing_yes = false;                             ///< NaN goes to `yes`, whatever the comparison says
  std::vector<std::pair<std::size_t, double>> weights;  ///< of a leaf: target and weight

  /// Of a comparison: whether this value of its feature goes to `yes`.
  bool goes_yes(double value) const { return holds(comparison, value, threshold) || (missing_yes && value != value); }

  /// Of a leaf; 0 for a target that it has no weight for.
  double weight_of(std::size_t target) const;
};

/// A tree: node 0 is the root, and successors stand behind their node.
using Tree = std::vector<TreeNode>;

/// Decision trees whose leaves' weights are added up, a sum for every target. Immutable.
struct TreeEnsemble {
  std::vector<Tree> trees;
  std::vector<double> base;   ///< of every target
  double factor = 1;          ///< of the sums: one over the number of trees where they are averaged
  std::int64_t features = 0;  ///< one more than the largest that is read

  std::size_t targets() const { return base.size(); }
  /// What one row of at least `features` numbers scores.
  std::vector<double> scores(std::span<const double> row) const;
};

/// Whether all scores are whole numbers that lie so close together that programs on integers hold each of them.
bool has_whole_scores(const TreeEnsemble& ensemble);

/// The operator that computes the scores of an ensemble: ai.onnx.ml.TreeEnsembleClassifier or -Regressor without what
/// becomes of them.
inline constexpr const char* kTreeScoresOp = "tacit.TreeScores";
/// The operator that makes labels and transformed scores of them.
inline constexpr const char* kTreeVotesOp = "tacit.TreeVotes";

/// The ensemble in a node's attributes, which are those of either operator. Throws InputError naming the node where
/// they are of different lengths, nodes do not form trees, or aggregation is other than SUM or AVERAGE.
TreeEnsemble tree_ensemble(const Node& node);

/// What kTreeVotesOp needs to know of a classifier: its labels, its transform, and whether its scores are probabilities
/// already ("probabilities": no leaf has a negative weight).
std::map<std::string, Attribute> tree_votes_attributes(const Node& classifier);

}  // namespace tacit::graph
