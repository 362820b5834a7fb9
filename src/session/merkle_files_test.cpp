#include "session/merkle_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"

namespace tacit::session {
namespace {

constexpr merkle::TreeScheme kChunksOfFour{.leaf_rule = merkle::LeafRule::sha256, .chunk_bytes = 4};

class FilesOfMerkleTrees : public testing::Test {
 protected:
  std::filesystem::path file(const std::string& name, const std::string& content) const {
    std::ofstream(folder_.path() / name, std::ios::binary) << content;
    return folder_.path() / name;
  }
  const base::TemporaryFolder folder_;
};

TEST_F(FilesOfMerkleTrees, NeedALeaf) {
  const auto empty = file("empty", ""), one = file("one", "x");
  const auto why = [](const std::vector<std::filesystem::path>& files, const std::vector<std::filesystem::path>& told) {
    return base::refusal([&] { require_a_leaf(merkle::FileLeaves(kChunksOfFour, files), told); });
  };
  const std::string nothing = ": there is nothing in it, and a Merkle tree needs at least one leaf";
  EXPECT_EQ(why({one}, {one}), base::kNotRefused);
  EXPECT_EQ(why({empty}, {empty}), empty.string() + nothing);
  EXPECT_EQ(why({empty}, {empty, one}), empty.string() + " and the other files" + nothing);
  EXPECT_EQ(why({empty}, {}), nothing);
}

TEST_F(FilesOfMerkleTrees, AreReadWholeWhereThereIsRoom) {
  const auto nine = file("nine", "abcdefghi"), empty = file("empty", "");
  const auto leaves = [&](const std::filesystem::path& path, std::uint64_t bytes) {
    return leaves_of_files(kChunksOfFour, {path}, {.bytes = bytes}, base::Progress::silent());
  };
  EXPECT_EQ(leaves(nine, 3 * 64).size(), 3u);
  EXPECT_EQ(
      base::refusal([&] { leaves(nine, 3 * 64 - 1); }),
      nine.string() + ": a tree of 3 leaves takes 192 B of memory, and there are 191 B; use larger chunks (--chunk)");
  EXPECT_EQ(leaves(empty, 1).size(), 0u);
  EXPECT_EQ(leaves(file("four", "abcd"), 64)[0], leaves(nine, 192)[0]);
}

TEST_F(FilesOfMerkleTrees, ProofsAreJsonWhereTheirNameSaysSo) {
  const merkle::ProofFile cap = merkle::Cap{.scheme = kChunksOfFour, .leaves = 1, .height = 0, .nodes = {{}}};
  for (const char* name : {"cap.json", "cap", "cap.json.bin"}) {
    const std::filesystem::path path = folder_.path() / name;
    write_proof(cap, path);
    EXPECT_EQ(load_proof(path), cap) << name;
    const std::vector<char> bytes = base::read_file(path);
    EXPECT_EQ(bytes.at(0) == '{', std::string(name) == "cap.json") << name;
  }
}

}  // namespace
}  // namespace tacit::session
