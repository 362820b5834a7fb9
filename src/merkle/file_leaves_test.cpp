#include "merkle/file_leaves.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "base/error.h"
#include "base/temporary_folder_for_test.h"
#include "merkle/known_answers_for_test.h"
#include "merkle/rescue.h"
#include "merkle/root_stream.h"

namespace tacit::merkle {
namespace {

class Files : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_.path() / name, std::ios::binary) << content;
    return folder_.path() / name;
  }
  static std::vector<Digest> read(const TreeScheme& scheme, const std::vector<std::filesystem::path>& files) {
    const FileLeaves source(scheme, files);
    std::vector<Digest> leaves;
    source.read([&](std::span<const Digest> run) { leaves.insert(leaves.end(), run.begin(), run.end()); });
    EXPECT_EQ(leaves.size(), source.count());
    return leaves;
  }
  base::TemporaryFolder folder_;
};

TEST_F(Files, AreCutIntoChunksBehindALeafOfTheirOwn) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += static_cast<char>(i * 31 % 251);
  const auto a = write("a", text), b = write("b", text.substr(5, 1000)), empty = write("empty", "");
  for (const LeafRule rule : {LeafRule::sha256, LeafRule::bytes})
    for (const std::uint64_t chunk : {7, 1000, 19999, 20000, 1 << 20}) {
      const TreeScheme scheme{.leaf_rule = rule, .chunk_bytes = chunk};
      std::vector<Digest> expected;
      for (const auto& [name, content] :
           {std::pair<std::string, std::string>{"a", text}, {"empty", ""}, {"b", text.substr(5, 1000)}}) {
        expected.push_back(leaf_of_file(scheme, name, content.size()));
        for (std::size_t at = 0; at < content.size(); at += chunk)
          expected.push_back(leaf_of_chunk(
              scheme,
              std::as_bytes(std::span(content)).subspan(at, std::min<std::size_t>(chunk, content.size() - at))));
      }
      EXPECT_EQ(read(scheme, {a, empty, b}), expected) << chunk;
      const std::uint64_t of_a = (text.size() + chunk - 1) / chunk;
      const std::vector<FileLeaves::Part> parts = FileLeaves(scheme, {a, empty, b}).parts();
      ASSERT_EQ(parts.size(), 3u);
      EXPECT_EQ(parts[0].first_leaf, 0u);
      EXPECT_EQ(parts[1].first_leaf, 1 + of_a);
      EXPECT_EQ(parts[2].first_leaf, 2 + of_a);
      EXPECT_EQ(parts[2].name, "b");
      EXPECT_EQ(parts[2].bytes, 1000u);
      // A single file is its chunks, as it was before there were leaves of files.
      EXPECT_EQ(read(scheme, {a}),
                std::vector<Digest>(expected.begin() + 1, expected.begin() + 1 + static_cast<std::ptrdiff_t>(of_a)));
      EXPECT_TRUE(FileLeaves(scheme, {a}).parts().empty());
    }
}

TEST_F(Files, HaveALeafInADomainOfItsOwn) {
  const TreeScheme scheme{.leaf_rule = LeafRule::bytes, .chunk_bytes = 1000};
  const std::string told("\x05\0\0\0\0\0\0\0name", 12);
  const Digest leaf = leaf_of_file(scheme, "name", 5);
  EXPECT_EQ(leaf, hash_bytes(Variant::c, std::as_bytes(std::span(told)), Domain::file));
  EXPECT_NE(leaf, leaf_of_chunk(scheme, std::as_bytes(std::span(told))));
  EXPECT_NE(leaf, leaf_of_file(scheme, "name", 6));
  EXPECT_NE(leaf, leaf_of_file(scheme, "nam", 5));
}

TEST_F(Files, OfDigestsAreTakenAsTheyAre) {
  const auto leaves = known::random_leaves(20000, 8);
  const auto path = write("d", {reinterpret_cast<const char*>(leaves.data()), leaves.size() * sizeof(Digest)});
  EXPECT_EQ(read({}, {path}), leaves);
  const auto odd = write("odd", std::string(33, 'x'));
  EXPECT_THROW(FileLeaves({}, {odd}), base::InputError);
  EXPECT_THROW(FileLeaves({}, {path, path}), base::InputError);
  const auto wrong = write("wrong", std::string(64, '\xff'));
  EXPECT_THROW(read({}, {wrong}), base::InputError);
}

TEST_F(Files, ThatAreNoneAreRefused) {
  EXPECT_THROW(FileLeaves({}, {folder_.path() / "missing"}), base::InputError);
  EXPECT_THROW(FileLeaves({}, {folder_.path()}), base::InputError);
  ASSERT_EQ(mkfifo((folder_.path() / "pipe").c_str(), 0600), 0);
  EXPECT_THROW(FileLeaves({}, {folder_.path() / "pipe"}), base::InputError);
  EXPECT_THROW(FileLeaves({.leaf_rule = LeafRule::sha256}, {}), base::InputError);
  EXPECT_EQ(FileLeaves({}, {}).count(), 0u);
}

}  // namespace
}  // namespace tacit::merkle
