#include "graph/tree_ensemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "graph/attribute.h"

namespace tacit::graph {
namespace {

Comparison comparison_of(const Node& node, const std::string& mode) {
  static const std::map<std::string, Comparison> kModes{
      {"BRANCH_LEQ", Comparison::at_most}, {"BRANCH_LT", Comparison::below}, {"BRANCH_GTE", Comparison::at_least},
      {"BRANCH_GT", Comparison::above},    {"BRANCH_EQ", Comparison::equal}, {"BRANCH_NEQ", Comparison::not_equal}};
  const auto found = kModes.find(mode);
  if (found == kModes.end()) refuse(node, fmt::format("a node has the mode '{}', which is unknown", mode));
  return found->second;
}

/// The attributes of a node of ai.onnx.ml as trees.
class Reader {
 public:
  explicit Reader(const Node& node)
      : node_(node),
        trees_(integers_attribute(node, "nodes_treeids")),
        ids_(integers_attribute(node, "nodes_nodeids")),
        features_(integers_attribute(node, "nodes_featureids")),
        yes_(integers_attribute(node, "nodes_truenodeids")),
        no_(integers_attribute(node, "nodes_falsenodeids")),
        thresholds_(reals_attribute(node, "nodes_values")),
        modes_(texts_attribute(node, "nodes_modes")),
        missing_yes_(integers_attribute(node, "nodes_missing_value_tracks_true")) {
    const std::size_t count = ids_.size();
    if (missing_yes_.empty()) missing_yes_.assign(count, 0);
    if (count == 0 || trees_.size() != count || features_.size() != count || yes_.size() != count ||
        no_.size() != count || thresholds_.size() != count || modes_.size() != count || missing_yes_.size() != count)
      refuse(node, "its lists of nodes are empty or have different lengths");
    for (std::size_t i = 0; i < count; ++i)
      if (!places_.emplace(std::pair(trees_[i], ids_[i]), i).second)
        refuse(node, fmt::format("node {} of tree {} comes twice", ids_[i], trees_[i]));
  }

  TreeEnsemble read() {
    const bool regressor = has_attribute(node_, "target_ids");
    read_weights(regressor ? "target" : "class");
    TreeEnsemble ensemble;
    std::map<std::int64_t, std::size_t> roots;  // by tree: its first node
    for (std::size_t i = 0; i < trees_.size(); ++i) roots.emplace(trees_[i], i);
    for (const auto& [tree, root] : roots) ensemble.trees.push_back(read_tree(root, ensemble.features));
    std::size_t targets =
        regressor
            ? static_cast<std::size_t>(std::clamp<std::int64_t>(integer_attribute(node_, "n_targets"), 1, kMostTargets))
            : classes();
    if (!regressor && targets == 1 && one_class_ != 0)
      refuse(node_, fmt::format("all its leaves have scores of class {}; write the class 0 in class_ids, as a single "
                                "score of two classes has it, or scores of both classes",
                                one_class_));
    if (most_target_ >= targets) refuse(node_, fmt::format("a leaf has target {} of {}", most_target_, targets));
    ensemble.base = reals_attribute(node_, "base_values", std::vector<double>(targets, 0.0));
    if (ensemble.base.size() != targets)
      refuse(node_, fmt::format("{} base values do not fit {} targets", ensemble.base.size(), targets));
    if (regressor && text_attribute(node_, "aggregate_function") == "AVERAGE")
      ensemble.factor = 1.0 / static_cast<double>(ensemble.trees.size());
    return ensemble;
  }

 private:
  static constexpr std::int64_t kMostTargets = 1 << 20;

  /// Two labels and leaves of one class alone: the class's score decides. Otherwise a score for every label.
  std::size_t classes() const {
    const std::size_t labels = std::max(texts_attribute(node_, "classlabels_strings").size(),
                                        integers_attribute(node_, "classlabels_int64s").size());
    return one_target_ && labels <= 2 ? 1 : std::max<std::size_t>(labels, 1);
  }

  void read_weights(const std::string& prefix) {
    const auto of_tree = integers_attribute(node_, prefix + "_treeids");
    const auto of_node = integers_attribute(node_, prefix + "_nodeids");
    const auto targets = integers_attribute(node_, prefix + "_ids");
    const auto weights = reals_attribute(node_, prefix + "_weights");
    if (targets.empty() || of_tree.size() != targets.size() || of_node.size() != targets.size() ||
        weights.size() != targets.size())
      refuse(node_, "its lists of leaves' weights are empty or have different lengths");
    one_target_ = std::ranges::all_of(targets, [&](std::int64_t target) { return target == targets[0]; });
    one_class_ = one_target_ ? targets[0] : 0;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      if (targets[i] < 0 || targets[i] >= kMostTargets) refuse(node_, "a leaf has a target out of range");
      const auto target = static_cast<std::size_t>(targets[i]);
      most_target_ = std::max(most_target_, target);
      auto& leaf = leaves_[{of_tree[i], of_node[i]}];
      // Files of several classes for one target repeat it in every leaf. ONNX Runtime reads the first weight there.
      if (prefix == "target" && integer_attribute(node_, "n_targets", 1) == 1 && !leaf.empty()) continue;
      leaf.emplace_back(target, weights[i]);
    }
  }

