#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/command_line.h"
#include "tests/command/run_command.h"
#include "tests/command/workspace.h"

namespace tacit::test {
namespace {

using nlohmann::json;

/// A log of three chunks that grew by two, and a tree over three digests.
class MerkleWords : public ::testing::Test {
 protected:
  static CommandResult merkle(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "merkle");
    return run_command(arguments);
  }
  static json report(std::vector<std::string> arguments) {
    arguments.emplace_back("--json");
    const CommandResult result = merkle(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    return json::parse(result.out);
  }
  /// What `verify` says where it refuses.
  static std::string refused(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "verify");
    const CommandResult result = merkle(arguments);
    EXPECT_EQ(result.status, app::kBadInput);
    return result.err;
  }
  const Workspace workspace_;
  const std::string log_ = workspace_.bytes("log", std::string(10000, 'a')),
                    added_ = workspace_.bytes("added", std::string(8000, 'b')),
                    digests_ = workspace_.bytes("digests", std::string(96, '\1'));
  const std::string grown_ = workspace_("grown"), proven_ = workspace_("proven");
};

TEST_F(MerkleWords, AConsistencyProofNeedsBothRootsAndNothingElse) {
  const json grown = report({"append", log_, added_, "--chunk", "4KiB", "-o", grown_});
  const std::string old_root = grown["old_root"], root = grown["root"];
  EXPECT_EQ(merkle({"verify", grown_, "--root", root, "--old-root", old_root}).out,
            "holds: 3 leaves were extended to 5\n");
  const std::string needs =
      "tacit: " + grown_ + ": a consistency proof needs --root and --old-root, and has no --data or --cap\n";
  EXPECT_EQ(refused({grown_}), needs);
  EXPECT_EQ(refused({grown_, "--root", root}), needs);
  EXPECT_EQ(refused({grown_, "--old-root", old_root}), needs);
  EXPECT_EQ(refused({grown_, "--root", root, "--old-root", old_root, "--data", log_}), needs);
  EXPECT_EQ(refused({grown_, "--root", root, "--old-root", old_root, "--cap", grown_}), needs);
}

TEST_F(MerkleWords, LeavesThatAreDigestsHaveNoChunks) {
  const json made = report({"prove", digests_, "--leaf", "digests", "--index", "1", "-o", proven_});
  EXPECT_EQ(made["leaves"], 3);
  EXPECT_EQ(made["height"], 2);
  EXPECT_EQ(made["chunk_bytes"], 0);
  EXPECT_EQ(merkle({"verify", proven_, "--root", made["root"]}).out,
            "holds: 1 of 3 leaves (rescue-prime-c.1, digests)\n");
  EXPECT_EQ(refused({proven_}), "tacit: " + proven_ + ": give the root to check against, with --root\n");
  EXPECT_EQ(refused({proven_, "--cap", proven_}), "tacit: " + proven_ + ": this is a proof, not the cap of a tree\n");
}

TEST_F(MerkleWords, TheFileMayStandBehindTheIndex) {
  EXPECT_EQ(report({"prove", "--leaf", "digests", "--index", "2", digests_, "-o", proven_})["indices"], json({2}));
}

// A tree has 2^48 leaves at most.
TEST_F(MerkleWords, IndicesAreThoseThatATreeMayHave) {
  const auto proving = [&](const std::string& index) {
    const CommandResult result =
        merkle({"prove", digests_, "--leaf", "digests", "--index", index, "-o", workspace_("never")});
    EXPECT_EQ(result.status, app::kBadInput);
    return result.err;
  };
  EXPECT_EQ(proving("3"), "tacit: leaf 3 lies outside the tree, whose leaves are 0 to 2\n");
  EXPECT_EQ(proving("281474976710655"), "tacit: leaf 281474976710655 lies outside the tree, whose leaves are 0 to 2\n");
  EXPECT_EQ(proving("281474976710656"),
            "tacit: --index: Value 281474976710656 not in range 0 to 281474976710655; see --help\n");
}

// Of the shorter log everything behind its end differs, too.
TEST_F(MerkleWords, DifferencesAreOfBothTrees) {
  EXPECT_EQ(merkle({"diff", log_, added_, "--chunk", "4KiB"}).out, "leaves 0 to 2\n");
  const json told = report({"diff", log_, added_, "--chunk", "4KiB"});
  EXPECT_EQ(told["leaves"], json({3, 2}));
  EXPECT_EQ(told["differing"], json::parse("[[0, 3]]"));
  EXPECT_EQ(told["roots"][0], report({"root", log_, "--chunk", "4KiB"})["root"]);
  EXPECT_EQ(told["roots"][1], report({"root", added_, "--chunk", "4KiB"})["root"]);
}

}  // namespace
}  // namespace tacit::test
