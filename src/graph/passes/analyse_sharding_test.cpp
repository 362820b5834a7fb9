#include "graph/passes/analyse_sharding.h"

#include <gtest/gtest.h>

#include "base/refusal_for_test.h"
#include "graph/passes/sketch.h"

namespace tacit::graph::passes {
namespace {

/// A convolution, an operator without a rule, and a matrix.
Graph small() {
  Sketch s;
  const TensorId x = s.input({1, 4, 6, 6});
  const TensorId conv = s.node("Conv", {x, s.constant({8, 4, 3, 3}, std::vector<double>(288, 1))}, {1, 8, 4, 4},
                               {{"kernel_shape", std::vector<std::int64_t>{3, 3}}});
  const TensorId odd = s.node("CumSum", {conv, s.constant({1}, {1})}, {1, 8, 4, 4});
  const TensorId flat = s.node("Flatten", {odd}, {1, 128}, {{"axis", std::int64_t{1}}});
  s.output(s.node("MatMul", {flat, s.constant({128, 3}, std::vector<double>(384, 1))}, {1, 3}));
  return s.graph;
}

ShardingAnalysis analysed(const std::vector<std::string>& shard, const Graph& model = small()) {
  std::vector<layout::ShardAnnotation> annotations;
  for (const std::string& text : shard) annotations.push_back(layout::ShardAnnotation::parse(text));
  return analyse_sharding(small(), model, annotations);
}

TEST(AnalyseSharding, GathersRulesAndSeedsThemWithAnnotations) {
  EXPECT_EQ(to_text(analysed({"Conv0=x:4,y:2", "MatMul3=y:8"}), small()),
            "'Conv0' Conv: inputs [n, c, h/1+0+2, w/1+0+2] [f, c, -, -] outputs [n, f, h, w], reduced c\n"
            "  annotated: mesh=[x=4, y=2] inputs={0: {-1, y, -1, -1}, 1: {x, y, -1, -1}} outputs={0: {-1, x, -1, -1}}, "
            "added up over y\n"
            "'CumSum1' CumSum: no rule, stays whole\n"
            "'Flatten2' Flatten: inputs [-, d1, d2, d3] outputs [-, d1 d2 d3]\n"
            "'MatMul3' MatMul: inputs [m, k] [k, n] outputs [m, n], reduced k\n"
            "  annotated: mesh=[y=8] inputs={0: {-1, y}, 1: {y, -1}} outputs={0: {-1, -1}}, added up over y\n");
}

TEST(AnalyseSharding, RefusesNodesThatItCannotShard) {
  const auto refused = [](const std::vector<std::string>& shard, const std::string& words, const Graph& model) {
    base::expect_refusal<base::InputError>([&] { analysed(shard, model); }, words);
  };
  refused({"conv0=x:2"}, "no node 'conv0' to shard; nodes and inputs of similar names: 'Conv0', 'x', 'CumSum1'",
          small());
  refused({"CumSum1=x:2"}, "node 'CumSum1' (CumSum): this operator states no sharding rule", small());
  refused({"Conv0=x:2", "Conv0=x:2"}, "node 'Conv0' is sharded twice", small());
  Graph longer = small();
  longer.nodes.push_back({"Softmax", "scores", {}, {}, {}});
  refused({"scores=x:2"}, "node 'scores' runs at the client", longer);
}

/// Names are near by the letters that are missing, too many, or others; equally near ones are in the order of letters.
TEST(AnalyseSharding, SuggestsTheNamesThatAreNearest) {
  Sketch s;
  TensorId at = s.input({1, 2}, "abcdefghi");
  for (const char* name : {"yyabcd", "ab", "xabcd", "axxd", "abxd", "abc"}) {
    at = s.node("Relu", {at}, {1, 2});
    s.graph.nodes.back().name = name;
  }
  s.output(at);
  const auto suggests = [&](const std::string& asked, const std::string& names) {
    base::expect_refusal<base::InputError>(
        [&] { analyse_sharding(s.graph, s.graph, {layout::ShardAnnotation::parse(asked + "=x:2")}); },
        "there is no node '" + asked + "' to shard; nodes and inputs of similar names: " + names);
  };
  suggests("abcd", "'abc', 'abxd', 'xabcd'");
  suggests("a", "'ab', 'abc', 'abxd'");
  suggests("abcdefgh", "'abcdefghi', 'abc', 'abxd'");
  suggests("yyyabcd", "'yyabcd', 'xabcd', 'abc'");
}

/// Missing, added and other letters count one each, the first letter and the last one like all. Three names are shown.
TEST(AnalyseSharding, EveryLetterThatDiffersCountsOne) {
  const auto suggested = [](const std::vector<std::string>& names) {
    Sketch s;
    TensorId at = s.input({1, 2}, "something else");
    for (const std::string& name : names) {
      at = s.node("Relu", {at}, {1, 2});
      s.graph.nodes.back().name = name;
    }
    s.output(at);
    return base::refusal([&] { analyse_sharding(s.graph, s.graph, {layout::ShardAnnotation::parse("abcd=x:2")}); });
  };
  const std::string words = "there is no node 'abcd' to shard; nodes and inputs of similar names: ";
  EXPECT_EQ(suggested({"xbcd", "bcd", "abcdz", "abca"}), words + "'abca', 'abcdz', 'bcd'");
  EXPECT_EQ(suggested({"xbcd", "ybcd", "zbcd", "bcd"}), words + "'bcd', 'xbcd', 'ybcd'");
  EXPECT_EQ(suggested({"xbcd", "ybcd", "zbcd", "abd"}), words + "'abd', 'xbcd', 'ybcd'");
  EXPECT_EQ(suggested({"xbcd", "ybcd", "zbcd", "abzcd"}), words + "'abzcd', 'xbcd', 'ybcd'");
  EXPECT_EQ(suggested({"abc"}), words + "'abc', 'something else'");
}

TEST(AnalyseSharding, RefusesNamesOfSeveralNodesAndShortensLongOnes) {
  Graph twice = small();
  twice.nodes[3].name = "Conv0";
  EXPECT_EQ(base::refusal([&] { analyse_sharding(twice, twice, {layout::ShardAnnotation::parse("Conv0=x:2")}); }),
            "node 'Conv0' is written out as 2 operators, which no single sharding fits; annotate its neighbours");
  for (const std::size_t length : {200U, 201U})
    EXPECT_THAT(base::refusal([&] { analysed({std::string(length, 'a') + "=x:2"}); }),
                testing::StartsWith("there is no node '" + std::string(200, 'a') + "' to shard;"));
}

}  // namespace
}  // namespace tacit::graph::passes
