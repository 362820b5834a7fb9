#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tacit/merkle.h>

#include <fstream>

#include "base/temporary_folder_for_test.h"

namespace tacit {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class MerkleApi : public ::testing::Test {
 protected:
  static std::span<const std::byte> bytes(const std::string& text) { return std::as_bytes(std::span(text)); }
  std::string chunk(std::size_t index) const { return text_.substr(index * 1000, 1000); }

  const std::string text_ = [] {
    std::string text;
    while (text.size() < 9'500) text += std::to_string(text.size());
    text.resize(9'500);
    return text;
  }();
  const MerkleOptions options_{.chunk_bytes = 1000};
  const base::TemporaryFolder temporary_;
};

TEST_F(MerkleApi, BytesAndFilesHaveOneRoot) {
  const auto path = temporary_.path() / "content";
  std::ofstream(path, std::ios::binary) << text_;
  const MerkleTree tree = MerkleTree::of_bytes(bytes(text_), options_);
  EXPECT_EQ(tree.leaves(), 10u);
  EXPECT_EQ(MerkleTree::of_files({path}, options_).root(), tree.root());
  EXPECT_EQ(merkle_root({path}, options_), tree.root());
  EXPECT_NE(merkle_root({path}), tree.root());
  EXPECT_NE(merkle_root({path, path}, options_), tree.root());
}

TEST_F(MerkleApi, ProofsHoldForTheirRootAndChunks) {
  const MerkleTree tree = MerkleTree::of_bytes(bytes(text_), options_);
  const MerkleProof proof = tree.prove({9, 3});
  EXPECT_EQ(proof.indices(), (std::vector<std::uint64_t>{3, 9}));
  const std::vector<std::string> right{chunk(3), chunk(9)}, wrong{chunk(3), chunk(8)};
  for (const MerkleProof& one : {proof, MerkleProof::parse(proof.bytes()), MerkleProof::parse(proof.json())}) {
    one.verify(tree.root(), right);
    EXPECT_THAT([&] { one.verify(tree.root(), wrong); },
                ThrowsMessage<KeyMismatch>(HasSubstr("chunk 1 of those given is not leaf 9")));
    EXPECT_THAT([&] { one.verify(MerkleTree::of_bytes(bytes(text_ + "x"), options_).root()); },
                ThrowsMessage<KeyMismatch>(HasSubstr("does not hold")));
  }
  EXPECT_THROW(proof.verify(tree.root(), right, "rescue-prime-a.1"), KeyMismatch);
  EXPECT_THROW(proof.verify_extension(tree.root(), tree.root()), InputError);
  EXPECT_THROW(tree.prove({10}), InputError);
  EXPECT_THROW(tree.prove({1, 1}), InputError);
}

TEST_F(MerkleApi, TreesGrowAndSayFromWhat) {
  const MerkleTree tree = MerkleTree::of_bytes(bytes(text_), options_), grown = tree.extended(bytes("more"));
  EXPECT_EQ(tree.leaves(), 10u);
  EXPECT_EQ(grown.leaves(), 11u);
  const auto path = temporary_.path() / "growth.json";
  grown.prove_extension(10).save(path);
  const MerkleProof proof = MerkleProof::load(path);
  EXPECT_TRUE(proof.is_extension());
  proof.verify_extension(tree.root(), grown.root());
  EXPECT_THROW(proof.verify_extension(grown.root(), tree.root()), KeyMismatch);
  EXPECT_THROW(proof.verify(grown.root()), InputError);
}

TEST_F(MerkleApi, OptionsThatDoNotExistAreRefused) {
  EXPECT_THAT([&] { MerkleTree::of_bytes(bytes(text_), {.hash = "md5"}); },
              ThrowsMessage<InputError>(HasSubstr("md5")));
  EXPECT_THROW(MerkleTree::of_bytes(bytes(text_), {.leaf = "crc"}), InputError);
  EXPECT_THROW(MerkleTree::of_bytes(bytes(text_), {.chunk_bytes = 0}), InputError);
  EXPECT_THROW(MerkleTree::of_bytes({}, options_), InputError);
  EXPECT_THROW(MerkleTree::of_files({}, options_), InputError);
}

TEST_F(MerkleApi, ChunksAreOfAMebibyteUnlessToldOtherwise) {
  const std::string large((1 << 20) + 1, 'x');
  EXPECT_EQ(MerkleTree::of_bytes(bytes(large)).leaves(), 2u);
  EXPECT_EQ(MerkleTree::of_bytes(bytes(large).first(1 << 20)).leaves(), 1u);
  EXPECT_EQ(MerkleTree::of_bytes(bytes(large)).root(),
            MerkleTree::of_bytes(bytes(large), {.hash = "rescue-prime-c.1", .leaf = "sha256", .chunk_bytes = 1 << 20})
                .root());
}

TEST_F(MerkleApi, DigestsAreLeavesWhateverTheSizeOfChunks) {
  const std::string digests(96, '\1');
  const MerkleTree tree = MerkleTree::of_bytes(bytes(digests), {.leaf = "digests"});
  EXPECT_EQ(tree.leaves(), 3u);
  EXPECT_EQ(MerkleTree::of_bytes(bytes(digests), {.leaf = "digests", .chunk_bytes = 7}).root(), tree.root());
  EXPECT_NE(MerkleTree::of_bytes(bytes(digests), {.chunk_bytes = 32}).root(), tree.root());
}

TEST_F(MerkleApi, AProofSaysWhatItIsAbout) {
  const MerkleTree tree = MerkleTree::of_bytes(bytes(text_), options_);
  const MerkleProof inclusion = tree.prove({7, 0, 2}), extension = tree.extended(bytes("more")).prove_extension(10);
  EXPECT_FALSE(inclusion.is_extension());
  EXPECT_EQ(inclusion.leaves(), 10u);
  EXPECT_EQ(inclusion.indices(), (std::vector<std::uint64_t>{0, 2, 7}));
  EXPECT_TRUE(extension.is_extension());
  EXPECT_EQ(extension.leaves(), 11u);
  EXPECT_TRUE(extension.indices().empty());
  for (const MerkleProof& proof : {inclusion, extension}) {
    const auto path = temporary_.path() / (proof.is_extension() ? "extension" : "inclusion");
    proof.save(path);
    EXPECT_EQ(MerkleProof::load(path).bytes(), proof.bytes());
    EXPECT_EQ(MerkleProof::parse(proof.json()).bytes(), proof.bytes());
  }
  EXPECT_THAT([&] { extension.verify(tree.root()); },
              ThrowsMessage<InputError>(HasSubstr("about a tree that was extended, not about leaves")));
  EXPECT_THAT([&] { inclusion.verify_extension(tree.root(), tree.root()); },
              ThrowsMessage<InputError>(HasSubstr("about leaves, not about a tree that was extended")));
}

TEST_F(MerkleApi, ATreeWithoutBytesIsRefused) {
  EXPECT_THAT([&] { MerkleTree::of_bytes({}, options_); },
              ThrowsMessage<InputError>("there are no bytes, and every tree needs at least one leaf"));
  const MerkleTree tree = MerkleTree::of_bytes(bytes(text_), options_);
  EXPECT_THROW(tree.extended({}), InputError);
  EXPECT_THROW(tree.prove({}), InputError);
  EXPECT_THROW(tree.prove_extension(0), InputError);
  EXPECT_THROW(tree.prove_extension(11), InputError);
}

}  // namespace
}  // namespace tacit
