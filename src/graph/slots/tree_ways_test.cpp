#include "graph/slots/tree_ways.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace tacit::graph::passes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

TreeNode split(std::int64_t feature, double threshold, std::size_t yes, std::size_t no) {
  return {Comparison::at_most, feature, threshold, yes, no, false, false, {}};
}
TreeNode leaf(double weight) {
  TreeNode node;
  node.weights = {{0, weight}};
  return node;
}

/// A grid of four boxes at 0, 1, 2 and 3 for every feature.
NodeOnGrid on_four_boxes(const TreeNode& node) {
  NodeOnGrid result{static_cast<std::size_t>(node.feature), {}};
  for (const double point : {0.0, 1.0, 2.0, 3.0}) result.goes_yes.push_back(node.goes_yes(point) ? 1 : 0);
  return result;
}

TreeEnsemble of_one(Tree tree, double factor = 1) { return {{std::move(tree)}, {10.0}, factor, 2}; }

// x0 <= 1 ? (x1 <= 0 ? 5 : 7) : (x0 <= 2 ? 7 : 9). The leaf 7 is the most frequent.
TEST(TreeWays, TheMostFrequentLeafIsInTheBase) {
  const TreeEnsemble ensemble =
      of_one({split(0, 1.5, 1, 2), split(1, 0.5, 3, 4), split(0, 2.5, 5, 6), leaf(5), leaf(7), leaf(7), leaf(9)}, 0.5);
  const TreeWays ways = tree_ways(ensemble, on_four_boxes, 100);
  EXPECT_THAT(ways.base, ElementsAre(10 + 3.5));
  ASSERT_EQ(ways.ways.size(), 2U);
  EXPECT_THAT(ways.ways[0].weights, ElementsAre(-1.0));
  ASSERT_EQ(ways.ways[0].factors.size(), 2U);
  EXPECT_THAT(ways.ways[0].factors[0].holds, ElementsAre(1, 1, 0, 0));
  EXPECT_THAT(ways.ways[0].factors[1].holds, ElementsAre(1, 0, 0, 0));
  // Two nodes on one feature are one factor.
  EXPECT_THAT(ways.ways[1].weights, ElementsAre(1.0));
  ASSERT_EQ(ways.ways[1].factors.size(), 1U);
  EXPECT_THAT(ways.ways[1].factors[0].holds, ElementsAre(0, 0, 0, 1));
  EXPECT_EQ(ways.longest(), 2U);
  EXPECT_EQ(ways.range(0), (Range{12.5, 14.5}));
}

// The leaf 8 needs x0 <= 1 and x0 > 1 in boxes: nothing is between 1.2 and 1.8.
TEST(TreeWays, LeavesThatNoBoxReachesAreLeftOut) {
  const TreeEnsemble ensemble = of_one({split(0, 1.8, 1, 2), split(0, 1.2, 3, 4), leaf(6), leaf(5), leaf(8)});
  const TreeWays ways = tree_ways(ensemble, on_four_boxes, 100);
  EXPECT_THAT(ways.base, ElementsAre(15.0));
  ASSERT_EQ(ways.ways.size(), 1U);
  EXPECT_THAT(ways.ways[0].weights, ElementsAre(1.0));
  EXPECT_THAT(ways.ways[0].factors[0].holds, ElementsAre(0, 0, 1, 1));
}

TEST(TreeWays, ATreeOfOneLeafIsInTheBase) {
  const TreeWays ways = tree_ways(of_one({leaf(3)}), on_four_boxes, 100);
  EXPECT_THAT(ways.base, ElementsAre(13.0));
  EXPECT_TRUE(ways.ways.empty());
}

TEST(TreeWays, RefusesTreesThatAreTooDeepOrHaveTooManyLeaves) {
  Tree deep;
  for (std::size_t i = 0; i <= kDeepestWay; ++i) {
    deep.push_back(split(0, 9, 2 * i + 2, 2 * i + 1));
    deep.push_back(leaf(static_cast<double>(i)));
  }
  deep.push_back(leaf(0));
  // Node 2 i is followed by a leaf at 2 i + 1 and the next node at 2 i + 2.
  EXPECT_THAT([&] { tree_ways(of_one(deep), on_four_boxes, 100); },
              ThrowsMessage<base::InputError>(HasSubstr("more than 256 nodes from its root to a leaf")));
  const TreeEnsemble three = of_one({split(0, 0.5, 1, 2), leaf(1), split(0, 1.5, 3, 4), leaf(2), leaf(3)});
  EXPECT_THAT([&] { tree_ways(three, on_four_boxes, 2); },
              ThrowsMessage<base::InputError>(HasSubstr("more than 2 leaves that inputs reach")));
}

}  // namespace
}  // namespace tacit::graph::passes
