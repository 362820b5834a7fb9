#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/refusal_for_test.h"
#include "merkle/device.h"
#include "merkle/known_answers_for_test.h"
#include "merkle/rescue.h"
#include "merkle/root_stream.h"
#include "merkle/tree.h"
#include "merkle/tree_shape.h"

namespace tacit::merkle {
namespace {

using Positions = std::vector<std::uint64_t>;

base::AlignedVector<Digest> some_leaves(std::size_t count) {
  const auto leaves = known::random_leaves(count, 77);
  return {leaves.begin(), leaves.end()};
}

Tree tree_with(std::size_t count) { return Tree({}, some_leaves(count)); }

template <class Body>
std::string why_not(Body&& body) {
  return base::refusal(std::forward<Body>(body));
}

TEST(TreeShapeBounds, ATreeHasOneLeafToTwoToThe48) {
  EXPECT_EQ(kMostLeaves, 281474976710656u);
  const TreeShape most(281474976710656u);
  EXPECT_EQ(most.depth(), 48u);
  EXPECT_EQ(most.nodes_at(48), 1u);
  EXPECT_EQ(most.nodes_at(1), 140737488355328u);
  EXPECT_EQ(most.slots(), 281474976710656u);
  EXPECT_EQ(why_not([] { TreeShape(281474976710657u); }), "281474976710657 leaves; a tree has at most 2^48");
  EXPECT_EQ(why_not([] { TreeShape(0); }), "a Merkle tree needs at least one leaf");
  EXPECT_EQ(TreeShape(1).slots(), 1u);
  EXPECT_EQ(TreeShape(1).depth(), 0u);
}

TEST(TreeShapeBounds, NodesAndSlotsAreThoseOfEveryHeight) {
  struct Case {
    std::uint64_t leaves;
    Positions nodes;  // from the leaves up
    std::uint64_t slots;
  };
  for (const Case& each :
       {Case{2, {2, 1}, 2}, Case{3, {3, 2, 1}, 4}, Case{5, {5, 3, 2, 1}, 7}, Case{8, {8, 4, 2, 1}, 8},
        Case{9, {9, 5, 3, 2, 1}, 13}, Case{100, {100, 50, 25, 13, 7, 4, 2, 1}, 114}}) {
    const TreeShape shape(each.leaves);
    ASSERT_EQ(shape.depth() + 1, each.nodes.size()) << each.leaves;
    for (unsigned height = 0; height <= shape.depth(); ++height) {
      EXPECT_EQ(shape.nodes_at(height), each.nodes[height]) << each.leaves << " at " << height;
      EXPECT_EQ(shape.first_slot(height), std::uint64_t{1} << (shape.depth() - height));
    }
    EXPECT_EQ(shape.slots(), each.slots) << each.leaves;
  }
}

TEST(TreeShapeBounds, PlansNameHeightLevelsItemsAndGroup) {
  using Plan = std::vector<Dispatch>;
  EXPECT_EQ(plan_dispatches(TreeShape(100), Approach::work_groups, 4),
            (Plan{{1, 1, 50, 4}, {2, 3, 25, 4}, {5, 3, 4, 4}}));
  EXPECT_EQ(plan_dispatches(TreeShape(5), Approach::work_groups, 256), (Plan{{1, 1, 3, 4}, {2, 2, 2, 2}}));
  EXPECT_EQ(plan_dispatches(TreeShape(64), Approach::work_groups, 1),
            (Plan{{1, 1, 32, 1}, {2, 1, 16, 1}, {3, 1, 8, 1}, {4, 1, 4, 1}, {5, 1, 2, 1}, {6, 1, 1, 1}}));
  EXPECT_EQ(plan_dispatches(TreeShape(6), Approach::level_by_level, 2),
            (Plan{{1, 1, 3, 2}, {2, 1, 2, 2}, {3, 1, 1, 1}}));
  EXPECT_EQ(plan_dispatches(TreeShape(1), Approach::work_groups, 2), Plan{});
}

TEST(TreeShapeBounds, GroupsArePowersOfTwoTo65536) {
  EXPECT_EQ(why_not([] { plan_dispatches(TreeShape(8), Approach::work_groups, 65536); }), base::kNotRefused);
  EXPECT_EQ(why_not([] { plan_dispatches(TreeShape(8), Approach::work_groups, 1); }), base::kNotRefused);
  for (const std::uint64_t group : {0u, 3u, 65535u, 65537u, 131072u})
    EXPECT_EQ(why_not([&] { plan_dispatches(TreeShape(8), Approach::work_groups, group); }),
              fmt::format("work-group size {}: give a power of two from 1 to 65536", group));
}

TEST(TreeShapeBounds, ThePublishedFormulaIsRefusedWhereItDoesNotHold) {
  EXPECT_EQ(published_rounds(4, 1), 2u);
  EXPECT_EQ(published_rounds(8, 1), 3u);
  EXPECT_EQ(published_rounds(16, 1), 3u);
  EXPECT_EQ(published_rounds(32, 1), 4u);
  EXPECT_EQ(why_not([] { published_rounds(2, 1); }),
            "the published formula holds for powers of two of at least 4 B leaves, not 2 with B = 1");
  EXPECT_EQ(why_not([] { published_rounds(96, 8); }),
            "the published formula holds for powers of two of at least 4 B leaves, not 96 with B = 8");
  EXPECT_EQ(why_not([] { published_rounds(64, 32); }),
            "the published formula holds for powers of two of at least 4 B leaves, not 64 with B = 32");
}

TEST(TreeRefusals, NameTheLeafThatIsNoDigest) {
  const Digest bad{{0, 0, goldilocks::kModulus, 0}};
  const std::string end = " has a word that is not below 2^64 - 2^32 + 1: it is no digest of this field";
  auto leaves = some_leaves(6);
  Tree tree({}, leaves);
  EXPECT_EQ(why_not([&] { tree.update(3, bad); }), "leaf 3" + end);
  EXPECT_EQ(why_not([&] { tree.append(std::vector{leaves[0], leaves[1], bad}); }), "leaf 8" + end);
  EXPECT_EQ(tree.root(), Tree({}, leaves).root());
  leaves[4] = bad;
  EXPECT_EQ(why_not([&] { Tree({}, leaves); }), "leaf 4" + end);
  RootStream stream({});
  stream.append(some_leaves(5));
  EXPECT_EQ(why_not([&] { stream.append(leaves); }), "leaf 9" + end);
  EXPECT_EQ(stream.leaves(), 5u);
}

TEST(TreeRefusals, StrictTreesNameTheHashThatTakesAnyNumber) {
  for (const Variant variant : {Variant::a, Variant::c}) {
    const TreeScheme strict{.variant = variant, .mode = Mode::strict};
    const std::string end = std::string(" leaves: a strict tree has a power of two; use the hash rescue-prime-") +
                            (variant == Variant::a ? "a.1" : "c.1");
    EXPECT_EQ(why_not([&] { Tree(strict, some_leaves(3)); }), "3" + end);
    Tree tree(strict, some_leaves(4));
    EXPECT_EQ(why_not([&] { tree.append(some_leaves(2)); }), "6" + end);
    EXPECT_EQ(why_not([&] { tree.append(some_leaves(4)); }), base::kNotRefused);
    EXPECT_EQ(why_not([&] { tree.prove_extension(7); }), "7" + end);
    EXPECT_EQ(why_not([&] { CapStream(strict, 5, 1); }), "5" + end);
  }
}

TEST(TreeRefusals, ASingleLeafIsATreeAndNoLeavesChangeNothing) {
  Tree tree({}, some_leaves(1));
  EXPECT_EQ(tree.top(), some_leaves(1)[0]);
  EXPECT_EQ(tree.nodes().size(), 1u);
  tree.append({});
  EXPECT_EQ(tree.leaves().size(), 1u);
  EXPECT_EQ(tree.prove(Positions{0}).nodes.size(), 0u);
  EXPECT_EQ(why_not([&] { tree.prove(Positions{1}); }), "leaf 1 lies outside the tree, whose leaves are 0 to 0");
  EXPECT_EQ(why_not([&] { tree.prove({}); }), "no leaf to prove was named");
  EXPECT_EQ(why_not([&] { differing_leaves(tree, Tree({.variant = Variant::a}, some_leaves(1))); }),
            "trees of different hashes or leaves cannot be compared");
}

TEST(TreeRefusals, AStreamHasAsManyLeavesAsWereAnnounced) {
  const auto leaves = some_leaves(5);
  CapStream stream({}, 5, 1);
  stream.append(std::span(leaves).first(2));
  EXPECT_EQ(why_not([&] { stream.cap(); }), "2 of the 5 leaves that were announced");
  EXPECT_EQ(why_not([&] { stream.append(std::span(leaves).first(4)); }), "more leaves than the 5 that were announced");
  stream.append(std::span(leaves).subspan(2));
  EXPECT_EQ(stream.cap(), Tree({}, leaves).cap(1));
  RootStream empty({});
  EXPECT_EQ(why_not([&] { empty.top(); }), "a Merkle tree needs at least one leaf");
  EXPECT_EQ(why_not([&] { RootStream({.chunk_bytes = 3}); }), "the tree: digests have no chunk size");
}

TEST(TreeRefusals, AStreamEndsAtTwoToThe48Leaves) {
  RootStream stream({});
  const auto leaves = some_leaves(1);
  stream.append(leaves);
  // Refused by the number alone, before any of them is read.
  const std::span<const Digest> endless(leaves.data(), std::size_t{1} << 48);
  EXPECT_EQ(why_not([&] { stream.append(endless); }), "a tree has at most 2^48 leaves");
  EXPECT_EQ(stream.leaves(), 1u);
}

TEST(TreeNodes, AreThoseOfANewTreeHoweverManyAreAppended) {
  const auto leaves = some_leaves(5000);
  const auto first = [&](std::size_t count) {
    return base::AlignedVector<Digest>(leaves.begin(), leaves.begin() + static_cast<std::ptrdiff_t>(count));
  };
  for (const auto& [before, after] : {std::pair{2500, 3900}, std::pair{1025, 2048}, std::pair{3000, 5000}}) {
    Tree tree({}, first(static_cast<std::size_t>(before)));
    tree.append(std::span(leaves).subspan(static_cast<std::size_t>(before), static_cast<std::size_t>(after - before)));
    const Tree expected({}, first(static_cast<std::size_t>(after)));
    ASSERT_EQ(tree.shape().depth(), expected.shape().depth());
    for (unsigned height = 0; height <= expected.shape().depth(); ++height)
      for (std::uint64_t i = 0; i < expected.shape().nodes_at(height); ++i)
        ASSERT_EQ(tree.node(height, i), expected.node(height, i)) << before << ": " << height << ", " << i;
  }
}

TEST(TreeNodes, AreTheSameForGroupsLargerThanWhatATaskTakes) {
  const std::size_t count = 9000;
  const auto leaves = some_leaves(count);
  const auto device = cpu_device();
  EXPECT_EQ(device->largest_group(), 65536u);
  const Digest expected = known::recursive_top({}, leaves.data(), count);
  for (const std::uint64_t group : {1024, 2048, 4096, 65536})
    for (const Approach approach : {Approach::level_by_level, Approach::work_groups})
      EXPECT_EQ(Tree({}, leaves, device.get(), approach, group).top(), expected) << group;
}

TEST(TreeNodes, OfAProofStandFromTheLeavesUp) {
  const Tree eight = tree_with(8);
  const InclusionProof two = eight.prove(Positions{0, 5});
  EXPECT_EQ(two.leaves, 8u);
  EXPECT_EQ(two.height, 3u);
  EXPECT_EQ(two.indices, (Positions{0, 5}));
  EXPECT_EQ(two.leaf_digests, (std::vector<Digest>{eight.leaves()[0], eight.leaves()[5]}));
  EXPECT_EQ(two.nodes, (std::vector<Digest>{eight.node(0, 1), eight.node(0, 4), eight.node(1, 1), eight.node(1, 3)}));
  const InclusionProof capped = eight.prove(Positions{6}, 2);
  EXPECT_EQ(capped.height, 1u);
  EXPECT_EQ(capped.nodes, (std::vector<Digest>{eight.node(0, 7)}));
  const Tree five = tree_with(5);
  EXPECT_EQ(five.prove(Positions{4}).nodes, (std::vector<Digest>{five.node(2, 0)}));
  const ConsistencyProof extension = five.prove_extension(3);
  EXPECT_EQ(extension.old_leaves, 3u);
  EXPECT_EQ(extension.new_leaves, 5u);
  EXPECT_EQ(extension.nodes, (std::vector<Digest>{five.node(0, 2), five.node(0, 3), five.node(1, 0), five.node(2, 1)}));
  EXPECT_EQ(five.prove_extension(4).nodes, (std::vector<Digest>{five.node(2, 0), five.node(2, 1)}));
  EXPECT_EQ(five.prove_extension(5).nodes, (std::vector<Digest>{five.node(0, 4), five.node(2, 0)}));
  const Cap cap = tree_with(100).cap(3);
  EXPECT_EQ(cap.height, 4u);
  EXPECT_EQ(cap.leaves, 100u);
  EXPECT_EQ(cap.nodes.size(), 7u);
  EXPECT_EQ(tree_with(100).cap(7).nodes.size(), 100u);
  EXPECT_EQ(tree_with(100).cap(8).nodes.size(), 100u);
}

}  // namespace
}  // namespace tacit::merkle
