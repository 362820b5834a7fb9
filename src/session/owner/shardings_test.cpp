#include "session/owner/shardings.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"

namespace tacit::session {
namespace {

using layout::ShardAnnotation;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

const std::string kMesh = "mesh=[x=4] inputs={0: {-1, -1}} outputs={0: {-1, x}}";

/// As a user writes them behind --shard.
std::vector<std::string> written(const std::vector<std::string>& given) {
  std::vector<std::string> texts;
  for (const ShardAnnotation& annotation : read_shardings(given)) texts.push_back(annotation.to_string());
  return texts;
}
std::string as_written(const std::string& text) { return ShardAnnotation::parse(text).to_string(); }
std::string why_not(const std::string& given) {
  return base::refusal([&] { read_shardings({given}); });
}

TEST(Shardings, AreNodesObjectsLinesAndFilesInTheOrderGiven) {
  const base::TemporaryFolder folder;
  const std::filesystem::path object = folder.path() / "object", lines = folder.path() / "lines";
  base::write_file(object, std::string(R"( {"b": "y:2", "c": "x:2@n"})"));
  base::write_file(lines, "other words\nd: " + kMesh + "\r\n# e: " + kMesh + "\nf: g: " + kMesh);
  EXPECT_THAT(written({"a=x:4,y:2", object.string(), lines.string(), "\t\r\n{\"h\": \"x:8\"}", "i: " + kMesh + "\n"}),
              ElementsAre(as_written("a=x:4,y:2"), as_written("b=y:2"), as_written("c=x:2@n"), as_written("d=" + kMesh),
                          as_written("f: g=" + kMesh), as_written("h=x:8"), as_written("i=" + kMesh)));
  EXPECT_THAT(written({}), IsEmpty());
  EXPECT_THAT(written({"{}"}), IsEmpty());
}

TEST(Shardings, OfLinesThatAreAllCommentsAreNone) {
  EXPECT_THAT(written({"# a: " + kMesh + "\n# words\n"}), IsEmpty());
  EXPECT_THAT(written({"# words\n# x -> [4, n] by {n}\n"}), IsEmpty()) << "a type in a map";
  for (const char* text : {"# words\n", "# x -> [4, n]\n", "# x [4] by {n}\n", "x -> [4, n]\n", "words [4] by {n}\n"})
    EXPECT_THAT(why_not(text), StartsWith("shardings: it shards no node: write lines like 'conv1: mesh=[x=4] "))
        << text;
}

TEST(Shardings, NameTheLineThatIsNone) {
  EXPECT_EQ(why_not("words\nx -> [4, n] by {n}\n"),
            "shardings: line 2 is a type, which follows from meshes; shard the input by a line like 'image: mesh=[z=2] "
            "inputs={} outputs={0: {-1, z, -1}}', and begin this one with '#'");
  EXPECT_EQ(why_not("\n# words\nconv mesh=[x=4]\n"),
            "shardings: line 3 names a mesh, and is not of the form 'node: mesh=...'");
  EXPECT_THAT(why_not("words\na: mesh=[x=\n"), StartsWith("shardings: line 2: "));
}

TEST(Shardings, NameTheNodeOfAnObjectThatIsNone) {
  EXPECT_EQ(why_not(R"({"a": "x:2", "b": "x:2", "a": "x:4"})"), "shardings: node 'a' is sharded twice; say it once");
  EXPECT_EQ(why_not(R"({"a": 4})"), "shardings: node 'a' has no text like \"x:4,y:2\"");
  EXPECT_EQ(why_not(R"({"a": "x:2", "b": {"a": "x:2"}})"), "shardings: node 'b' has no text like \"x:4,y:2\"")
      << "what lies deeper names no node";
  EXPECT_EQ(why_not("{\"a\": "), "shardings: it is no JSON object of nodes and their meshes");
  const std::string longest = fmt::format("m{:n>199}", "");
  EXPECT_EQ(why_not("{\"" + longest + "n\": 4}"), "shardings: node '" + longest + "' has no text like \"x:4,y:2\"");
  EXPECT_EQ(why_not("{\"" + longest + "n\": \"x:2\", \"" + longest + "n\": \"x:2\"}"),
            "shardings: node '" + longest + "' is sharded twice; say it once");
}

TEST(Shardings, OfAFileHaveAtMostFourMebibytes) {
  const base::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "map";
  base::write_file(file, std::string("{}"));
  std::filesystem::resize_file(file, (1 << 22) + 1);  // takes no room
  EXPECT_THAT(why_not(file.string()), HasSubstr("4194305 bytes are more than the 4194304 bytes that this may have"));
  base::write_file(file, std::string("{\"a\": 4}"));
  EXPECT_EQ(why_not(file.string()), file.string() + ": node 'a' has no text like \"x:4,y:2\"");
}

}  // namespace
}  // namespace tacit::session