  /// From its root on, successors behind their node.
  Tree read_tree(std::size_t root, std::int64_t& features) {
    constexpr std::int64_t kMostFeatures = 1 << 24;
    Tree tree;
    std::vector<std::size_t> from{root};
    for (std::size_t at = 0; at < from.size(); ++at) {
      const std::size_t i = from[at];
      TreeNode made;
      made.leaf = modes_[i] == "LEAF";
      if (made.leaf) {
        if (const auto found = leaves_.find({trees_[i], ids_[i]}); found != leaves_.end()) made.weights = found->second;
      } else {
        made.comparison = comparison_of(node_, modes_[i]);
        made.feature = features_[i];
        made.threshold = thresholds_[i];
        made.missing_yes = missing_yes_[i] != 0;
        if (made.feature < 0 || made.feature >= kMostFeatures) refuse(node_, "a node reads a feature out of range");
        features = std::max(features, made.feature + 1);
        made.yes = from.size();
        from.push_back(place(trees_[i], yes_[i]));
        made.no = from.size();
        from.push_back(place(trees_[i], no_[i]));
        // A node that comes twice makes the tree longer than its list.
        if (from.size() > ids_.size()) refuse(node_, fmt::format("the nodes of tree {} form no tree", trees_[i]));
      }
      tree.push_back(std::move(made));
    }
    return tree;
  }

  std::size_t place(std::int64_t tree, std::int64_t id) const {
    const auto found = places_.find({tree, id});
    if (found == places_.end()) refuse(node_, fmt::format("tree {} has no node {}", tree, id));
    return found->second;
  }

  const Node& node_;
  std::vector<std::int64_t> trees_, ids_, features_, yes_, no_;
  std::vector<double> thresholds_;
  std::vector<std::string> modes_;
  std::vector<std::int64_t> missing_yes_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> places_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::pair<std::size_t, double>>> leaves_;
  std::size_t most_target_ = 0;
  bool one_target_ = false;
  std::int64_t one_class_ = 0;  ///< that of all leaves, where there is one
};

}  // namespace

bool holds(Comparison comparison, double feature, double threshold) {
  switch (comparison) {
    case Comparison::at_most: return feature <= threshold;
    case Comparison::below: return feature < threshold;
    case Comparison::at_least: return feature >= threshold;
    case Comparison::above: return feature > threshold;
    case Comparison::equal: return feature == threshold;
    case Comparison::not_equal: return feature != threshold;
  }
  return false;
}

std::vector<double> TreeEnsemble::scores(std::span<const double> row) const {
  std::vector<double> sums(base.size(), 0.0);
  for (const Tree& tree : trees) {
    std::size_t at = 0;
    while (!tree[at].leaf) {
      const TreeNode& node = tree[at];
      at = node.goes_yes(row[static_cast<std::size_t>(node.feature)]) ? node.yes : node.no;
    }
    for (const auto& [target, weight] : tree[at].weights) sums[target] += weight;
  }
  for (std::size_t t = 0; t < sums.size(); ++t) sums[t] = sums[t] * factor + base[t];
  return sums;
}

bool has_whole_scores(const TreeEnsemble& ensemble) {
  constexpr double kMostScores = 1 << 14;
  for (std::size_t target = 0; target < ensemble.targets(); ++target) {
    bool whole = ensemble.base[target] == std::round(ensemble.base[target]) && ensemble.factor == 1;
    double width = 0;
    for (const Tree& tree : ensemble.trees) {
      double least = std::numeric_limits<double>::infinity(), most = -least;
      for (const TreeNode& node : tree) {
        if (!node.leaf) continue;
        const double weight = node.weight_of(target);
        whole = whole && weight == std::round(weight);
        least = std::min(least, weight);
        most = std::max(most, weight);
      }
      width += most - least;
    }
    if (!whole || !(width < kMostScores)) return false;
  }
  return true;
}

std::map<std::string, Attribute> tree_votes_attributes(const Node& classifier) {
  const std::vector<double> weights = reals_attribute(classifier, "class_weights");
  const bool probabilities = std::ranges::all_of(weights, [](double weight) { return weight >= 0; });
  std::map<std::string, Attribute> attributes{{"probabilities", std::int64_t{probabilities}}};
  for (const auto& [from, to] :
       {std::pair("classlabels_int64s", "classlabels_ints"), std::pair("classlabels_strings", "classlabels_strings"),
        std::pair("post_transform", "post_transform")})
    if (const auto found = classifier.attributes.find(from); found != classifier.attributes.end())
      attributes[to] = found->second;
  return attributes;
}

double TreeNode::weight_of(std::size_t target) const {
  double sum = 0;
  for (const auto& [of, weight] : weights)
    if (of == target) sum += weight;
  return sum;
}

TreeEnsemble tree_ensemble(const Node& node) { return Reader(node).read(); }

}  // namespace tacit::graph
