#include "graph/slots/describe_sharding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "base/refusal_for_test.h"
#include "graph/slots/annotated_network_for_test.h"

// Printed shardings can be read back.
namespace tacit::graph::passes {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kMesh = ": mesh=";

/// The lines of a printed map with a mesh, as annotations: those that fix a mesh, and those that are comments.
struct MapLines {
  std::vector<std::string> fixed, comments;
};
MapLines lines_of(const std::string& printed) {
  MapLines lines;
  std::istringstream text(printed);
  for (std::string line; std::getline(text, line);) {
    const std::size_t end = line.find(kMesh);
    if (end == std::string::npos) continue;
    const std::size_t begin = line.starts_with("# ") ? 2 : 0;
    (begin > 0 ? lines.comments : lines.fixed).push_back(line.substr(begin, end - begin) + "=" + line.substr(end + 2));
  }
  return lines;
}

std::string program_of(const Graph& graph, const Asked& asked) {
  return slots::to_text(compiled(graph, asked).program);
}

struct ShardingCase {
  const char* name;
  Graph graph;
  Asked asked;
};

std::vector<ShardingCase> cases() {
  const Graph squares = Chain({1, 4, 8, 8}).conv(8, 3).square().pool().flatten().gemm(6).graph();
  const Graph maxima = Chain({1, 2, 8, 8}).conv(4, 3).relu().pool("MaxPool").conv(4, 3).square().graph();
  const Graph two = Chain({1, 4, 6, 6}).conv(16, 3).square().conv(4, 1).graph();
  return {
      {"free", squares, {.log_n = 9, .levels = 4}},
      {"split channels", squares, {.log_n = 9, .levels = 4, .shard = {"Conv0=x:4,y:2"}}},
      {"split input", squares, {.log_n = 9, .levels = 4, .shard = {"x=z:4"}}},
      {"a matrix that keeps an operand", squares, {.log_n = 9, .levels = 5, .shard = {"Gemm4=y:5"}}},
      {"a reshard that is composed", two, {.log_n = 10, .levels = 4, .shard = {"Conv0=x:8", "Conv2=x:2,y:4"}}},
      {"one that stays",
       two,
       {.log_n = 10,
        .levels = 5,
        .shard = {"Conv0=x:8", "Conv2=x:2,y:4"},
        .passes = {.skipped = {"optimise-sharding"}}}},
      {"maxima", maxima, {.log_n = 9, .levels = 16, .samples = 20}},
      {"maxima in blocks",
       maxima,
       {.log_n = 8, .levels = 16, .shard = {"Relu1=x:4", "MaxPool2=x:4", "Conv3=x:2,y:4"}, .samples = 20}},
  };
}

TEST(DescribedSharding, ReadBackGivesTheSameProgram) {
  for (const auto& [name, graph, asked] : cases()) {
    SCOPED_TRACE(name);
    const std::string printed = told(graph, asked, "sharding");
    Asked again = asked;
    again.shard = lines_of(printed).fixed;
    EXPECT_EQ(again.shard.size(), asked.shard.size()) << printed;
    EXPECT_EQ(told(graph, again, "sharding"), printed);
    EXPECT_EQ(program_of(graph, again), program_of(graph, asked));
  }
}

// Without its '#', a line keeps its operator in its blocks, whatever the others do.
TEST(DescribedSharding, ALineThatIsTakenInFixesItsOperator) {
  for (const auto& [name, graph, asked] : cases()) {
    const MapLines lines = lines_of(told(graph, asked, "sharding"));
    for (const std::string& line : lines.comments) {
      SCOPED_TRACE(std::string(name) + ": " + line);
      Asked edited = asked;
      edited.shard = lines.fixed;
      edited.shard.push_back(line);
      const MapLines now = lines_of(told(graph, edited, "sharding"));
      EXPECT_THAT(now.fixed, testing::Contains(line));
      EXPECT_EQ(now.fixed.size(), lines.fixed.size() + 1);
    }
  }
}

TEST(DescribedSharding, WhatWasAskedStandsAsItWasAndAllElseIsAComment) {
  const Graph graph = Chain({1, 4, 8, 8}).conv(8, 3).square().pool().flatten().gemm(6).graph();
  const Asked asked{.log_n = 9, .levels = 4, .shard = {"Conv0=x:4,y:2"}};
  const std::string printed = told(graph, asked, "sharding");
  EXPECT_THAT(printed, HasSubstr("\n# x: [1,4,8,8] -> [2][1,2,8,8] by {-1, d1, -1, -1}\n"));
  EXPECT_THAT(printed, HasSubstr("\n# x: mesh=[d1=2] inputs={} outputs={0: {-1, d1, -1, -1}}\n"));
  EXPECT_THAT(printed, HasSubstr("\nConv0: mesh=[x=4, y=2] inputs={0: {-1, y, -1, -1}, 1: {x, y, -1, -1}, 2: {x}} "
                                 "outputs={0: {-1, x, -1, -1}}\n"));
  EXPECT_THAT(printed, HasSubstr("\n# Mul1: mesh=[x=4] "));
  // All lines together, unchanged.
  const MapLines lines = lines_of(printed);
  EXPECT_GE(lines.comments.size(), 3u) << printed;
  Asked all = asked;
  all.shard = lines.fixed;
  all.shard.insert(all.shard.end(), lines.comments.begin(), lines.comments.end());
  const MapLines now = lines_of(told(graph, all, "sharding"));
  EXPECT_THAT(now.fixed, testing::UnorderedElementsAreArray(all.shard));
  EXPECT_THAT(now.comments, testing::IsEmpty());
}

// Without annotations no candidates are printed, and every operator is described.
TEST(DescribedSharding, OfWhatTheCompilerChoseIsAllComments) {
  const Graph graph = Chain({1, 8, 8, 8}).conv(16, 1).graph();
  EXPECT_EQ(told(graph, {.log_n = 8}, "sharding"),
            "# lines without a '#' fix the meshes of nodes and inputs; the others say what followed\n"
            "# Conv0: [1,16,8,8] -> [8][1,2,8,8] by {-1, d1, -1, -1}\n"
            "# x: [1,8,8,8] -> [4][1,2,8,8] by {-1, d1, -1, -1}\n"
            "# Conv0: mesh=[x=8, y=4] inputs={0: {-1, y, -1, -1}, 1: {x, y, -1, -1}, 2: {x}} "
            "outputs={0: {-1, x, -1, -1}}\n"
            "# x: mesh=[d1=4] inputs={} outputs={0: {-1, d1, -1, -1}}\n");
}

TEST(DescribedSharding, AnInputIsSplitByItself) {
  const Graph graph = Chain({1, 4, 8, 8}).conv(8, 3).square().graph();
  const CompiledModel model = compiled(graph, {.log_n = 9, .levels = 4, .shard = {"x=z:4"}});
  EXPECT_THAT(model.program.instructions.at(0).layout.to_string(), HasSubstr("across(d2:4/2@z)"));
  const auto refused = [&](const std::vector<std::string>& shard, const std::string& words) {
    base::expect_refusal<base::InputError>([&] { compiled(graph, {.log_n = 9, .levels = 4, .shard = shard}); }, words);
  };
  refused({"x=z:4", "x=z:2"}, "input 'x' is sharded twice");
  refused({"x=q:4"}, "node 'x': no factor of Input can be split along axis 'q'");
  refused({"X=z:4"}, "there is no node 'X' to shard; nodes and inputs of similar names: 'x'");
}

// A Relu that only a pool reads is computed after the pool, on a quarter of the elements.
TEST(DescribedSharding, AReluThatMovedIsDescribedWhereItIs) {
  const Graph graph = Chain({1, 2, 8, 8}).conv(4, 3).relu().pool("MaxPool").graph();
  const Asked asked{.log_n = 9, .levels = 16, .shard = {"Relu1=z:4"}, .samples = 20};
  const CompiledModel model = compiled(graph, asked);
  EXPECT_THAT(layouts_of(model, "Relu1").back(), HasSubstr("[1,4,4,4] across(d2:4/1@z)"));
  Asked unmoved = asked;
  unmoved.passes.skipped = {"relu-behind-pools"};
  EXPECT_THAT(layouts_of(compiled(graph, unmoved), "Relu1").back(), HasSubstr("[1,4,8,8] across(d2:4/2@z)"));
}

// A reshard that is composed leaves an operand in other blocks than the annotation states. The annotation is printed
// unchanged.
TEST(DescribedSharding, AnAnnotationThatLayoutsCouldNotKeepStandsBesideWhatBecameOfIt) {
  const Graph graph = Chain({1, 4, 6, 6}).conv(16, 3).square().conv(4, 1).graph();
  const Asked asked{.log_n = 10, .levels = 4, .shard = {"Conv0=x:8", "Conv2=x:2,y:4"}};
  const std::string printed = told(graph, asked, "sharding");
  EXPECT_THAT(lines_of(printed).fixed, testing::SizeIs(2)) << printed;
  EXPECT_THAT(printed, HasSubstr("\nConv2: mesh=[x=2, y=4] "));
  EXPECT_THAT(printed, HasSubstr("# Conv2 (Conv): reads [1,16,6,6] across(d1:8/2"));
  EXPECT_THAT(printed, Not(HasSubstr("# Conv0 (Conv)")));
}

// Two blocks of channels are described like eight, and rows are z.
TEST(DescribedSharding, AxesAreNamedByWhatTheySplit) {
  EXPECT_THAT(told(Chain({1, 8, 8, 8}).conv(16, 1).graph(), {.log_n = 9}, "sharding"),
              HasSubstr("\n# Conv0: mesh=[x=4, y=2] inputs={0: {-1, y, -1, -1}, 1: {x, y, -1, -1}, 2: {x}} "
                        "outputs={0: {-1, x, -1, -1}}\n"));
  const Graph squares = Chain({1, 4, 8, 8}).conv(8, 3).square().graph();
  EXPECT_THAT(told(squares, {.log_n = 9, .levels = 4, .shard = {"Conv0=z:4"}}, "sharding"),
              HasSubstr("\n# Mul1: mesh=[z=4] "));
}

TEST(DescribedSharding, OneBlockIsAMeshOfOneAndAnInputInOneIsNotFixed) {
  const std::string printed = told(Chain({1, 2, 4, 4}).conv(2, 1).graph(), {.log_n = 8}, "sharding");
  EXPECT_THAT(printed, HasSubstr("\n# Conv0: mesh=[x=1] inputs="));
  EXPECT_THAT(printed, Not(HasSubstr("# x: mesh=")));
}

// An operand that is read through a separate reshard has the blocks of the annotation.
TEST(DescribedSharding, AReshardThatStaysKeepsWhatWasAsked) {
  const Graph graph = Chain({1, 4, 6, 6}).conv(16, 3).square().conv(4, 1).graph();
  const Asked asked{
      .log_n = 10, .levels = 5, .shard = {"Conv0=x:8", "Conv2=x:2,y:4"}, .passes = {.skipped = {"optimise-sharding"}}};
  EXPECT_THAT(told(graph, asked, "sharding"), Not(HasSubstr("# Conv2 (Conv)")));
}

}  // namespace
}  // namespace tacit::graph::passes
