#include "merkle/proof.h"

#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <random>

#include "base/error.h"
#include "merkle/known_answers_for_test.h"
#include "merkle/tree.h"

namespace tacit::merkle {
namespace {

using Indices = std::vector<std::uint64_t>;

TEST(InclusionProof, HoldsForEveryLeafOfEveryTreeTo70) {
  for (std::size_t n = 1; n <= 70; ++n) {
    const Tree tree = known::random_tree(n);
    for (std::uint64_t i = 0; i < n; ++i) {
      const InclusionProof proof = tree.prove(Indices{i});
      ASSERT_TRUE(verify(proof, tree.root())) << n << " " << i;
      ASSERT_LE(proof.nodes.size(), tree.shape().depth());
      if (std::has_single_bit(n)) {
        ASSERT_EQ(proof.nodes.size(), tree.shape().depth());
      }
      ASSERT_FALSE(verify(proof, tree.top()));
    }
  }
}

TEST(InclusionProof, HoldsForStrictTreesOfBothVariants) {
  for (const Variant variant : {Variant::a, Variant::c}) {
    const Tree tree = known::random_tree(64, {.variant = variant, .mode = Mode::strict});
    EXPECT_TRUE(verify(tree.prove(Indices{5, 17}), tree.root()));
    EXPECT_EQ(tree.root(), tree.top());
  }
}

TEST(InclusionProof, SharesNodesBetweenLeaves) {
  std::mt19937_64 random(9);
  for (int round = 0; round < 200; ++round) {
    const std::size_t n = random() % 200 + 1;
    const Tree tree = known::random_tree(n);
    Indices indices;
    for (std::uint64_t i = 0; i < n; ++i)
      if (random() % 5 == 0) indices.push_back(i);
    if (indices.empty()) indices.push_back(random() % n);
    const InclusionProof proof = tree.prove(indices);
    ASSERT_TRUE(verify(proof, tree.root())) << n;
    ASSERT_EQ(proof.nodes.size(), inclusion_nodes(n, proof.height, indices));
    std::size_t alone = 0;
    for (const std::uint64_t i : indices) alone += tree.prove(Indices{i}).nodes.size();
    ASSERT_LE(proof.nodes.size(), alone);
  }
  const Tree tree = known::random_tree(64);
  Indices all(64);
  for (std::uint64_t i = 0; i < 64; ++i) all[i] = i;
  EXPECT_EQ(tree.prove(all).nodes.size(), 0u);
  EXPECT_TRUE(verify(tree.prove(all), tree.root()));
  EXPECT_EQ(tree.prove(Indices{0, 63}).nodes.size(), 10u);
}

TEST(InclusionProof, EndsAtACap) {
  for (const std::size_t n : {1, 2, 5, 64, 100}) {
    const Tree tree = known::random_tree(n);
    for (unsigned levels = 0; levels <= 8; ++levels) {
      const Cap cap = tree.cap(levels);
      EXPECT_EQ(cap_root(cap), tree.root()) << n << " " << levels;
      for (std::uint64_t i = 0; i < n; i += 3) {
        InclusionProof proof = tree.prove(Indices{i}, levels);
        ASSERT_TRUE(verify(proof, cap)) << n << " " << i << " " << levels;
        if (proof.height < tree.shape().depth()) {
          ASSERT_FALSE(verify(proof, tree.root()));
        }
        proof.leaf_digests[0].words[2] ^= 2;
        ASSERT_FALSE(verify(proof, cap));
      }
    }
  }
  const Tree tree = known::random_tree(64);
  Cap cap = tree.cap(3);
  EXPECT_EQ(cap.nodes.size(), 8u);
  cap.nodes[5].words[0] ^= 1;
  EXPECT_NE(cap_root(cap), tree.root());
  EXPECT_TRUE(verify(tree.prove(Indices{0}, 3), cap)) << "another node of the cap";
  EXPECT_FALSE(verify(tree.prove(Indices{40}, 3), cap));
  cap.nodes.pop_back();
  EXPECT_THROW(cap_root(cap), base::InputError);
  EXPECT_FALSE(verify(tree.prove(Indices{0}, 3), cap));
}

TEST(InclusionProof, SaysWhyItDoesNotHold) {
  const Tree tree = known::random_tree(100);
  const InclusionProof good = tree.prove(Indices{3, 50, 99});
  const auto reason = [&](const std::function<void(InclusionProof&)>& damage) {
    InclusionProof proof = good;
    damage(proof);
    return verify(proof, tree.root()).reason;
  };
  EXPECT_EQ(reason([](auto&) {}), "");
  EXPECT_EQ(reason([](auto& p) {
              p.indices.clear();
              p.leaf_digests.clear();
            }),
            "the proof names no leaf");
  EXPECT_EQ(reason([](auto& p) { p.indices[0] = 50; }), "indices 50 and 50 are not in ascending order");
  EXPECT_EQ(reason([](auto& p) { p.indices[2] = 100; }), "index 100 lies outside the tree of 100 leaves");
  EXPECT_EQ(reason([](auto& p) { p.leaf_digests.pop_back(); }), "the proof has 2 leaves for 3 indices");
  EXPECT_EQ(reason([](auto& p) { p.height = 8; }), "the proof ends at height 8, above the top of a tree of 100 leaves");
  EXPECT_EQ(reason([](auto& p) {
              p.height = 0;
              p.nodes.clear();
            }),
            "the proof ends below the top: it needs the cap it was made for");
  EXPECT_NE(reason([](auto& p) { p.nodes.pop_back(); }).find("nodes where its indices need"), std::string::npos);
  EXPECT_NE(reason([](auto& p) { p.nodes.push_back({}); }).find("nodes where its indices need"), std::string::npos);
  EXPECT_EQ(reason([](auto& p) { p.nodes[0].words[0] = ~std::uint64_t{0}; }), "a digest of the proof is not canonical");
  EXPECT_EQ(reason([](auto& p) { p.leaf_digests[0].words[3] = goldilocks::kModulus; }),
            "a digest of the proof is not canonical");
  EXPECT_EQ(reason([](auto& p) { p.leaves = 0; }), "a Merkle tree needs at least one leaf");
  EXPECT_NE(reason([](auto& p) { p.leaves = ~std::uint64_t{0}; }).find("at most 2^48"), std::string::npos);
  // 101 leaves need as many nodes for these indices but the root binds the count.
  EXPECT_EQ(reason([](auto& p) { p.leaves = 98; }).substr(0, 5), "index");
  EXPECT_EQ(reason([](auto& p) { std::swap(p.nodes[0], p.nodes[1]); }),
            "the leaves and nodes of the proof do not lead to the root");
}

TEST(InclusionProof, IsRejectedAfterEveryMutation) {
  std::mt19937_64 random(31);
  int rejected = 0;
  for (const std::size_t n : {1, 2, 7, 64, 100}) {
    const Tree tree = known::random_tree(n);
    const Digest root = tree.root();
    for (int round = 0; round < 400; ++round) {
      const InclusionProof good =
          tree.prove(n > 2 && round % 2 == 0 ? Indices{random() % (n / 2), n / 2 + random() % (n - n / 2)}
                                             : Indices{random() % n});
      InclusionProof proof = good;
      const auto flip = [&](std::uint64_t& word) { word ^= std::uint64_t{1} << random() % 64; };
      switch (random() % 8) {
        case 0: flip(proof.leaves); break;
        case 1: proof.height ^= 1u << random() % 32; break;
        case 2: flip(proof.indices[random() % proof.indices.size()]); break;
        case 3: flip(proof.leaf_digests[random() % proof.leaf_digests.size()].words[random() % 4]); break;
        case 4:
          if (proof.nodes.empty()) continue;
          flip(proof.nodes[random() % proof.nodes.size()].words[random() % 4]);
          break;
        case 5: proof.nodes.resize(random() % (2 * proof.nodes.size() + 2)); break;
        case 6: proof.scheme.variant = proof.scheme.variant == Variant::a ? Variant::c : Variant::a; break;
        case 7:
          proof.scheme.chunk_bytes ^= 1 << random() % 3;
          proof.scheme.leaf_rule = static_cast<LeafRule>(random() % 5);
          break;
      }
      if (proof == good) continue;
      ASSERT_FALSE(verify(proof, root)) << n << " " << round;
      ++rejected;
    }
  }
  EXPECT_GT(rejected, 1500);
}

TEST(ConsistencyProof, HoldsForEveryPairOfCountsTo40) {
  const auto leaves = known::random_leaves(40, 3);
  std::vector<Tree> trees;
  for (std::size_t n = 1; n <= leaves.size(); ++n)
    trees.emplace_back(TreeScheme{},
                       base::AlignedVector<Digest>(leaves.begin(), leaves.begin() + static_cast<std::ptrdiff_t>(n)));
  for (std::size_t n = 1; n <= leaves.size(); ++n)
    for (std::size_t m = 1; m <= n; ++m) {
      const Tree &old_tree = trees[m - 1], &new_tree = trees[n - 1];
      const ConsistencyProof proof = new_tree.prove_extension(m);
      ASSERT_EQ(proof.nodes.size(), consistency_nodes(m, n));
      ASSERT_LE(proof.nodes.size(), 2 * new_tree.shape().depth() + 1);
      ASSERT_TRUE(verify(proof, old_tree.root(), new_tree.root())) << m << " " << n;
      ASSERT_FALSE(verify(proof, new_tree.root(), old_tree.root()) && m != n);
      if (m > 1) {
        ASSERT_FALSE(verify(proof, trees[m - 2].root(), new_tree.root()));
      }
    }
}

TEST(ConsistencyProof, IsRejectedAfterEveryMutation) {
  std::mt19937_64 random(32);
  auto leaves = known::random_leaves(200, 3);
  const Tree tree({}, {leaves.begin(), leaves.end()});
  int rejected = 0;
  for (int round = 0; round < 1000; ++round) {
    const std::uint64_t m = random() % 200 + 1;
    const Digest old_root = Tree({}, {leaves.begin(), leaves.begin() + static_cast<std::ptrdiff_t>(m)}).root();
    const ConsistencyProof good = tree.prove_extension(m);
    ASSERT_TRUE(verify(good, old_root, tree.root()));
    ConsistencyProof proof = good;
    switch (random() % 4) {
      case 0: proof.old_leaves ^= std::uint64_t{1} << random() % 64; break;
      case 1: proof.new_leaves ^= std::uint64_t{1} << random() % 64; break;
      case 2:
        proof.nodes[random() % proof.nodes.size()].words[random() % 4] ^= std::uint64_t{1} << random() % 64;
        break;
      case 3: proof.nodes.resize(random() % 20); break;
    }
    if (proof == good) continue;
    ASSERT_FALSE(verify(proof, old_root, tree.root())) << m;
    ++rejected;
  }
  EXPECT_GT(rejected, 900);
  // A rewritten past is no extension.
  leaves[10].words[0] ^= 1;
  const Tree other({}, {leaves.begin(), leaves.end()});
  const Digest old_root = Tree({}, {tree.leaves().begin(), tree.leaves().begin() + 64}).root();
  EXPECT_FALSE(verify(other.prove_extension(64), old_root, other.root()));
}

}  // namespace
}  // namespace tacit::merkle
