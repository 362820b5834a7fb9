#include "graph/tree_ensemble_as_regressor.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "graph/attribute.h"

namespace tacit::graph {
namespace {

constexpr std::size_t kMostNodes = std::size_t{1} << 20;
constexpr std::int64_t kMember = 6;
constexpr std::array<const char*, 6> kModes{"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE",
                                            "BRANCH_GT",  "BRANCH_EQ", "BRANCH_NEQ"};
constexpr std::array<const char*, 5> kTransforms{"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};

std::vector<double> tensor_attribute(const Node& node, const std::string& name) {
  const auto found = node.attributes.find(name);
  if (found == node.attributes.end()) return {};
  const auto* tensor = std::get_if<Tensor>(&found->second);
  if (tensor == nullptr) refuse(node, fmt::format("attribute '{}' is no tensor", name));
  return tensor->data;
}

class Writer {
 public:
  explicit Writer(const Node& node)
      : node_(node),
        features_(integers_attribute(node, "nodes_featureids")),
        yes_(integers_attribute(node, "nodes_truenodeids")),
        no_(integers_attribute(node, "nodes_falsenodeids")),
        yes_leaf_(integers_attribute(node, "nodes_trueleafs")),
        no_leaf_(integers_attribute(node, "nodes_falseleafs")),
        missing_(integers_attribute(node, "nodes_missing_value_tracks_true")),
        targets_(integers_attribute(node, "leaf_targetids")),
        modes_(tensor_attribute(node, "nodes_modes")),
        splits_(tensor_attribute(node, "nodes_splits")),
        weights_(tensor_attribute(node, "leaf_weights")) {
    const std::size_t count = features_.size();
    if (missing_.empty()) missing_.assign(count, 0);
    if (count == 0 || yes_.size() != count || no_.size() != count || yes_leaf_.size() != count ||
        no_leaf_.size() != count || missing_.size() != count || modes_.size() != count || splits_.size() != count)
      refuse(node, "its lists of nodes are empty or have different lengths");
    if (targets_.empty() || weights_.size() != targets_.size())
      refuse(node, "its lists of leaves are empty or have different lengths");
    read_members();
  }

  Node write() {
    const std::int64_t aggregate = integer_attribute(node_, "aggregate_function");
    if (aggregate > 1)
      refuse(node_, fmt::format(
                        "it aggregates trees by {}; SUM and AVERAGE are supported: export every tree as an output, and "
                        "take the {} of the decrypted ones",
                        aggregate == 2 ? "MIN" : "MAX", aggregate == 2 ? "smallest" : "largest"));
    for (const std::int64_t root : integers_attribute(node_, "tree_roots")) {
      on_way_.assign(features_.size(), 0);
      next_ = 0;
      write_node(root);
      ++tree_;
    }
    if (tree_ == 0) refuse(node_, "it has no tree");
    Node made{"ai.onnx.ml.TreeEnsembleRegressor", node_.name, node_.inputs, node_.outputs, {}};
    made.attributes = {
        {"nodes_treeids", std::move(made_trees_)},
        {"nodes_nodeids", std::move(made_ids_)},
        {"nodes_featureids", std::move(made_features_)},
        {"nodes_truenodeids", std::move(made_yes_)},
        {"nodes_falsenodeids", std::move(made_no_)},
        {"nodes_missing_value_tracks_true", std::move(made_missing_)},
        {"nodes_modes", std::move(made_modes_)},
        {"nodes_values", std::move(made_values_)},
        {"target_treeids", std::move(leaf_trees_)},
        {"target_nodeids", std::move(leaf_ids_)},
        {"target_ids", std::move(leaf_targets_)},
        {"target_weights", std::move(leaf_weights_)},
        {"n_targets", integer_attribute(node_, "n_targets")},
        {"aggregate_function", std::string(aggregate == 0 ? "AVERAGE" : "SUM")},
        {"post_transform",
         std::string(kTransforms.at(static_cast<std::size_t>(integer_attribute(node_, "post_transform"))))}};
    return made;
  }

 private:
  /// Sets follow each other in the order of the nodes that ask for them, NaN between two.
  void read_members() {
    const std::vector<double> all = tensor_attribute(node_, "membership_values");
    std::size_t at = 0;
    for (const double mode : modes_) {
      std::vector<double>& members = members_.emplace_back();
      if (mode != kMember) continue;
      while (at < all.size() && !std::isnan(all[at])) members.push_back(all[at++]);
      ++at;
      if (members.empty()) refuse(node_, "a node asks for members of a set that is not there");
    }
  }

  /// Of a node of the classic form that is not filled yet.
  std::size_t new_node() {
    if (made_ids_.size() == kMostNodes)
      refuse(node_, fmt::format("its trees have more than {} nodes, a question for every member of a set included",
                                kMostNodes));
    made_trees_.push_back(tree_);
    made_ids_.push_back(next_++);
    made_features_.push_back(0);
    made_yes_.push_back(0);
    made_no_.push_back(0);
    made_missing_.push_back(0);
    made_modes_.emplace_back("LEAF");
    made_values_.push_back(0);
    return made_ids_.size() - 1;
  }

  std::int64_t write_side(std::int64_t id, bool leaf) { return leaf ? write_leaf(id) : write_node(id); }

  std::int64_t write_leaf(std::int64_t leaf) {
    if (leaf < 0 || leaf >= static_cast<std::int64_t>(targets_.size())) refuse(node_, "a node leads to no leaf");
    const std::int64_t id = made_ids_[new_node()];
    leaf_trees_.push_back(tree_);
    leaf_ids_.push_back(id);
    leaf_targets_.push_back(targets_[static_cast<std::size_t>(leaf)]);
    leaf_weights_.push_back(weights_[static_cast<std::size_t>(leaf)]);
    return id;
  }

  std::int64_t write_node(std::int64_t id) {
    if (id < 0 || id >= static_cast<std::int64_t>(features_.size())) refuse(node_, "a node leads to no node");
    const auto at = static_cast<std::size_t>(id);
    if (on_way_[at] != 0) refuse(node_, fmt::format("the nodes of tree {} form no tree", tree_));
    on_way_[at] = 1;  // on the way to the node that is written
    const double mode = modes_[at];
    std::vector<double> values = members_[at];
    if (mode != kMember) values = {splits_[at]};
    if (!(mode >= 0 && mode <= kMember)) refuse(node_, fmt::format("a node has the mode {}, which is unknown", mode));
    std::int64_t first = -1;
    std::size_t question = 0;
    for (std::size_t v = 0; v < values.size(); ++v) {
      const std::size_t made = new_node();
      if (v == 0)
        first = made_ids_[made];
      else
        made_no_[question] = made_ids_[made];
      question = made;
      made_features_[made] = features_[at];
      made_modes_[made] = mode == kMember ? "BRANCH_EQ" : kModes.at(static_cast<std::size_t>(mode));
      made_values_[made] = values[v];
      made_missing_[made] = v == 0 ? missing_[at] : 0;
      const std::int64_t yes = write_side(yes_[at], yes_leaf_[at] != 0);
      made_yes_[made] = yes;
    }
    const std::int64_t no = write_side(no_[at], no_leaf_[at] != 0);
    made_no_[question] = no;
    on_way_[at] = 0;
    return first;
  }

  const Node& node_;
  std::vector<std::int64_t> features_, yes_, no_, yes_leaf_, no_leaf_, missing_, targets_;
  std::vector<double> modes_, splits_, weights_;
  std::vector<std::vector<double>> members_;  ///< by node
  std::vector<char> on_way_;                  ///< by node, whether it is on the way
  std::int64_t tree_ = 0, next_ = 0;
  std::vector<std::int64_t> made_trees_, made_ids_, made_features_, made_yes_, made_no_, made_missing_;
  std::vector<std::string> made_modes_;
  std::vector<double> made_values_;
  std::vector<std::int64_t> leaf_trees_, leaf_ids_, leaf_targets_;
  std::vector<double> leaf_weights_;
};

}  // namespace

Node as_tree_regressor(const Node& ensemble) { return Writer(ensemble).write(); }

}  // namespace tacit::graph
