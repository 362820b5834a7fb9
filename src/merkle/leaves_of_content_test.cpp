#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"
#include "merkle/file_leaves.h"
#include "merkle/known_answers_for_test.h"
#include "merkle/memory_leaves.h"
#include "merkle/rescue.h"

namespace tacit::merkle {
namespace {

/// Everything that was told, in order: "+hashing 100", "60", "-".
class Told final : public base::Progress {
 public:
  std::vector<std::string> lines;

 private:
  void stage_began(std::string_view stage, std::uint64_t total) override {
    lines.push_back(fmt::format("+{} {}", stage, total));
  }
  void steps_done(std::uint64_t done) override { lines.push_back(std::to_string(done)); }
  void stage_ended() override { lines.emplace_back("-"); }
};
using Lines = std::vector<std::string>;

class LeavesOfContent : public ::testing::Test {
 protected:
  std::filesystem::path file(const std::string& name, std::string_view content) const {
    std::ofstream(folder_.path() / name, std::ios::binary) << content;
    return folder_.path() / name;
  }
  static std::vector<Digest> read(const FileLeaves& source, base::Progress& progress) {
    std::vector<Digest> leaves;
    source.read([&](std::span<const Digest> run) { leaves.insert(leaves.end(), run.begin(), run.end()); }, progress);
    return leaves;
  }
  base::TemporaryFolder folder_;
};

std::span<const std::byte> raw(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST_F(LeavesOfContent, AreAsManyAsChunksBegin) {
  const auto leaves = [](const TreeScheme& scheme, std::uint64_t bytes) { return leaves_of_size(scheme, bytes); };
  const TreeScheme chunks{.leaf_rule = LeafRule::sha256, .chunk_bytes = 10};
  const std::uint64_t sizes[] = {0, 1, 9, 10, 11, 20, 21, 32, 33};
  const std::uint64_t of_chunks[] = {0, 1, 1, 1, 2, 2, 3, 4, 4}, of_digests[] = {0, 1, 1, 1, 1, 1, 1, 1, 2};
  for (std::size_t i = 0; i < 9; ++i) {
    EXPECT_EQ(leaves(chunks, sizes[i]), of_chunks[i]) << sizes[i];
    EXPECT_EQ(leaves({}, sizes[i]), of_digests[i]) << sizes[i];
  }
}

TEST_F(LeavesOfContent, TellHowManyBytesWereHashed) {
  const std::string text(2500, 'x');
  const TreeScheme scheme{.leaf_rule = LeafRule::sha256, .chunk_bytes = 1000};
  const auto a = file("a", text), b = file("b", text.substr(0, 300)), empty = file("empty", "");
  const FileLeaves source(scheme, {a, empty, b});
  EXPECT_EQ(source.count(), 7u);  // three of files, three of a and one of b
  EXPECT_EQ(source.bytes(), 2800u);
  Told told;
  EXPECT_EQ(read(source, told).size(), 7u);
  EXPECT_EQ(told.lines, (Lines{"+hashing 2800", "2500", "300", "-"}));
  Told of_memory;
  EXPECT_EQ(memory_leaves(scheme, raw(text), of_memory).size(), 3u);
  EXPECT_EQ(of_memory.lines, (Lines{"+hashing 2500", "2500", "-"}));
  const FileLeaves single(scheme, {a});
  EXPECT_EQ(single.count(), 3u);
  EXPECT_EQ(single.bytes(), 2500u);

  const auto digests = known::random_leaves(20000, 3);
  const FileLeaves of_digests(
      {}, {file("d", {reinterpret_cast<const char*>(digests.data()), digests.size() * sizeof(Digest)})});
  Told runs;
  EXPECT_EQ(read(of_digests, runs), digests);
  EXPECT_EQ(runs.lines, (Lines{"+hashing 640000", "262144", "262144", "115712", "-"}));
}

TEST_F(LeavesOfContent, OfManyBatchesStandInOrder) {
  // Sixteen mebibytes of a file are one batch, and 64 of the memory.
  constexpr std::size_t kMebi = std::size_t{1} << 20;
  const TreeScheme scheme{.leaf_rule = LeafRule::sha256, .chunk_bytes = kMebi};
  std::string content(65 * kMebi + 3, '\0');
  for (std::size_t chunk = 0; chunk < 66; ++chunk) content[chunk * kMebi] = static_cast<char>(chunk + 1);
  std::vector<Digest> expected;
  for (std::size_t chunk = 0; chunk < 66; ++chunk)
    expected.push_back(leaf_of_chunk(scheme, raw(std::string_view(content).substr(chunk * kMebi, kMebi))));
  Told of_memory;
  const auto leaves = memory_leaves(scheme, raw(content), of_memory);
  EXPECT_EQ(std::vector<Digest>(leaves.begin(), leaves.end()), expected);
  EXPECT_EQ(of_memory.lines, (Lines{"+hashing 68157443", "67108864", "1048579", "-"}));

  const std::string_view part = std::string_view(content).substr(0, 17 * kMebi + 3);
  Told of_file;
  const auto read_back = read(FileLeaves(scheme, {file("big", part)}), of_file);
  expected.resize(17);
  expected.push_back(leaf_of_chunk(scheme, raw(part.substr(17 * kMebi))));
  EXPECT_EQ(read_back, expected);
  EXPECT_EQ(of_file.lines, (Lines{"+hashing 17825795", "16777216", "1048579", "-"}));
}

TEST_F(LeavesOfContent, OfAFileItselfHoldLengthAndName) {
  const std::string told("\x08\x07\x06\x05\x04\x03\x02\x01name", 12);
  EXPECT_EQ(leaf_of_file({.variant = Variant::a}, "name", 0x0102030405060708),
            hash_bytes(Variant::a, raw(told), Domain::file));
  const auto a = file("a", "12345"), b = file("b", "");
  const TreeScheme scheme{.leaf_rule = LeafRule::bytes, .chunk_bytes = 2};
  const FileLeaves both(scheme, {a, b});
  const auto parts = both.parts();
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].name, "a");
  EXPECT_EQ(parts[0].bytes, 5u);
  EXPECT_EQ(parts[0].first_leaf, 0u);
  EXPECT_EQ(parts[1].bytes, 0u);
  EXPECT_EQ(parts[1].first_leaf, 4u);
  Told told_progress;
  EXPECT_EQ(read(both, told_progress),
            (std::vector<Digest>{leaf_of_file(scheme, "a", 5), leaf_of_bytes(scheme, raw("12")),
                                 leaf_of_bytes(scheme, raw("34")), leaf_of_bytes(scheme, raw("5")),
                                 leaf_of_file(scheme, "b", 0)}));
}

TEST_F(LeavesOfContent, ThatAreNoDigestsAreRefused) {
  std::vector<Digest> digests(8195);
  digests[8193].words[2] = goldilocks::kModulus;
  const std::string_view bytes{reinterpret_cast<const char*>(digests.data()), digests.size() * sizeof(Digest)};
  const std::string end = " has a word that is not below 2^64 - 2^32 + 1: it is no digest of this field";
  const auto path = file("d", bytes);
  EXPECT_EQ(base::refusal([&] { read(FileLeaves({}, {path}), base::Progress::silent()); }),
            path.string() + ": leaf 8193" + end);
  EXPECT_EQ(base::refusal([&] { memory_leaves({}, raw(bytes)); }), "leaf 8193" + end);
  EXPECT_EQ(base::refusal([&] { memory_leaves({}, raw(bytes.substr(0, 31))); }),
            "31 bytes are no whole number of digests of 32 bytes");
  const auto odd = file("odd", bytes.substr(0, 65));
  EXPECT_EQ(base::refusal([&] { FileLeaves({}, {odd}); }),
            odd.string() + ": 65 bytes are no whole number of digests of 32 bytes");
  EXPECT_EQ(base::refusal([&] {
              FileLeaves({}, {path, path, path});
            }),
            "3 files of digests: digests alone do not say where a file ends; put them into one file");
  EXPECT_EQ(base::refusal([&] { FileLeaves({}, {folder_.path()}); }),
            folder_.path().string() + ": this is no regular file");
  EXPECT_EQ(base::refusal([&] { FileLeaves({.chunk_bytes = 2}, {path}); }), "the tree: digests have no chunk size");
}

}  // namespace
}  // namespace tacit::merkle
