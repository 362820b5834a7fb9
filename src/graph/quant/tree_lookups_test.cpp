#include "graph/quant/tree_lookups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/error.h"
#include "base/refusal_for_test.h"

namespace tacit::graph::quant {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TreeNode leaf(double weight) {
  TreeNode made;
  made.weights = {{0, weight}};
  return made;
}

/// Grows a tree below `at`, to that depth or to a leaf by chance; leaves have different weights.
void grow(Tree& tree, std::size_t at, int depth, std::mt19937& random) {
  if (depth == 0 || random() % 5 == 0) {
    tree[at] = leaf(static_cast<double>(at + 1));
    return;
  }
  TreeNode node;
  node.leaf = false;
  node.feature = static_cast<std::int64_t>(random() % 3);
  node.threshold = static_cast<double>(random() % 7) + 0.5;
  node.yes = tree.size();
  node.no = tree.size() + 1;
  tree.resize(tree.size() + 2);
  grow(tree, node.yes, depth - 1, random);
  grow(tree, node.no, depth - 1, random);
  tree[at] = node;
}

/// Returns the sum of the parts when features are in these boxes of 8.
double sum_of(const TreeParts& parts, const std::vector<std::size_t>& boxes, int bits) {
  const auto holds = [&](std::size_t condition) {
    const Condition& asked = parts.conditions[condition];
    return asked.holds[boxes[static_cast<std::size_t>(asked.feature)]] != 0;
  };
  double sum = 0;
  for (const TreePart& part : parts.parts) {
    EXPECT_LT(part.highest(), std::int64_t{1} << bits);
    std::size_t way = 0, own = 0;
    for (const TreePart::Use& use : part.way) way += holds(use.condition) == use.wanted ? 1 : 0;
    for (std::size_t i = 0; i < part.nodes.size(); ++i) own |= std::size_t{holds(part.nodes[i])} << i;
    if (way == part.way.size()) sum += part.leaves[part.leaf_of[own]]->weights[0].second;
  }
  return sum;
}

TEST(TreeLookups, PartsOfATreeAddUpToItsLeaf) {
  std::mt19937 random(7);
  for (const int bits : {2, 3, 4, 6, 8})
    for (int trial = 0; trial < 8; ++trial) {
      TreeEnsemble ensemble;
      ensemble.base = {0};
      ensemble.features = 3;
      for (int t = 0; t < 2; ++t) {
        Tree& tree = ensemble.trees.emplace_back(1);
        grow(tree, 0, bits == 2 ? 3 : 6, random);
      }
      const TreeParts parts = cut_trees(ensemble, bits, [](const TreeNode& node) {
        std::vector<char> answers;
        for (double box = 0; box < 8; ++box) answers.push_back(holds(node.comparison, box, node.threshold) ? 1 : 0);
        return answers;
      });
      EXPECT_LE(parts.conditions.size(), 21u);  // 7 thresholds on 3 features, each once
      for (std::size_t at = 0; at < 512; ++at) {
        const std::vector<std::size_t> boxes{at % 8, at / 8 % 8, at / 64};
        const std::vector<double> row{boxes.begin(), boxes.end()};
        EXPECT_EQ(sum_of(parts, boxes, bits), ensemble.scores(row)[0]) << bits << " " << at;
      }
    }
}

TEST(TreeLookups, TreesDeeperThanTheirTablesAreRefused) {
  TreeEnsemble ensemble;
  Tree& chain = ensemble.trees.emplace_back(1);
  for (std::size_t depth = 0; depth < 9; ++depth) {
    const std::size_t at = depth == 0 ? 0 : chain.size() - 1;
    chain.push_back(leaf(1));
    chain.push_back(leaf(2));
    chain[at].leaf = false;
    chain[at].threshold = static_cast<double>(depth);
    chain[at].yes = chain.size() - 2;
    chain[at].no = chain.size() - 1;
  }
  const auto cut = [&](int bits) {
    return cut_trees(ensemble, bits, [](const TreeNode& node) {
      std::vector<char> answers;
      for (double box = 0; box < 16; ++box) answers.push_back(box <= node.threshold ? 1 : 0);
      return answers;
    });
  };
  EXPECT_FALSE(cut(2).prefixes.empty());
  EXPECT_GE(cut(4).parts.size(), 3u);
}

/// A tree whose questions follow each other, all but the last with a leaf where they hold.
TreeEnsemble chain_of(std::size_t questions) {
  TreeEnsemble ensemble;
  ensemble.base = {0};
  Tree& chain = ensemble.trees.emplace_back(1, leaf(0));
  for (std::size_t depth = 0; depth < questions; ++depth) {
    TreeNode& last = chain.back();
    last.leaf = false;
    last.threshold = static_cast<double>(depth);
    last.yes = chain.size();
    last.no = chain.size() + 1;
    chain.push_back(leaf(1));
    chain.push_back(leaf(2));
  }
  return ensemble;
}

TreeParts cut_with_sixteen_boxes(const TreeEnsemble& ensemble, int bits) {
  return cut_trees(ensemble, bits, [](const TreeNode& node) {
    std::vector<char> answers;
    for (double box = 0; box < 16; ++box) answers.push_back(box <= node.threshold ? 1 : 0);
    return answers;
  });
}

/// A table of two bits holds two questions, or a question after one, or a leaf after three.
TEST(TreeLookups, TablesHoldAsManyQuestionsAsTheyHaveBits) {
  const TreeEnsemble two = chain_of(2), three = chain_of(3), four = chain_of(4);
  const TreeParts whole = cut_with_sixteen_boxes(two, 2);
  ASSERT_EQ(whole.parts.size(), 1u);
  EXPECT_EQ(whole.parts[0].nodes.size(), 2u);
  EXPECT_EQ(whole.parts[0].leaves.size(), 3u);
  EXPECT_EQ(whole.parts[0].leaf_of.size(), 4u);
  EXPECT_TRUE(whole.parts[0].way.empty());
  EXPECT_EQ(whole.parts[0].highest(), 3);
  const TreeParts cut = cut_with_sixteen_boxes(three, 2);
  ASSERT_EQ(cut.parts.size(), 4u) << "every leaf";
  for (std::size_t i = 0; i < cut.parts.size(); ++i) {
    EXPECT_EQ(cut.parts[i].way.size(), std::min<std::size_t>(i + 1, 3)) << i;
    EXPECT_TRUE(cut.parts[i].nodes.empty()) << i;
    EXPECT_EQ(cut.parts[i].highest(), std::min<std::int64_t>(static_cast<std::int64_t>(i) + 1, 3)) << i;
  }
  EXPECT_EQ(cut_with_sixteen_boxes(three, 3).parts.size(), 1u);
  // A way of four is more than a table of two bits counts: its first three are one condition.
  const TreeParts longer = cut_with_sixteen_boxes(four, 2);
  ASSERT_EQ(longer.prefixes.size(), 1u);
  EXPECT_EQ(longer.prefixes[0].way.size(), 3u);
  EXPECT_EQ(longer.prefixes[0].level, 0u);
  ASSERT_EQ(longer.parts.size(), 4u);
  ASSERT_EQ(longer.parts[3].way.size(), 1u);
  EXPECT_TRUE(longer.parts[3].way[0].prefix);
  EXPECT_EQ(longer.parts[3].nodes.size(), 1u);
  // Prefixes count as the beginning of others.
  const TreeParts longest = cut_with_sixteen_boxes(chain_of(9), 2);
  ASSERT_EQ(longest.prefixes.size(), 3u);
  EXPECT_TRUE(longest.prefixes[2].way[0].prefix);
  EXPECT_EQ(longest.prefixes[2].level, 2u);
  // Three bits have no room for four questions, nor for three after one, nor for two after two. They hold one after
  // three.
  const TreeParts behind = cut_with_sixteen_boxes(four, 3);
  ASSERT_EQ(behind.parts.size(), 4u);
  for (std::size_t i = 0; i < behind.parts.size(); ++i) {
    EXPECT_EQ(behind.parts[i].way.size(), std::min<std::size_t>(i + 1, 3)) << i;
    EXPECT_EQ(behind.parts[i].nodes.size(), i == 3 ? 1u : 0u) << i;
  }
  EXPECT_EQ(behind.parts[3].highest(), 7);
}

}  // namespace
}  // namespace tacit::graph::quant
