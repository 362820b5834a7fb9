#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "graph/graph.h"

/// Ensembles of decision trees that are drawn at random, and rows for them.
namespace tacit::graph::quant {

inline constexpr std::int64_t kFeatures = 4;  ///< of every row

using Attributes = std::map<std::string, Attribute>;

/// The choices for drawing an ensemble.
struct Drawing {
  int trees = 10, depth = 4;
  std::int64_t targets = 1;
  bool missing = false;    ///< rows hold NaN, and nodes say where it goes
  bool any_mode = false;   ///< beside BRANCH_LEQ
  double thresholds = 16;  ///< different ones of a feature, at most
};

/// Draws the attributes of a regressor, and then rows.
class Draw {
 public:
  Draw(const Drawing& drawing, unsigned seed) : drawing_(drawing), random_(seed) {}

  Attributes attributes() {
    for (std::int64_t target = 0; target < drawing_.targets; ++target) widths_.push_back(std::pow(10.0, real(-4, 5)));
    for (tree_ = 0; tree_ < drawing_.trees; ++tree_) {
      next_ = 0;
      offset_ = tree_ == 0 ? 100 : 0;  // a base score in the first tree
      node(drawing_.depth);
    }
    return {{"nodes_treeids", trees_},       {"nodes_nodeids", ids_},
            {"nodes_featureids", features_}, {"nodes_values", values_},
            {"nodes_modes", modes_},         {"nodes_truenodeids", yes_},
            {"nodes_falsenodeids", no_},     {"nodes_missing_value_tracks_true", missing_},
            {"target_treeids", leaf_trees_}, {"target_nodeids", leaf_ids_},
            {"target_ids", leaf_targets_},   {"target_weights", leaf_weights_},
            {"n_targets", drawing_.targets}};
  }

  /// Draws rows. Many of the numbers are on thresholds.
  std::vector<std::vector<Tensor>> rows(std::size_t count) {
    std::vector<std::vector<Tensor>> list(count);
    for (auto& row : list) {
      Tensor x{{1, kFeatures}, {}, false};
      for (std::int64_t f = 0; f < kFeatures; ++f)
        x.data.push_back(drawing_.missing && whole(10) == 0 ? std::numeric_limits<double>::quiet_NaN()
                                                            : (whole(40) - 20) / 8.0);
      row.push_back(std::move(x));
    }
    return list;
  }

  double real(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  int whole(int end) { return std::uniform_int_distribution<int>(0, end - 1)(random_); }

 private:
  std::int64_t node(int depth) {
    const std::int64_t id = next_++;
    const std::size_t at = ids_.size();
    trees_.push_back(tree_);
    ids_.push_back(id);
    features_.push_back(whole(kFeatures));
    values_.push_back(std::round(real(-2.5, 2.5) * drawing_.thresholds / 5) * 5 / drawing_.thresholds);
    static const std::vector<std::string> kModes{"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE",
                                                 "BRANCH_GT",  "BRANCH_EQ", "BRANCH_NEQ"};
    modes_.push_back(kModes[drawing_.any_mode ? static_cast<std::size_t>(whole(6)) : 0]);
    yes_.push_back(0);
    no_.push_back(0);
    missing_.push_back(drawing_.missing ? whole(2) : 0);
    if (depth == 0 || (depth < drawing_.depth && whole(5) == 0)) {
      modes_[at] = "LEAF";
      for (std::int64_t target = 0; target < drawing_.targets; ++target) {
        leaf_trees_.push_back(tree_);
        leaf_ids_.push_back(id);
        leaf_targets_.push_back(target);
        leaf_weights_.push_back(widths_[static_cast<std::size_t>(target)] * (real(-1, 1) + offset_));
      }
      return id;
    }
    const std::int64_t yes = node(depth - 1), no = node(depth - 1);
    yes_[at] = yes;
    no_[at] = no;
    return id;
  }

  Drawing drawing_;
  std::mt19937 random_;
  std::int64_t tree_ = 0, next_ = 0;
  double offset_ = 0;
  std::vector<double> widths_;  ///< of leaves, by target
  std::vector<std::int64_t> trees_, ids_, features_, yes_, no_, missing_, leaf_trees_, leaf_ids_, leaf_targets_;
  std::vector<double> values_, leaf_weights_;
  std::vector<std::string> modes_;
};

}  // namespace tacit::graph::quant
