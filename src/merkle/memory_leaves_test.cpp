#include "merkle/memory_leaves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "base/temporary_folder_for_test.h"
#include "merkle/file_leaves.h"
#include "merkle/proof_check.h"
#include "merkle/tree.h"

namespace tacit::merkle {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::string content(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * i % 251);
  return bytes;
}

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

TEST(MemoryLeaves, AreThoseOfAFileWithTheSameBytes) {
  const base::TemporaryFolder folder;
  for (const std::size_t size : {1u, 4096u, 4097u, 3'000'000u})
    for (const LeafRule rule : {LeafRule::sha256, LeafRule::bytes})
      for (const std::uint64_t chunk : {1000u, 1u << 20}) {
        if (rule == LeafRule::bytes && size > 10'000) continue;  // slow, and the same code
        const TreeScheme scheme{.leaf_rule = rule, .chunk_bytes = chunk};
        const std::string text = content(size);
        const auto path = folder.path() / "content";
        std::ofstream(path, std::ios::binary) << text;
        std::vector<Digest> of_file;
        FileLeaves(scheme, {path}).read([&](std::span<const Digest> run) {
          of_file.insert(of_file.end(), run.begin(), run.end());
        });
        const auto found = memory_leaves(scheme, bytes_of(text));
        EXPECT_EQ(std::vector<Digest>(found.begin(), found.end()), of_file) << size << " in chunks of " << chunk;
        EXPECT_EQ(leaves_of_size(scheme, size), of_file.size());
      }
}

TEST(MemoryLeaves, TakeDigestsAsTheyAre) {
  const TreeScheme digests;
  std::string text(64, '\0');
  text[32] = 7;
  const auto leaves = memory_leaves(digests, bytes_of(text));
  ASSERT_EQ(leaves.size(), 2u);
  EXPECT_EQ(leaves[1].words[0], 7u);
  EXPECT_THAT([&] { memory_leaves(digests, bytes_of(text).first(33)); },
              ThrowsMessage<base::InputError>(HasSubstr("33 bytes are no whole number of digests")));
  text.assign(32, '\xff');
  EXPECT_THROW(memory_leaves(digests, bytes_of(text)), base::InputError);
  EXPECT_TRUE(memory_leaves(digests, {}).empty());
}

TEST(ProofCheck, PayloadsAreThoseOfTheLeaves) {
  const TreeScheme scheme{.leaf_rule = LeafRule::sha256, .chunk_bytes = 100};
  const std::string text = content(950);
  const Tree tree(scheme, memory_leaves(scheme, bytes_of(text)));
  const std::vector<std::uint64_t> indices{2, 9};
  const InclusionProof proof = tree.prove(indices);
  const auto payload = [&](std::size_t leaf) {
    return Payload{"piece", [&text, leaf] { return text.substr(leaf * 100, 100); }};
  };
  EXPECT_TRUE(check_payloads(proof, {payload(2), payload(9)}, "pieces"));
  EXPECT_EQ(check_payloads(proof, {payload(2), payload(8)}, "pieces").reason, "piece is not leaf 9");
  EXPECT_THAT([&] { check_payloads(proof, {payload(2)}, "pieces"); },
              ThrowsMessage<base::InputError>(HasSubstr("pieces: 1 chunks for the 2 leaves")));
  require_hash(proof.scheme, "rescue-prime-c.1", "it");
  EXPECT_THAT([&] { require_hash(proof.scheme, "rescue-prime-a.1", "it"); },
              ThrowsMessage<base::KeyMismatch>(HasSubstr("it is about a tree of the hash rescue-prime-c.1, not")));
  EXPECT_THROW(require_hash(proof.scheme, "md5", "it"), base::InputError);
}

}  // namespace
}  // namespace tacit::merkle
