#include "graph/quant/tree_leaves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace tacit::graph::quant {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

/// A stump whose leaves add these to every target.
Tree leaf_stump(std::vector<double> yes, std::vector<double> no) {
  Tree tree(3);
  tree[0].leaf = false;
  tree[0].yes = 1;
  tree[0].no = 2;
  for (std::size_t target = 0; target < yes.size(); ++target) {
    tree[1].weights.emplace_back(target, yes[target]);
    tree[2].weights.emplace_back(target, no[target]);
  }
  return tree;
}

/// Returns the score of one leaf of every tree, from integers.
double score(const LeafIntegers& integers, const TreeEnsemble& ensemble, std::size_t target,
             const std::vector<std::size_t>& leaves) {
  std::int64_t sum = 0;
  for (std::size_t tree = 0; tree < leaves.size(); ++tree)
    sum += leaf_integer(integers, ensemble, tree, ensemble.trees[tree][leaves[tree]], target);
  EXPECT_GE(sum, integers.lowest[target]);
  EXPECT_LE(sum, integers.highest[target]);
  return integers.units[target] * static_cast<double>(sum) + integers.offsets[target];
}

/// A base score of a million in the first tree leaves the others their bits.
TEST(TreeLeaves, BaseScoresTakeNoBits) {
  const TreeEnsemble ensemble{{leaf_stump({1e6 + 0.31}, {1e6 - 0.17}), leaf_stump({0.123}, {-0.71})}, {5}, 1, 1};
  const LeafIntegers integers = leaf_integers(ensemble, {});
  EXPECT_NEAR(score(integers, ensemble, 0, {1, 1}), 1e6 + 5 + 0.433, 0.002);
  EXPECT_NEAR(score(integers, ensemble, 0, {2, 2}), 1e6 + 5 - 0.88, 0.002);
}

TEST(TreeLeaves, TargetsHaveUnitsOfTheirOwn) {
  const TreeEnsemble ensemble{{leaf_stump({0.37, 1000}, {0, 31.7}), leaf_stump({0.11, 0}, {0.9, -777})}, {0, 0}, 1, 1};
  const LeafIntegers integers = leaf_integers(ensemble, {});
  EXPECT_EQ(integers.looked_up, 2u);
  EXPECT_NEAR(score(integers, ensemble, 0, {1, 2}), 1.27, 0.002);
  EXPECT_NEAR(score(integers, ensemble, 1, {1, 2}), 223, 2);
  EXPECT_THAT(integers.units, ElementsAre(DoubleNear(0.01, 1e-9), DoubleNear(0.1, 1e-9)));
}

/// Leaves that are multiples of 3 above the least of their tree are exact, and their sums take few bits.
TEST(TreeLeaves, WholeMultiplesAreExact) {
  const TreeEnsemble ensemble{{leaf_stump({4}, {10}), leaf_stump({100}, {-11})}, {0}, 1, 1};
  const LeafIntegers integers = leaf_integers(ensemble, {});
  EXPECT_THAT(integers.units, ElementsAre(3));
  EXPECT_EQ(score(integers, ensemble, 0, {1, 1}), 104);
  EXPECT_EQ(score(integers, ensemble, 0, {2, 2}), -1);
  EXPECT_EQ(integers.highest[0] - integers.lowest[0], 39);
}

/// The unit follows from the samples if their range is less than the sum of all trees.
TEST(TreeLeaves, SamplesDecideHowFineUnitsAre) {
  std::vector<Tree> trees;
  for (int t = 0; t < 64; ++t) trees.push_back(leaf_stump({std::sin(t)}, {std::cos(7 * t)}));
  const TreeEnsemble ensemble{trees, {0}, 1, 1};
  const double coarse = leaf_integers(ensemble, {{-30, 30}}, {.most = 20}).units[0],
               fine = leaf_integers(ensemble, {{-1, 1}}, {.most = 20}).units[0];
  EXPECT_GT(coarse, 4 * fine);
  EXPECT_LE(coarse * std::sqrt(64 / 12.0), 2e-3 * 60);
  const double cheap = leaf_integers(ensemble, {{-30, 30}}, {.cheap = 18, .most = 20}).units[0];
  EXPECT_LT(cheap, coarse / 8) << "more bits where they cost nothing";
}

TEST(TreeLeaves, TheLastTargetIsTheRestWhereLeavesShareASum) {
  const TreeEnsemble shared{{leaf_stump({0.7, 0.3}, {0.2, 0.8}), leaf_stump({0.55, 0.45}, {0.1, 0.9})}, {0, 0}, 0.5, 1};
  const LeafIntegers integers = leaf_integers(shared, {});
  EXPECT_EQ(integers.looked_up, 1u);
  EXPECT_EQ(integers.lowest[1], -integers.highest[0]);
  EXPECT_NEAR(integers.offsets[0] + integers.offsets[1], 1, 1e-12);
  // Each of several targets of very unequal width has lookups, so that the narrow one keeps its bits.
  const TreeEnsemble uneven{{leaf_stump({0.7, 0.2, 0.1}, {0.2, 0.699, 0.101})}, {0, 0, 0}, 1, 1};
  EXPECT_EQ(leaf_integers(uneven, {}).looked_up, 3u);
}

/// One split of three classes: each target has one step, and the three have no common one.
TEST(TreeLeaves, StepsWithoutACommonUnitAreRounded) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> share(0, 1);
  for (int turn = 0; turn < 200; ++turn) {
    std::vector<double> leaves[2];
    for (std::vector<double>& leaf : leaves) {
      const float a = share(random), b = share(random), c = share(random), sum = a + b + c;
      for (const float x : {a, b, c}) leaf.push_back(static_cast<double>(x / sum));
    }
    const TreeEnsemble ensemble{{leaf_stump(leaves[0], leaves[1])}, {0, 0, 0}, 1, 1};
    const LeafIntegers integers = leaf_integers(ensemble, {});
    for (std::size_t target = 0; target < integers.looked_up; ++target)
      for (std::size_t leaf = 0; leaf < 2; ++leaf)
        ASSERT_NEAR(score(integers, ensemble, target, {leaf + 1}), leaves[leaf][target], 2e-3) << turn;
  }
}

/// Halves, thirds and sixths in single precision: two classes of one half each tie, as they do in the clear.
TEST(TreeLeaves, EqualSharesStayEqual) {
  const double third = static_cast<double>(1.0F / 3), two_thirds = static_cast<double>(2.0F / 3);
  const TreeEnsemble ensemble{
      {leaf_stump({0, 0.5, 0.5}, {0, third, two_thirds}), leaf_stump({1, 0, 0}, {0, 1, 0})}, {0, 0, 0}, 1, 1};
  const LeafIntegers integers = leaf_integers(ensemble, {});
  ASSERT_EQ(integers.looked_up, 2u);
  std::int64_t sums[2] = {0, 0};
  for (std::size_t target = 0; target < 2; ++target)
    for (std::size_t tree = 0; tree < 2; ++tree)
      sums[target] += leaf_integer(integers, ensemble, tree, ensemble.trees[tree][1], target);
  const double second = integers.units[1] * static_cast<double>(sums[1]) + integers.offsets[1];
  const double third_target = integers.units[2] * static_cast<double>(-sums[0] - sums[1]) + integers.offsets[2];
  EXPECT_NEAR(second, 0.5, 1e-12);
  EXPECT_NEAR(third_target, 0.5, 1e-12);
}

}  // namespace
}  // namespace tacit::graph::quant
