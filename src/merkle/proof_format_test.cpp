#include "merkle/proof_format.h"

#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <random>

#include "base/error.h"
#include "merkle/known_answers_for_test.h"
#include "merkle/tree.h"

namespace tacit::merkle {
namespace {

using Indices = std::vector<std::uint64_t>;
using Bytes = std::vector<std::byte>;

ProofFile parse_text(const std::string& text) { return parse_proof(std::as_bytes(std::span(text)), "p"); }

std::vector<ProofFile> examples() {
  const Tree tree = known::random_tree(100),
             strict = known::random_tree(16, {.variant = Variant::a, .mode = Mode::strict}),
             chunks = known::random_tree(9, {.leaf_rule = LeafRule::sha256, .chunk_bytes = 4096}),
             one = known::random_tree(1);
  return {tree.prove(Indices{3, 50, 51}),
          tree.prove(Indices{99}, 2),
          strict.prove(Indices{0}),
          chunks.prove(Indices{8}),
          one.prove(Indices{0}),
          tree.prove_extension(37),
          one.prove_extension(1),
          tree.cap(3),
          chunks.cap(9)};
}

bool holds(const ProofFile& proof, const Digest& old_root, const Digest& root) {
  if (const auto* inclusion = std::get_if<InclusionProof>(&proof)) return verify(*inclusion, root).holds;
  if (const auto* cap = std::get_if<Cap>(&proof)) return cap_root(*cap) == root;
  return verify(std::get<ConsistencyProof>(proof), old_root, root).holds;
}

TEST(ProofFormat, RoundTripsInBothForms) {
  for (const ProofFile& proof : examples()) {
    EXPECT_EQ(parse_proof(proof_bytes(proof), "p"), proof);
    EXPECT_EQ(parse_text(proof_json(proof)), proof);
  }
}

TEST(ProofFormat, IsTheDocumentedLayout) {
  const Bytes bytes = proof_bytes(known::random_tree(100).prove(Indices{3}));
  const auto word = [&](std::size_t at, std::size_t size) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + at, size);
    return value;
  };
  EXPECT_EQ(bytes.size(), 72u + 40 + 7 * 32);
  EXPECT_EQ(std::memcmp(bytes.data(), "\x89TMRKL\r\n", 8), 0);
  EXPECT_EQ(word(8, 4), 1u);   // version
  EXPECT_EQ(word(12, 4), 1u);  // inclusion
  EXPECT_EQ(word(16, 4), 3u);  // C
  EXPECT_EQ(word(20, 4), 1u);  // bound
  EXPECT_EQ(word(24, 4), 1u);  // digests
  EXPECT_EQ(word(28, 4), 7u);  // height
  EXPECT_EQ(word(40, 8), 100u);
  EXPECT_EQ(word(56, 8), 1u);
  EXPECT_EQ(word(64, 8), 7u);
  EXPECT_EQ(word(72, 8), 3u);
}

TEST(ProofFormat, RefusesEveryTruncationAndExtension) {
  for (const ProofFile& proof : examples()) {
    Bytes bytes = proof_bytes(proof);
    for (std::size_t size = 0; size < bytes.size(); ++size)
      EXPECT_THROW(parse_proof(std::span(bytes).first(size), "p"), base::InputError) << size;
    bytes.push_back(std::byte{0});
    EXPECT_THROW(parse_proof(bytes, "p"), base::InputError);
    const std::string text = proof_json(proof);
    for (std::size_t size = 0; size + 2 < text.size(); size += 7)
      EXPECT_THROW(parse_text(text.substr(0, size)), base::InputError) << size;
  }
}

TEST(ProofFormat, RefusesCountsThatTheSizeDoesNotJustify) {
  for (const Bytes& good :
       {proof_bytes(known::random_tree(100).prove(Indices{3})), proof_bytes(known::random_tree(100).cap(2))})
    for (const std::size_t at : {56, 64})
      for (const std::uint64_t count : {std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{1} << 32,
                                        std::uint64_t{1} << 59, std::uint64_t{1} << 61, ~std::uint64_t{0}}) {
        Bytes bytes = good;
        std::memcpy(bytes.data() + at, &count, 8);
        EXPECT_THROW(parse_proof(bytes, "p"), base::InputError) << at << " " << count;
      }
}

/// Every single bit of a file, and many random bytes: refused by the parser, or the proof does not hold.
TEST(ProofFormat, EveryFlippedBitIsRejected) {
  const Tree tree = known::random_tree(100, {.leaf_rule = LeafRule::sha256, .chunk_bytes = 4096});
  const auto leaves = known::random_leaves(100, 100);
  const Digest old_root = Tree(tree.scheme(), {leaves.begin(), leaves.begin() + 37}).root();
  for (const ProofFile& proof :
       {ProofFile(tree.prove(Indices{3, 99})), ProofFile(tree.prove_extension(37)), ProofFile(tree.cap(3))}) {
    const Bytes good = proof_bytes(proof);
    ASSERT_TRUE(holds(parse_proof(good, "p"), old_root, tree.root()));
    for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
      Bytes bytes = good;
      bytes[bit / 8] ^= std::byte{1} << bit % 8;
      try {
        EXPECT_FALSE(holds(parse_proof(bytes, "p"), old_root, tree.root())) << "bit " << bit;
      } catch (const base::InputError&) {
      }
    }
  }
}

TEST(ProofFormat, RefusesDamagedJson) {
  const auto good = nlohmann::json::parse(proof_json(known::random_tree(100).prove(Indices{3, 9})));
  const auto refused = [&](const char* key, const nlohmann::json& value) {
    auto json = good;
    json[key] = value;
    EXPECT_THROW(parse_text(json.dump()), base::InputError) << key << " " << value;
  };
  for (const auto& item : good.items()) {
    auto json = good;
    json.erase(item.key());
    EXPECT_THROW(parse_text(json.dump()), base::InputError) << item.key();
    refused(item.key().c_str(), nullptr);
    refused(item.key().c_str(), -1);
    refused(item.key().c_str(), 1.5);
    refused(item.key().c_str(), "x");
    refused(item.key().c_str(), nlohmann::json::object());
    refused(item.key().c_str(), {1, "x"});
  }
  refused("extra", 1);
  refused("version", 2);
  refused("height", 65);
  refused("nodes", {std::string(64, 'f')});
  refused("chunk_bytes", 5);
  std::string twice = good.dump(), nested = twice;
  twice.insert(1, "\"leaves\": 100, ");
  EXPECT_THROW(parse_text(twice), base::InputError);
  nested.replace(nested.find("\"indices\":["), 11, "\"indices\":[[], ");
  EXPECT_THROW(parse_text(nested), base::InputError);
  EXPECT_THROW(parse_text(std::string(std::size_t{1} << 27, ' ')), base::InputError);
  EXPECT_THROW(parse_text(std::string(100000, '[')), base::InputError);
  EXPECT_THROW(parse_text(""), base::InputError);
}

}  // namespace
}  // namespace tacit::merkle
