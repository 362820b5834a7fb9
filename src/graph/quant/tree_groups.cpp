#include "graph/quant/tree_groups.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tacit::graph::quant {
namespace {

/// Returns by tree the width of its leaves in a target.
std::vector<double> widths_of(const TreeEnsemble& ensemble, std::size_t target) {
  std::vector<double> widths;
  for (const Tree& tree : ensemble.trees) {
    Range range;
    for (const TreeNode& node : tree)
      if (node.leaf) range.include(node.weight_of(target) * ensemble.factor);
    widths.push_back(range.width());
  }
  return widths;
}

/// Returns by tree its group: trees in falling order of width, cut into groups of the same sum of widths.
std::vector<std::size_t> groups_of(const std::vector<double>& widths, std::size_t groups) {
  std::vector<std::size_t> order(widths.size()), group(widths.size(), 0);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t tree) { return widths[tree]; });
  const double all = std::accumulate(widths.begin(), widths.end(), 0.0);
  double before = 0;
  for (const std::size_t tree : order) {
    const double middle = before + widths[tree] / 2;
    if (all > 0)
      group[tree] = std::min(groups - 1, static_cast<std::size_t>(middle / all * static_cast<double>(groups)));
    before += widths[tree];
  }
  return group;
}

}  // namespace

GroupedTrees in_groups(const TreeEnsemble& ensemble, const std::vector<Range>& seen, std::size_t groups) {
  const std::size_t targets = ensemble.targets();
  GroupedTrees result{ensemble, {}, {}, groups};
  result.ensemble.base.assign(targets * groups, 0.0);
  std::vector<std::vector<std::size_t>> group(targets);
  for (std::size_t t = 0; t < targets; ++t) {
    const std::vector<double> widths = widths_of(ensemble, t);
    group[t] = groups_of(widths, groups);
    result.ensemble.base[t * groups] = ensemble.base[t];
    std::vector<double> squares(groups, 0.0);
    for (std::size_t tree = 0; tree < widths.size(); ++tree) squares[group[t][tree]] += widths[tree] * widths[tree];
    const double all = std::accumulate(squares.begin(), squares.end(), 0.0);
    for (const double of_group : squares) {
      result.shares.push_back(all > 0 ? std::sqrt(of_group / all) : 0);
      if (t < seen.size())
        result.seen.push_back(seen[t].known() ? Range{0, seen[t].width() * result.shares.back()} : Range{});
    }
  }
  for (std::size_t tree = 0; tree < result.ensemble.trees.size(); ++tree)
    for (TreeNode& node : result.ensemble.trees[tree])
      for (auto& [target, weight] : node.weights) target = target * groups + group[target][tree];
  return result;
}

}  // namespace tacit::graph::quant
