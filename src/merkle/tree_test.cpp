#include "merkle/tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/error.h"
#include "base/process_memory.h"
#include "base/refusal_for_test.h"
#include "merkle/known_answers_for_test.h"
#include "merkle/rescue.h"
#include "merkle/root_stream.h"

namespace tacit::merkle {
namespace {

constexpr TreeScheme kStrict{.mode = Mode::strict};
using Indices = std::vector<std::uint64_t>;

base::AlignedVector<Digest> first_leaves(std::size_t count, std::uint64_t seed = 1) {
  const auto leaves = known::random_leaves(count, seed);
  return {leaves.begin(), leaves.end()};
}

std::vector<Digest> all_nodes(const Tree& tree) {
  std::vector<Digest> nodes;
  for (unsigned height = 0; height <= tree.shape().depth(); ++height)
    for (std::uint64_t i = 0; i < tree.shape().nodes_at(height); ++i) nodes.push_back(tree.node(height, i));
  return nodes;
}

TEST(Tree, HasTheRootOfTheDefinitionForEveryNumberOfLeavesTo300) {
  const auto leaves = first_leaves(300);
  RootStream stream({});
  for (std::size_t n = 1; n <= leaves.size(); ++n) {
    const Tree tree({}, {leaves.begin(), leaves.begin() + static_cast<std::ptrdiff_t>(n)});
    const Digest expected = known::recursive_top({}, leaves.data(), n);
    ASSERT_EQ(tree.top(), expected) << n;
    ASSERT_EQ(tree.root(), root_of({}, expected, n)) << n;
    stream.append(leaves[n - 1]);
    ASSERT_EQ(stream.root(), tree.root()) << n;
  }
}

TEST(Tree, ChangesItsRootWithEveryLeaf) {
  for (std::size_t n : {1, 2, 3, 4, 5, 31, 32, 33, 255, 1000, 1024}) {
    Tree tree({}, first_leaves(n));
    const Digest root = tree.root();
    const auto nodes = all_nodes(tree);
    for (std::size_t i = 0; i < n; ++i) {
      Digest leaf = tree.leaves()[i];
      const Digest kept = leaf;
      leaf.words[i % 4] ^= std::uint64_t{1} << (i * 7 % 31);
      tree.update(i, leaf);
      ASSERT_NE(tree.root(), root) << n << " " << i;
      tree.update(i, kept);
      ASSERT_EQ(tree.root(), root) << n << " " << i;
    }
    EXPECT_EQ(all_nodes(tree), nodes);
  }
}

TEST(Tree, UpdatesAsIfBuiltAnew) {
  auto leaves = first_leaves(777);
  Tree tree({}, leaves);
  std::mt19937_64 random(1);
  for (int i = 0; i < 50; ++i) {
    const std::size_t at = random() % leaves.size();
    leaves[at].words[1] = random() % goldilocks::kModulus;
    tree.update(at, leaves[at]);
  }
  EXPECT_EQ(all_nodes(tree), all_nodes(Tree({}, leaves)));
  EXPECT_THROW(tree.update(777, leaves[0]), base::InputError);
  EXPECT_THROW(tree.update(0, {{goldilocks::kModulus, 0, 0, 0}}), base::InputError);
}

TEST(Tree, AppendsAsIfBuiltAtOnce) {
  const auto leaves = first_leaves(700);
  for (const std::size_t step : {1, 2, 7, 64, 255}) {
    Tree tree({}, {leaves.begin(), leaves.begin() + 1});
    for (std::size_t n = 1; n < leaves.size();) {
      const std::size_t next = std::min(n + step, step == 1 ? std::size_t{70} : leaves.size());
      tree.append(std::span(leaves).subspan(n, next - n));
      n = next;
      ASSERT_EQ(tree.top(), known::recursive_top({}, leaves.data(), n)) << n;
      if (step == 1 && n == 70) break;
    }
    const std::size_t n = tree.leaves().size();
    EXPECT_EQ(all_nodes(tree), all_nodes(Tree({}, {leaves.begin(), leaves.begin() + static_cast<std::ptrdiff_t>(n)})));
  }
}

TEST(Tree, BindsLeafCountDepthAndTheMeaningOfLeaves) {
  const auto leaves = first_leaves(4);
  const Tree four({}, leaves);
  // The two nodes below the top, taken for leaves of a tree of two, lead to the same node but not to the same root.
  const Tree two({}, {four.node(1, 0), four.node(1, 1)});
  EXPECT_EQ(two.top(), four.top());
  EXPECT_NE(two.root(), four.root());
  const Tree strict_four(kStrict, leaves), strict_two(kStrict, {strict_four.node(1, 0), strict_four.node(1, 1)});
  EXPECT_EQ(strict_two.root(), strict_four.root()) << "the published construction cannot tell these apart";
  const TreeScheme chunks{.leaf_rule = LeafRule::sha256, .chunk_bytes = 1024};
  EXPECT_NE(Tree(chunks, leaves).root(), four.root());
}

TEST(Tree, RefusesBadLeaves) {
  EXPECT_THROW(Tree({}, {}), base::InputError);
  EXPECT_THROW(Tree({}, {Digest{{0, 0, 0, goldilocks::kModulus}}}), base::InputError);
  EXPECT_THROW(Tree(kStrict, first_leaves(3)), base::InputError);
  Tree strict(kStrict, first_leaves(4));
  EXPECT_THROW(strict.append(first_leaves(1)), base::InputError);
  Tree tree({}, first_leaves(4));
  EXPECT_THROW(tree.append(std::vector{Digest{{~std::uint64_t{0}, 0, 0, 0}}}), base::InputError);
  EXPECT_EQ(tree.leaves().size(), 4u);
  EXPECT_THROW(tree.prove(Indices{}), base::InputError);
  EXPECT_THROW(tree.prove(Indices{4}), base::InputError);
  EXPECT_THROW(tree.prove(Indices{1, 1}), base::InputError);
  EXPECT_THROW(tree.prove(Indices{2, 1}), base::InputError);
  EXPECT_THROW(tree.prove_extension(0), base::InputError);
  EXPECT_THROW(tree.prove_extension(5), base::InputError);
}

TEST(Tree, FindsTheLeavesThatDiffer) {
  const auto leaves = first_leaves(1000);
  const Tree tree({}, leaves);
  using Runs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  EXPECT_EQ(differing_leaves(tree, tree), Runs{});
  auto changed = leaves;
  for (const std::size_t i : {0, 511, 512, 513, 999}) changed[i].words[0] ^= 1;
  EXPECT_EQ(differing_leaves(tree, Tree({}, changed)), (Runs{{0, 1}, {511, 514}, {999, 1000}}));
  for (const std::size_t n : {1, 3, 512, 700, 999}) {
    const Tree shorter({}, {changed.begin(), changed.begin() + static_cast<std::ptrdiff_t>(n)});
    Runs expected{{0, 1}};
    if (n > 511) expected.push_back({511, 512});
    if (n > 513) expected.back().second = 514;
    if (expected.back().second == n)
      expected.back().second = 1000;
    else
      expected.push_back({n, 1000});
    EXPECT_EQ(differing_leaves(tree, shorter), expected) << n;
    EXPECT_EQ(differing_leaves(shorter, tree), expected) << n;
  }
  EXPECT_THROW(differing_leaves(tree, Tree({.variant = Variant::a}, leaves)), base::InputError);
}

TEST(RootStream, GivesTheSameRootHoweverTheLeavesArrive) {
  const auto leaves = first_leaves(30000);
  std::mt19937_64 random(4);
  for (const std::size_t n : {4095, 4096, 4097, 8192, 12289, 30000}) {
    const Digest expected = known::recursive_top({}, leaves.data(), n);
    for (const std::size_t most : {1000, 5000, 30000}) {
      RootStream stream({});
      for (std::size_t done = 0; done < n;) {
        const std::size_t count = std::min(n - done, random() % most + 1);
        stream.append(std::span(leaves).subspan(done, count));
        done += count;
        ASSERT_EQ(stream.leaves(), done);
      }
      ASSERT_EQ(stream.top(), expected) << n;
    }
  }
  RootStream empty({}), strict(kStrict);
  EXPECT_THROW(empty.root(), base::InputError);
  EXPECT_THROW(empty.append({{goldilocks::kModulus, 0, 0, 0}}), base::InputError);
  strict.append(std::span(leaves).first(3));
  EXPECT_THROW(strict.root(), base::InputError);
}

TEST(CapStream, GivesTheCapOfTheTree) {
  const auto leaves = first_leaves(9000);
  std::mt19937_64 random(5);
  for (const std::size_t n : {1, 2, 3, 64, 100, 4097, 9000})
    for (const unsigned levels : {0, 1, 3, 8, 20}) {
      const Tree tree({}, {leaves.begin(), leaves.begin() + static_cast<std::ptrdiff_t>(n)});
      CapStream stream({}, n, levels);
      EXPECT_THROW(stream.cap(), base::InputError);
      for (std::size_t done = 0; done < n;) {
        const std::size_t count = std::min<std::size_t>(n - done, random() % 3000 + 1);
        stream.append(std::span(leaves).subspan(done, count));
        done += count;
      }
      ASSERT_EQ(stream.cap(), tree.cap(levels)) << n << " " << levels;
      EXPECT_THROW(stream.append(std::span(leaves).first(1)), base::InputError);
    }
  EXPECT_THROW(CapStream({}, 0, 1), base::InputError);
  EXPECT_THROW(CapStream(kStrict, 3, 1), base::InputError);
}

TEST(RootStream, NeedsLessThanAMebibyte) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the address sanitiser keeps freed memory";
#endif
  const auto leaves = first_leaves(1 << 14);
  RootStream stream({});
  stream.append(leaves);  // warms threads and tables up
  const std::uint64_t before = base::peak_resident_bytes();
  for (int i = 0; i < 12; ++i) stream.append(leaves);
  stream.root();
  EXPECT_LE(base::peak_resident_bytes() - before, std::uint64_t{1} << 20);
}

TEST(Tree, RefusalsNameTheLeavesThatThereAre) {
  Tree tree({}, first_leaves(4));
  const auto refuses = [](const auto& body, const char* why) { base::expect_refusal<base::InputError>(body, why); };
  refuses([&] { tree.update(4, tree.leaves()[0]); }, "leaf 4 lies outside the tree, whose leaves are 0 to 3");
  refuses([&] { tree.prove(Indices{0, 9}); }, "leaf 9 lies outside the tree, whose leaves are 0 to 3");
  refuses([&] { tree.prove(Indices{0, 2, 1}); }, "in ascending order: 1 comes after 2");
  refuses([&] { tree.prove_extension(5); }, "the older tree has 5 leaves, more than the 4 of this one");
  EXPECT_NO_THROW(tree.update(3, tree.leaves()[0]));
  EXPECT_NO_THROW(tree.prove(Indices{0, 3}));
  EXPECT_NO_THROW(tree.prove_extension(4));
}

}  // namespace
}  // namespace tacit::merkle
