#include "graph/quant/tree_lookups.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tacit::graph::quant {
namespace {

class Cutter {
 public:
  Cutter(int bits, const std::function<std::vector<char>(const TreeNode&)>& answers) : bits_(bits), answers_(answers) {}

  void cut(const Tree& tree) {
    condition_of_.assign(tree.size(), 0);
    inner_.assign(tree.size(), 0);
    for (std::size_t at = tree.size(); at-- > 0;) {
      if (tree[at].leaf) continue;
      inner_[at] = 1 + inner_[tree[at].yes] + inner_[tree[at].no];
      condition_of_[at] = condition(tree[at]);
    }
    std::vector<TreePart::Use> way;
    cut_below(tree, 0, way);
    ++trees_;
  }
  TreeParts take() { return std::move(parts_); }

 private:
  std::size_t condition(const TreeNode& node) {
    std::pair<std::int64_t, std::vector<char>> key{node.feature, answers_(node)};
    const auto [found, added] = conditions_.emplace(key, parts_.conditions.size());
    if (added) parts_.conditions.push_back({key.first, std::move(key.second)});
    return found->second;
  }

  /// Adds a part for the whole subtree if its argument fits, and otherwise separate parts for both sides.
  void cut_below(const Tree& tree, std::size_t at, std::vector<TreePart::Use>& way) {
    const std::size_t most = std::size_t{1} << bits_;
    if (inner_[at] <= static_cast<std::size_t>(bits_) && (way.size() + 1) << inner_[at] <= most) {
      add_part(tree, at, way);
      return;
    }
    if (way.size() + 1 == most) {  // a table cannot count a longer way
      std::vector<TreePart::Use> rest{shorten(way)};
      cut_below(tree, at, rest);
      return;
    }
    for (const bool wanted : {true, false}) {
      way.push_back({condition_of_[at], wanted});
      cut_below(tree, wanted ? tree[at].yes : tree[at].no, way);
      way.pop_back();
    }
  }

  TreePart::Use shorten(const std::vector<TreePart::Use>& way) {
    const std::size_t level = way.front().prefix ? parts_.prefixes[way.front().condition].level + 1 : 0;
    parts_.prefixes.push_back({way, level});
    return {parts_.prefixes.size() - 1, true, true};
  }

  void add_part(const Tree& tree, std::size_t root, const std::vector<TreePart::Use>& way) {
    TreePart part;
    part.tree = trees_;
    part.way = way;
    std::vector<std::size_t> own;  // its inner nodes, in order
    std::vector<std::size_t> pending{root};
    for (std::size_t i = 0; i < pending.size(); ++i) {
      const TreeNode& node = tree[pending[i]];
      if (node.leaf) {
        part.leaves.push_back(&node);
      } else {
        own.push_back(pending[i]);
        part.nodes.push_back(condition_of_[pending[i]]);
        pending.push_back(node.yes);
        pending.push_back(node.no);
      }
    }
    for (std::size_t answers = 0; answers < std::size_t{1} << own.size(); ++answers) {
      std::size_t at = root;
      while (!tree[at].leaf) {
        const auto place = static_cast<std::size_t>(std::ranges::find(own, at) - own.begin());
        at = (answers >> place & 1) != 0 ? tree[at].yes : tree[at].no;
      }
      part.leaf_of.push_back(static_cast<std::size_t>(std::ranges::find(part.leaves, &tree[at]) - part.leaves.begin()));
    }
    parts_.parts.push_back(std::move(part));
  }

  int bits_;
  const std::function<std::vector<char>(const TreeNode&)>& answers_;
  std::map<std::pair<std::int64_t, std::vector<char>>, std::size_t> conditions_;
  std::vector<std::size_t> condition_of_, inner_;  // by node of the tree: its condition, and inner nodes from it down
  TreeParts parts_;
  std::size_t trees_ = 0;  ///< trees that are cut
};

}  // namespace

TreeParts cut_trees(const TreeEnsemble& ensemble, int bits,
                    const std::function<std::vector<char>(const TreeNode&)>& answers) {
  Cutter cutter(bits, answers);
  for (const Tree& tree : ensemble.trees) cutter.cut(tree);
  return cutter.take();
}

}  // namespace tacit::graph::quant
