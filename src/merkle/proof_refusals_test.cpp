#include <gtest/gtest.h>

#include "base/refusal_for_test.h"
#include "merkle/file_leaves.h"
#include "merkle/known_answers_for_test.h"
#include "merkle/proof.h"
#include "merkle/proof_check.h"
#include "merkle/tree.h"

namespace tacit::merkle {
namespace {

using Places = std::vector<std::uint64_t>;

Tree tree_over(std::size_t count, const TreeScheme& scheme = {}) {
  const auto leaves = known::random_leaves(count, 5);
  return {scheme, {leaves.begin(), leaves.end()}};
}

TEST(ProofRefusals, CountNodesOfAnInclusion) {
  const Tree tree = tree_over(8);
  InclusionProof proof = tree.prove(Places{0});
  ASSERT_TRUE(verify(proof, tree.root()));
  proof.nodes.pop_back();
  EXPECT_EQ(verify(proof, tree.root()).reason, "the proof has 2 nodes where its indices need 3");
  proof.nodes.resize(4);
  EXPECT_EQ(verify(proof, tree.root()).reason, "the proof has 4 nodes where its indices need 3");
  EXPECT_FALSE(verify(proof, tree.root()).holds);
}

TEST(ProofRefusals, CheckTheTreeThatAProofNames) {
  const auto reason = [](const TreeScheme& scheme, std::uint64_t leaves) {
    return verify(InclusionProof{scheme, leaves, 0, {0}, {Digest{}}, {}}, Digest{}).reason;
  };
  EXPECT_EQ(reason({}, 281474976710657u), "281474976710657 leaves; a tree has at most 2^48");
  EXPECT_EQ(reason({}, 281474976710656u), "the proof ends below the top: it needs the cap it was made for");
  EXPECT_EQ(reason({.variant = static_cast<Variant>(2)}, 1), "the proof: unknown hash (variant 2, mode 1)");
  EXPECT_EQ(reason({.mode = Mode::strict}, 3),
            "3 leaves: a strict tree has a power of two; use the hash rescue-prime-c.1");
  EXPECT_EQ(reason({}, 1), "the leaves and nodes of the proof do not lead to the root");
}

TEST(ProofRefusals, NameWhatIsWrongWithACap) {
  const Tree tree = tree_over(64);
  const InclusionProof proof = tree.prove(Places{0, 40}, 3);
  const auto refused = [&](const Cap& cap, const char* why) {
    EXPECT_EQ(base::refusal([&] { cap_root(cap); }), why);
    const Verdict verdict = verify(proof, cap);
    EXPECT_FALSE(verdict.holds);
    EXPECT_EQ(verdict.reason, why);
  };
  Cap cap = tree.cap(3);
  ASSERT_TRUE(verify(proof, cap));
  cap.nodes.pop_back();
  refused(cap, "the cap has 7 nodes, not those of height 3");
  cap.nodes.resize(9);
  refused(cap, "the cap has 9 nodes, not those of height 3");
  refused({{}, 64, 7, {Digest{}}}, "the cap has 1 nodes, not those of height 7");  // as many as there would be above
  cap = tree.cap(3);
  cap.nodes[7].words[3] = goldilocks::kModulus;
  refused(cap, "a digest of the cap is not canonical");
  refused({{}, 0, 0, {}}, "a Merkle tree needs at least one leaf");
  EXPECT_EQ(cap_root(tree.cap(0)), tree.root());
  EXPECT_EQ(cap_root(tree.cap(6)), tree.root());
}

TEST(ProofRefusals, TellAProofForAnotherCapFromAWrongOne) {
  const Tree tree = tree_over(64);
  const Cap cap = tree.cap(3);
  const auto reason = [&](const InclusionProof& proof) { return verify(proof, cap).reason; };
  const std::string another = "the proof was made for another tree or another cap";
  InclusionProof proof = tree.prove(Places{40}, 3);
  EXPECT_EQ(reason(proof), "");
  proof.scheme.variant = Variant::a;
  EXPECT_EQ(reason(proof), another);
  EXPECT_EQ(reason(tree_over(63).prove(Places{0}, 3)), another);
  EXPECT_EQ(reason(tree.prove(Places{40}, 2)), another);
  EXPECT_EQ(reason(tree.prove(Places{40}, 4)), another);
  proof = tree.prove(Places{3, 40, 63}, 3);
  proof.leaf_digests[1].words[0] ^= 1;
  EXPECT_EQ(reason(proof), "the leaves and nodes of the proof do not lead to node 5 of the cap");
  proof.indices[2] = 64;
  EXPECT_EQ(reason(proof), "index 64 lies outside the tree of 64 leaves");
}

TEST(ProofRefusals, SayWhyATreeDoesNotExtendAnother) {
  const Tree five = tree_over(5), three = tree_over(3);
  ASSERT_EQ(three.leaves()[2], five.leaves()[2]);
  const ConsistencyProof good = five.prove_extension(3);
  const auto reason = [&](const ConsistencyProof& proof) { return verify(proof, three.root(), five.root()).reason; };
  EXPECT_EQ(reason(good), "");
  ConsistencyProof proof = good;
  proof.nodes.pop_back();
  EXPECT_EQ(reason(proof), "the proof has 3 nodes where its counts need 4");
  proof.nodes.resize(5);
  EXPECT_EQ(reason(proof), "the proof has 5 nodes where its counts need 4");
  proof = good;
  std::swap(proof.old_leaves, proof.new_leaves);
  EXPECT_EQ(reason(proof), "the older tree has 5 leaves, more than the 3 of the newer");
  proof = good;
  proof.nodes[3].words[1] = ~std::uint64_t{0};
  EXPECT_EQ(reason(proof), "a digest of the proof is not canonical");
  proof = good;
  proof.nodes[3].words[1] ^= 1;  // right of all older leaves
  EXPECT_EQ(reason(proof), "the nodes of the proof do not lead to the newer root");
  proof = good;
  proof.nodes[0].words[1] ^= 1;
  EXPECT_EQ(reason(proof), "the nodes of the proof do not lead to the older root");
  proof = good;
  proof.old_leaves = 0;
  EXPECT_EQ(reason(proof), "a Merkle tree needs at least one leaf");
  proof = good;
  proof.new_leaves = 281474976710657u;
  EXPECT_EQ(reason(proof), "281474976710657 leaves; a tree has at most 2^48");
  EXPECT_FALSE(verify(good, Digest{}, five.root()).holds);
  EXPECT_FALSE(verify(good, three.root(), Digest{}).holds);
}

TEST(ProofRefusals, NeedTheHashOfTheRootAndChunksOfTheLeaves) {
  const auto hash_refusal = [](const TreeScheme& scheme, const char* hash) {
    return base::refusal<base::KeyMismatch>([&] { require_hash(scheme, hash, "it"); });
  };
  EXPECT_EQ(hash_refusal({.mode = Mode::strict}, "rescue-prime-c.1-strict"), base::kNotRefused);
  EXPECT_EQ(hash_refusal({}, "rescue-prime-c.1-strict"),
            "it is about a tree of the hash rescue-prime-c.1, not rescue-prime-c.1-strict; name the hash of the root "
            "that you trust (--hash)");
  EXPECT_EQ(hash_refusal({.variant = Variant::a}, "rescue-prime-c.1"),
            "it is about a tree of the hash rescue-prime-a.1, not rescue-prime-c.1; name the hash of the root that you "
            "trust (--hash)");
  EXPECT_EQ(base::refusal([] { check_payloads(tree_over(4).prove(Places{1}), {}, "pieces"); }),
            "pieces: the leaves of this proof are digests, not chunks of bytes");
  const TreeScheme scheme{.leaf_rule = LeafRule::bytes, .chunk_bytes = 3};
  const std::string first = "abc", second = "de";
  const auto leaf = [&](const std::string& text) { return leaf_of_chunk(scheme, std::as_bytes(std::span(text))); };
  const InclusionProof proof = Tree(scheme, {leaf(first), leaf(second)}).prove(Places{0, 1});
  const Payload one{"one", [&] { return first; }}, two{"two", [&] { return second; }};
  EXPECT_TRUE(check_payloads(proof, {one, two}, "pieces"));
  EXPECT_EQ(check_payloads(proof, {one, one}, "pieces").reason, "one is not leaf 1");
  EXPECT_FALSE(check_payloads(proof, {two, two}, "pieces").holds);
  EXPECT_EQ(base::refusal([&] {
              check_payloads(proof, {one, two, two}, "pieces");
            }),
            "pieces: 3 chunks for the 2 leaves of the proof");
}

}  // namespace
}  // namespace tacit::merkle
