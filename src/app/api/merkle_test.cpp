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

}  // namespace
}  // namespace tacit
