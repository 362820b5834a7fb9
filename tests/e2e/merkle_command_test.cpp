#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/command_line.h"
#include "tests/command/run_command.h"
#include "tests/command/workspace.h"

namespace tacit::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

/// Two files of some chunks of 4 KiB each, the last one short.
class MerkleCommand : public ::testing::Test {
 protected:
  static std::string content(std::size_t size, unsigned step) {
    std::string text(size, '\0');
    for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * i % 253 * step);
    return text;
  }
  static json succeed(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "merkle");
    arguments.push_back("--json");
    const CommandResult result = run_command(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    return json::parse(result.out);
  }
  static void refuse(std::vector<std::string> arguments, int status, const std::string& part) {
    arguments.insert(arguments.begin(), "merkle");
    const CommandResult result = run_command(arguments);
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_EQ(result.signal, 0);
    EXPECT_THAT(result.last_error_line(), HasSubstr(part));
  }
  Workspace workspace_;
  const std::string text_ = content(50000, 3);
  const std::string a_ = workspace_.bytes("a", text_), b_ = workspace_.bytes("b", content(9000, 5));
};

TEST_F(MerkleCommand, ProvesChunksOfAFileAndChecksThem) {
  const std::string root = succeed({"root", a_, "--chunk", "4KiB"})["root"];
  for (const std::string form : {"p.proof", "p.json"}) {
    const std::string proof = workspace_(form);
    const json made = succeed({"prove", a_, "--chunk", "4KiB", "--index", "12,2", "-o", proof});
    EXPECT_EQ(made["root"], root);
    EXPECT_EQ(made["indices"], json({2, 12}));
    const std::string two = workspace_.bytes("2", text_.substr(2 * 4096, 4096)),
                      twelve = workspace_.bytes("12", text_.substr(12 * 4096));
    EXPECT_EQ(succeed({"verify", proof, "--root", root, "--data", two, twelve})["holds"], true);
    refuse({"verify", proof, "--root", root, "--data", twelve, two}, app::kKeyMismatch, "is not leaf 2");
    std::string other = root;
    other[5] = other[5] == '0' ? '1' : '0';
    refuse({"verify", proof, "--root", other}, app::kKeyMismatch, "does not hold");
    const CommandResult told = run_command({"merkle", "verify", proof, "--root", other, "--json"});
    EXPECT_EQ(told.status, app::kKeyMismatch);
    EXPECT_EQ(json::parse(told.out)["holds"], false);
    EXPECT_THAT(json::parse(told.out)["reason"].get<std::string>(), HasSubstr("do not lead to the root"));
    refuse({"verify", proof, "--root", root.substr(1)}, app::kBadInput, "64 hexadecimal digits");
    refuse({"verify", proof, "--root", root, "--old-root", root}, app::kBadInput, "consistency");
    refuse({"verify", proof, "--root", root, "--data", two}, app::kBadInput, "1 chunks for the 2 leaves");
  }
  const std::string bytes = read_bytes(workspace_("p.proof"));
  refuse({"verify", workspace_.bytes("cut", bytes.substr(0, bytes.size() - 1)), "--root", root}, app::kBadInput,
         "size");
  refuse({"verify", a_, "--root", root}, app::kBadInput, "no proof");
}

