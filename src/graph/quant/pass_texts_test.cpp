#include "graph/quant/pass_texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/progress.h"
#include "graph/quant/compiled_for_test.h"
#include "program/integers/neighbour_rates.h"

namespace tacit::graph::quant {
namespace {

/// What a compilation explains, by pass.
std::map<std::string, std::string> explained(const Graph& graph, CompileOptions options) {
  std::map<std::string, std::string> told;
  options.passes.explain = [&](const std::string& pass, const std::string& text) { told[pass] += text; };
  compile(graph, options);
  return told;
}

TEST(ExplainedOnIntegers, RowsThatAreSetAside) {
  const Graph graph = two_inputs_with_a_branch_around();
  CompileOptions options;
  options.calibration = samples(graph, 300, 1);
  EXPECT_EQ(explained(graph, options).at("set-rows-aside"), "no row is far from all others\n");
  options.calibration[7][0].data = {5000, 0.5};
  const std::string text = explained(graph, options).at("set-rows-aside");
  EXPECT_THAT(text, testing::StartsWith("row 7: node 'x', element 0: 5000, where others are in [-0.99"));
  EXPECT_THAT(text, testing::EndsWith("; set aside\n"));
  options.trim = 0.0;
  EXPECT_THAT(explained(graph, options).at("set-rows-aside"), testing::HasSubstr("; stays\n"));
}

/// Trees after a table read a feature without a grid of its own.
TEST(ExplainedOnIntegers, FeaturesThatGetNarrowerEnds) {
  passes::Network before;
  before.add({passes::Private{0}, {1, 2}, "x", "Input", {}});
  before.values[0].element_ranges = {{-4, 4}, {0, 1}};
  passes::Network after = before;
  EXPECT_EQ(changed_ranges_text(before, after), "every feature keeps its ends\n");
  after.values[0].element_ranges[0] = {-1.5, 2};
  EXPECT_EQ(changed_ranges_text(before, after), "node 'x', element 0: [-1.5, 2] in place of [-4, 4]\n");
}

TEST(ExplainedOnIntegers, HowOftenLookupsReadTheNextBox) {
  const Graph graph = two_inputs_with_a_branch_around();
  CompileOptions options;
  options.calibration = samples(graph, 300, 1);
  EXPECT_THAT(explained(graph, options).at("neighbour-rates"),
              testing::MatchesRegex("(%[0-9]+ .node '[A-Za-z0-9]+'.: [0-9.e-]+ % of 3 lookups read the next box\n)+"));
  options.rounding = Rounding::exact;
  options.bits = 4;
  EXPECT_EQ(explained(graph, options).at("neighbour-rates"), "no lookup rounds its argument\n");
}

}  // namespace
}  // namespace tacit::graph::quant
