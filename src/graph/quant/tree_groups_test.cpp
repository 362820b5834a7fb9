#include "graph/quant/tree_groups.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace tacit::graph::quant {
namespace {

/// A tree of one comparison with leaves of two targets.
Tree stump(double threshold, std::pair<double, double> yes, std::pair<double, double> no) {
  Tree tree(3);
  tree[0].threshold = threshold;
  tree[0].yes = 1;
  tree[0].no = 2;
  tree[0].leaf = false;
  tree[1].weights = {{0, yes.first}, {1, yes.second}};
  tree[2].weights = {{0, no.first}, {1, no.second}};
  return tree;
}

TreeEnsemble random_stumps(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> draw;
  TreeEnsemble ensemble{{}, {3, -2}, 0.5, 1};
  for (std::size_t i = 0; i < count; ++i) {
    const double wide = std::exp(-0.05 * static_cast<double>(i));
    ensemble.trees.push_back(
        stump(draw(random), {wide * draw(random), draw(random)}, {wide * draw(random), draw(random)}));
  }
  return ensemble;
}

double width_of(const Tree& tree, std::size_t target) {
  return std::abs(tree[1].weight_of(target) - tree[2].weight_of(target));
}

TEST(TreeGroups, TheSumsOfTheGroupsAreTheScores) {
  const TreeEnsemble ensemble = random_stumps(50, 1);
  const GroupedTrees grouped = in_groups(ensemble, {}, 4);
  EXPECT_EQ(grouped.ensemble.targets(), 8u);
  for (const double x : {-3.0, -0.4, 0.1, 2.0}) {
    const std::vector<double> row{x}, scores = ensemble.scores(row), parts = grouped.ensemble.scores(row);
    for (std::size_t t = 0; t < 2; ++t) {
      double sum = 0;
      for (std::size_t g = 0; g < 4; ++g) sum += parts[4 * t + g];
      EXPECT_NEAR(sum, scores[t], 1e-12);
    }
  }
}

TEST(TreeGroups, GroupsAreEquallyWideAndTheirTreesAlike) {
  const TreeEnsemble ensemble = random_stumps(400, 2);
  const GroupedTrees grouped = in_groups(ensemble, {}, 4);
  double before = std::numeric_limits<double>::infinity(), all = 0;
  for (const Tree& tree : ensemble.trees) all += width_of(tree, 0);
  for (std::size_t g = 0; g < 4; ++g) {
    double sum = 0, widest = 0, narrowest = std::numeric_limits<double>::infinity();
    for (const Tree& tree : grouped.ensemble.trees) {
      if (tree[1].weights[0].first != g) continue;
      sum += width_of(tree, g);
      widest = std::max(widest, width_of(tree, g));
      narrowest = std::min(narrowest, width_of(tree, g));
    }
    EXPECT_NEAR(sum, all / 4, 0.06 * all);
    EXPECT_LE(widest, before);
    before = narrowest;
  }
}

TEST(TreeGroups, RangesAreDividedByTheSpreadOfTheGroups) {
  const GroupedTrees grouped = in_groups(random_stumps(60, 3), {Range{-1, 5}, Range{}}, 2);
  ASSERT_EQ(grouped.shares.size(), 4u);
  for (std::size_t t = 0; t < 2; ++t)
    EXPECT_NEAR(grouped.shares[2 * t] * grouped.shares[2 * t] + grouped.shares[2 * t + 1] * grouped.shares[2 * t + 1],
                1, 1e-12);
  EXPECT_GT(grouped.shares[0], grouped.shares[1]);
  ASSERT_EQ(grouped.seen.size(), 4u);
  for (std::size_t g = 0; g < 2; ++g) EXPECT_DOUBLE_EQ(grouped.seen[g].width(), 6 * grouped.shares[g]);
  EXPECT_FALSE(grouped.seen[2].known());
}

TEST(TreeGroups, TreesOfEqualLeavesAreInTheFirstGroup) {
  TreeEnsemble ensemble{{}, {0, 0}, 1, 1};
  for (int i = 0; i < 3; ++i) ensemble.trees.push_back(stump(0, {1, 2}, {1, 2}));
  const GroupedTrees grouped = in_groups(ensemble, {}, 2);
  const std::vector<double> row{0.0};
  EXPECT_EQ(grouped.ensemble.scores(row), (std::vector<double>{3, 0, 6, 0}));
  EXPECT_EQ(grouped.shares, (std::vector<double>{0, 0, 0, 0}));
}

}  // namespace
}  // namespace tacit::graph::quant