TEST_F(MerkleCommand, ProvesChunksAgainstACap) {
  const std::string root = succeed({"root", a_, "--chunk", "4KiB"})["root"];
  for (const std::string ending : {"", ".json"}) {
    const std::string cap = workspace_("cap" + ending), proof = workspace_("p" + ending), other = workspace_("other");
    const json made = succeed({"root", a_, "--chunk", "4KiB", "--cap", "2", "-o", cap});
    EXPECT_EQ(made["root"], root);
    EXPECT_EQ(made["cap"], json({{"height", 2}, {"nodes", 4}, {"output", cap}}));  // 13 leaves
    const json proven = succeed({"prove", a_, "--chunk", "4KiB", "--index", "7", "--cap", "2", "-o", proof});
    EXPECT_EQ(proven["height"], 2);
    EXPECT_EQ(proven["nodes"], 2);
    const std::string seven = workspace_.bytes("7", text_.substr(7 * 4096, 4096));
    EXPECT_EQ(succeed({"verify", proof, "--cap", cap, "--root", root, "--data", seven})["holds"], true);
    EXPECT_EQ(succeed({"verify", proof, "--cap", cap})["holds"], true);
    refuse({"verify", proof, "--cap", cap, "--data", a_}, app::kBadInput, "more than the 4096");
    refuse({"verify", proof, "--cap", cap, "--data", b_}, app::kBadInput, "more than the 4096");
    refuse({"verify", proof, "--root", root}, app::kKeyMismatch, "needs the cap");
    refuse({"verify", proof}, app::kBadInput, "--root");
    refuse({"verify", proof, "--cap", cap, "--root", std::string(64, '0')}, app::kKeyMismatch, root);
    refuse({"verify", proof, "--cap", proof}, app::kBadInput, "not the cap");
    refuse({"verify", cap, "--cap", cap}, app::kBadInput, "this is a cap");
    succeed({"root", b_, "--chunk", "4KiB", "--cap", "2", "-o", other});
    refuse({"verify", proof, "--cap", other}, app::kKeyMismatch, "another tree or another cap");
    succeed({"root", a_, "--chunk", "4KiB", "--cap", "3", "-o", other});
    refuse({"verify", proof, "--cap", other, "--root", root}, app::kKeyMismatch, "another tree or another cap");
  }
  // A cap further down than there are levels holds all leaves.
  EXPECT_EQ(succeed({"root", a_, "--chunk", "4KiB", "--cap", "20", "-o", workspace_("all")})["cap"]["nodes"], 13);
  refuse({"root", a_, "--cap", "2"}, app::kBadInput, "--output");
  refuse({"root", a_, "-o", workspace_("x")}, app::kBadInput, "--cap");
  refuse({"root", a_, "--cap", "0", "-o", workspace_("x")}, app::kBadInput, "--cap");
  refuse({"root", a_, "--cap", "21", "-o", workspace_("x")}, app::kBadInput, "--cap");
  refuse({"root", a_, "--cap", "2", "-o", a_}, app::kBadInput, "overwritten");
}

TEST_F(MerkleCommand, ProvesThatALogGrew) {
  const json grown = succeed({"append", a_, b_, "--chunk", "4KiB", "-o", workspace_("g.proof")});
  EXPECT_EQ(grown["old_root"], succeed({"root", a_, "--chunk", "4KiB"})["root"]);
  // Whole chunks behind each other are the log in one file.
  const std::string begun = workspace_.bytes("begun", text_.substr(0, 5 * 4096)),
                    rest = workspace_.bytes("rest", text_.substr(5 * 4096));
  EXPECT_EQ(succeed({"append", begun, rest, "--chunk", "4KiB", "-o", workspace_("w.proof")})["root"],
            grown["old_root"]);
  EXPECT_EQ(grown["old_leaves"], 13);
  EXPECT_EQ(grown["leaves"], 16);
  EXPECT_EQ(
      succeed({"verify", workspace_("g.proof"), "--old-root", grown["old_root"], "--root", grown["root"]})["holds"],
      true);
  refuse({"verify", workspace_("g.proof"), "--old-root", grown["root"], "--root", grown["old_root"]}, app::kKeyMismatch,
         "does not hold");
  refuse({"verify", workspace_("g.proof"), "--root", grown["root"]}, app::kBadInput, "--old-root");
  // Nothing may be added, but there must be something to add it to.
  const std::string empty = workspace_.bytes("empty", "");
  EXPECT_EQ(succeed({"append", a_, empty, "--chunk", "4KiB", "-o", workspace_("n.proof")})["root"], grown["old_root"]);
  refuse({"append", empty, a_, "-o", workspace_("n.proof")}, app::kBadInput, "nothing in it");
}

