#include "graph/slots/tree_ways.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.h"

namespace tacit::graph::passes {
namespace {

bool holds_nowhere(const std::vector<char>& holds) {
  return std::ranges::none_of(holds, [](char one) { return one != 0; });
}
bool holds_everywhere(const std::vector<char>& holds) {
  return std::ranges::all_of(holds, [](char one) { return one != 0; });
}

/// The ways of one tree, in the order of its leaves.
class Walker {
 public:
  Walker(const Tree& tree, const std::function<NodeOnGrid(const TreeNode&)>& on_grid, std::size_t targets,
         double factor, std::size_t most)
      : tree_(tree), on_grid_(on_grid), targets_(targets), factor_(factor), most_(most) {}

  std::vector<TreeWay> run() {
    walk(0, 0);
    return std::move(ways_);
  }

 private:
  void walk(std::size_t at, std::size_t depth) {
    const TreeNode& node = tree_[at];
    if (node.leaf) {
      end(node);
      return;
    }
    if (depth == kDeepestWay)
      base::refuse(
          "a tree has more than {} nodes from its root to a leaf, which is the deepest tree that is encrypted: "
          "train trees of a smaller depth, or compile with --scheme tfhe",
          kDeepestWay);
    const NodeOnGrid condition = on_grid_(node);
    for (const bool yes : {true, false}) {
      std::vector<char> holds = condition.goes_yes;
      if (!yes)
        for (char& one : holds) one = one != 0 ? 0 : 1;
      // The boxes that earlier nodes on this element leave.
      const auto known = way_.find(condition.place);
      const std::vector<char> before = known == way_.end() ? std::vector<char>() : known->second;
      for (std::size_t b = 0; b < before.size(); ++b) holds[b] = holds[b] != 0 && before[b] != 0 ? 1 : 0;
      if (holds_nowhere(holds)) continue;
      way_[condition.place] = std::move(holds);
      walk(yes ? node.yes : node.no, depth + 1);
      if (before.empty())
        way_.erase(condition.place);
      else
        way_[condition.place] = before;
    }
  }

  void end(const TreeNode& leaf) {
    if (ways_.size() == most_)
      base::refuse(
          "a tree has more than {} leaves that inputs reach, and encrypted trees have at most so many in all: "
          "train trees of fewer leaves, or compile with --scheme tfhe",
          most_);
    TreeWay way;
    for (const auto& [place, holds] : way_)
      if (!holds_everywhere(holds)) way.factors.push_back({place, holds});
    way.weights.assign(targets_, 0.0);
    for (const auto& [target, weight] : leaf.weights) way.weights[target] += factor_ * weight;
    ways_.push_back(std::move(way));
  }

  const Tree& tree_;
  const std::function<NodeOnGrid(const TreeNode&)>& on_grid_;
  std::size_t targets_;
  double factor_;
  std::size_t most_;
  std::map<std::size_t, std::vector<char>> way_;  ///< by place: the boxes that the nodes so far leave
  std::vector<TreeWay> ways_;
};

/// Returns the weights that most ways have, the first of several.
std::vector<double> most_frequent(const std::vector<TreeWay>& ways) {
  std::map<std::vector<double>, std::size_t> counts;
  for (const TreeWay& way : ways) ++counts[way.weights];
  std::size_t most = 0;
  for (const auto& [weights, count] : counts) most = std::max(most, count);
  const auto found = std::ranges::find_if(ways, [&](const TreeWay& way) { return counts[way.weights] == most; });
  return found->weights;
}

}  // namespace

std::size_t TreeWays::longest() const {
  std::size_t most = 0;
  for (const TreeWay& way : ways) most = std::max(most, way.factors.size());
  return most;
}

Range TreeWays::range(std::size_t target) const {
  Range all{base[target], base[target]};
  for (std::size_t i = 0; i < ways.size();) {
    Range tree{0, 0};
    for (const std::size_t first = i; i < ways.size() && ways[i].tree == ways[first].tree; ++i)
      tree.include(ways[i].weights[target]);
    all = {all.lowest + tree.lowest, all.highest + tree.highest};
  }
  return all;
}

TreeWays tree_ways(const TreeEnsemble& ensemble, const std::function<NodeOnGrid(const TreeNode&)>& on_grid,
                   std::size_t most) {
  TreeWays result{.ways = {}, .base = ensemble.base};
  for (std::size_t i = 0; i < ensemble.trees.size(); ++i) {
    std::vector<TreeWay> ways = Walker(ensemble.trees[i], on_grid, ensemble.targets(), ensemble.factor, most).run();
    const std::vector<double> usual = most_frequent(ways);
    for (std::size_t t = 0; t < usual.size(); ++t) result.base[t] += usual[t];
    for (TreeWay& way : ways) {
      if (way.weights == usual) continue;
      way.tree = i;
      for (std::size_t t = 0; t < usual.size(); ++t) way.weights[t] -= usual[t];
      result.ways.push_back(std::move(way));
    }
    if (result.ways.size() > most)
      base::refuse(
          "its {} trees have more than {} leaves that inputs reach, and encrypted trees have at most so many in "
          "all: train fewer or smaller trees, or compile with --scheme tfhe",
          ensemble.trees.size(), most);
  }
  return result;
}

}  // namespace tacit::graph::passes