TEST_F(MerkleCommand, SaysTheSameInWords) {
  const auto words = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "merkle");
    return run_command(arguments).out;
  };
  const std::string chunk = "4KiB", proof = workspace_("w.proof"), cap = workspace_("w.cap");
  const json described = succeed({"root", a_, "--chunk", chunk});
  const std::string root = described["root"];
  EXPECT_EQ(words({"root", a_, "--chunk", chunk}), root + "\n");
  // 13 leaves below a root of height 4: two levels below it are four nodes.
  EXPECT_EQ(words({"root", a_, "--chunk", chunk, "--cap", "2", "-o", cap}),
            root + "\ncap of 4 nodes at height 2 in " + cap + "\n");
  const json proven = succeed({"prove", a_, "--chunk", chunk, "--index", "12,2", "-o", proof});
  EXPECT_EQ(words({"prove", a_, "--chunk", chunk, "--index", "12,2", "-o", proof}),
            "root " + root + "\n2 of 13 leaves proven with " + proven["nodes"].dump() + " nodes in " + proof + "\n");
  EXPECT_EQ(words({"verify", proof, "--root", root}),
            "holds: 2, 12 of 13 leaves (" + described["hash"].get<std::string>() + ", " +
                described["leaf"].get<std::string>() + ", chunks of 4096 bytes)\n");
  const json grown = succeed({"append", a_, b_, "--chunk", chunk, "-o", proof});
  EXPECT_EQ(words({"append", a_, b_, "--chunk", chunk, "-o", proof}),
            "old root " + root + " of 13 leaves\nroot " + grown["root"].get<std::string>() +
                " of 16 leaves\nthat the second extends the first is proven in " + proof + "\n");
  EXPECT_EQ(words({"verify", proof, "--old-root", root, "--root", grown["root"]}),
            "holds: 13 leaves were extended to 16\n");
  std::string changed = text_;
  for (const std::size_t leaf : {5, 7, 8}) changed[4096 * leaf] ^= 1;
  EXPECT_EQ(words({"diff", a_, workspace_.bytes("c", changed), "--chunk", chunk}), "leaf 5\nleaves 7 to 8\n");
  EXPECT_EQ(words({"diff", a_, a_}), "no leaf differs\n");
}

TEST_F(MerkleCommand, NamesTheLeavesThatDiffer) {
  std::string changed = text_;
  changed[4096 * 5] ^= 1;
  const std::string c = workspace_.bytes("c", changed);
  EXPECT_EQ(succeed({"diff", a_, c, "--chunk", "4KiB"})["differing"], json::parse("[[5, 6]]"));
  EXPECT_EQ(succeed({"diff", a_, a_})["differing"], json::array());
  EXPECT_NE(succeed({"root", a_, "--hash", "rescue-prime-a.1"})["root"], succeed({"root", a_})["root"]);
  EXPECT_NE(succeed({"root", a_, "--leaf", "bytes"})["root"], succeed({"root", a_})["root"]);
}

TEST_F(MerkleCommand, CommitsToNamesAndBoundariesOfSeveralFiles) {
  const auto root = [](std::vector<std::string> files) -> std::string {
    files.insert(files.begin(), "root");
    files.insert(files.end(), {"--chunk", "4KiB"});
    return succeed(files)["root"];
  };
  std::filesystem::create_directory(workspace_("other"));
  const auto part = [&](const std::string& name, std::size_t at, std::size_t count) {
    return workspace_.bytes(name, text_.substr(at, count));
  };
  const std::string one = part("one", 0, 2 * 4096), two = part("two", 2 * 4096, 4096), empty = part("empty", 0, 0);
  const std::string whole = root({one, two});
  EXPECT_EQ(root({part("other/one", 0, 2 * 4096), part("other/two", 2 * 4096, 4096)}), whole);  // folders do not count
  std::vector<std::string> roots{whole,
                                 root({part("both", 0, 3 * 4096)}),
                                 root({two, one}),
                                 root({one, two, empty}),
                                 root({empty, one, two}),
                                 root({one, empty, two}),
                                 root({one, part("2", 2 * 4096, 4096)}),
                                 root({part("other/one", 0, 4096), part("other/two", 4096, 2 * 4096)}),
                                 root({part("other/one", 0, 2 * 4096 + 1), part("other/two", 2 * 4096 + 1, 4095)})};
  std::sort(roots.begin(), roots.end());
  EXPECT_EQ(std::adjacent_find(roots.begin(), roots.end()), roots.end());

  const json told = succeed({"root", one, empty, two, "--chunk", "4KiB"});
  EXPECT_EQ(told["leaves"], 6);
  EXPECT_EQ(told["files"], json::parse(R"([{"name": "one", "bytes": 8192, "first_leaf": 0},
                                           {"name": "empty", "bytes": 0, "first_leaf": 3},
                                           {"name": "two", "bytes": 4096, "first_leaf": 4}])"));
  const std::string proof = workspace_("p");
  EXPECT_EQ(succeed({"prove", one, empty, two, "--chunk", "4KiB", "--index", "5", "-o", proof})["root"], told["root"]);
  const std::string named = told["root"];
  EXPECT_EQ(succeed({"verify", proof, "--root", named, "--data", two})["holds"], true);
  refuse({"root", one, two, "--leaf", "digests"}, app::kBadInput, "put them into one file");
}

/// In a strict tree of one leaf the root is the leaf: who trusts a root of another hash must not be told that this
/// holds.
TEST_F(MerkleCommand, ChecksProofsOfTheHashOfTheRootOnly) {
  const std::string one = workspace_.bytes("one", std::string(32, '\1')), proof = workspace_("p"),
                    strict = "rescue-prime-c.1-strict";
  const std::string root =
      succeed({"prove", one, "--leaf", "digests", "--hash", strict, "--index", "0", "-o", proof})["root"];
  EXPECT_EQ(root, "0101010101010101010101010101010101010101010101010101010101010101");
  refuse({"verify", proof, "--root", root}, app::kKeyMismatch, "--hash");
  EXPECT_EQ(succeed({"verify", proof, "--root", root, "--hash", strict})["holds"], true);
  refuse({"verify", proof, "--root", root, "--hash", "md5"}, app::kBadInput, "rescue-prime-c.1");
}

TEST_F(MerkleCommand, RefusesTreesThatDoNotFitIntoMemory) {
  const std::string large = workspace_("large");
  workspace_.bytes("large", "");
  std::filesystem::resize_file(large, std::uintmax_t{1} << 40);  // holes
  refuse({"prove", large, "--chunk", "1", "--index", "0", "-o", workspace_("x")}, app::kBadInput, "--chunk");
  std::filesystem::resize_file(large, std::uintmax_t{1} << 32);
  refuse({"prove", large, "--chunk", "1KiB", "--memory", "100MB", "--index", "0", "-o", workspace_("x")},
         app::kBadInput, "256 MiB");
}

TEST_F(MerkleCommand, RefusesWhatIsNoTree) {
  refuse({"root", workspace_.bytes("empty", "")}, app::kBadInput, "at least one leaf");
  refuse({"root", workspace_(".")}, app::kBadInput, "no regular file");
  refuse({"root", workspace_("missing")}, app::kBadInput, "cannot open");
  refuse({"root", a_, "--hash", "md5"}, app::kBadInput, "rescue-prime-c.1");
  refuse({"root", a_, "--leaf", "md5"}, app::kBadInput, "sha256");
  refuse({"root", a_, "--chunk", "2GiB"}, app::kBadInput, "1 GiB");
  refuse({"root", a_, "--hash", "rescue-prime-c.1-strict"}, app::kBadInput, "strict");
  refuse({"root", a_, "--leaf", "digests"}, app::kBadInput, "32 bytes");
  refuse({"root", workspace_.bytes("ff", std::string(64, '\xff')), "--leaf", "digests"}, app::kBadInput, "leaf 0");
  refuse(
      {"root", workspace_.bytes("3", std::string(96, 'a')), "--leaf", "digests", "--hash", "rescue-prime-c.1-strict"},
      app::kBadInput, "power of two");
  refuse({"prove", a_, "--index", "1", "-o", workspace_("x")}, app::kBadInput, "lies outside");
  refuse({"prove", a_, "--index=-1", "-o", workspace_("x")}, app::kBadInput, "--index");
  refuse({"prove", a_, "--index", "0,0", "-o", workspace_("x")}, app::kBadInput, "once each");
  refuse({"prove", a_, "--index", "0", "-o", a_}, app::kBadInput, "overwritten");
}

}  // namespace
}  // namespace tacit::test
