#include "graph/slots/gather_scores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "graph/passes/sketch.h"
#include "graph/passes/write_out_softmax.h"
#include "graph/reference/run.h"

namespace tacit::graph::passes {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const Shape kScores{1, 2, 3, 4};

/// Numbers that hide what a query of a decoder may not see, and 0 elsewhere.
std::vector<double> causal(double hides, double shows = 0) {
  std::vector<double> numbers;
  for (int q = 0; q < 3; ++q)
    for (int k = 0; k < 4; ++k) numbers.push_back(k > q ? hides : shows);
  return numbers;
}

/// A Softmax of products of queries and keys, which `written` masks.
struct Attention {
  Sketch s;
  TensorId product = s.node("MatMul", {s.input({1, 2, 3, 5}, "q"), s.input({1, 2, 5, 4}, "k")}, kScores);
  TensorId mask = s.input({1, 1, 1, 4}, "mask");

  TensorId step(const char* op, TensorId a, TensorId b) { return s.node(op, {a, b}, kScores); }
  TensorId number(double x) { return s.constant({}, {x}); }
  TensorId square(std::vector<double> numbers) { return s.constant({1, 1, 3, 4}, std::move(numbers)); }
};
using Written = std::function<TensorId(Attention&)>;

std::vector<Tensor> drawn(const Graph& graph) {
  std::mt19937 random(3);
  std::normal_distribution<double> number;
  std::vector<Tensor> sample;
  for (const TensorId id : graph.inputs) {
    Tensor tensor{graph.tensors[id].shape, {}, false};
    for (std::int64_t e = 0; e < element_count(tensor.shape); ++e) tensor.data.push_back(number(random));
    sample.push_back(std::move(tensor));
  }
  sample.back().data = {1, 0, 1, 0};
  return sample;
}

struct Gathered {
  Graph graph;
  std::vector<std::string> chain;  ///< operators in front of the Softmax, the last one first, along first operands
};

/// Gathers the scores, and expects that the answers stay.
Gathered gathered(const Written& written) {
  Attention attention;
  const TensorId scores = written(attention);
  attention.s.output(attention.s.node("Softmax", {scores}, kScores, {{"axis", std::int64_t{-1}}}));
  const std::vector<Tensor> sample = drawn(attention.s.graph);
  Gathered made{with_gathered_scores(attention.s.graph), {}};
  EXPECT_THAT(reference::run(made.graph, sample).at(0).data,
              testing::Pointwise(testing::DoubleNear(1e-12), reference::run(attention.s.graph, sample).at(0).data));
  TensorId at = made.graph.outputs[0];
  for (auto node = made.graph.nodes.rbegin(); node != made.graph.nodes.rend(); ++node)
    if (node->outputs[0] == at) {
      made.chain.push_back(node->op);
      at = node->inputs[0];
    }
  return made;
}

using Ops = std::vector<std::string>;

TEST(GatherScores, ConstantMasksComeLast) {
  const Ops last{"Softmax", "Add", "MatMul"}, scaled{"Softmax", "Add", "Mul", "MatMul"};
  EXPECT_EQ(gathered([](Attention& a) { return a.step("Sub", a.product, a.square(causal(1e9))); }).chain, last);
  EXPECT_EQ(gathered([](Attention& a) {
              return a.step("Mul", a.step("Add", a.product, a.square(causal(-kInfinity))), a.number(0.5));
            }).chain,
            scaled);
  EXPECT_EQ(gathered([](Attention& a) {
              return a.step("Div", a.step("Sub", a.square(causal(-1e4)), a.product), a.number(-2));
            }).chain,
            scaled)
      << "the mask shows what lies above the diagonal";
  EXPECT_EQ(gathered([](Attention& a) {
              return a.step("Add", a.step("Add", a.product, a.square(causal(-1e4))), a.square(causal(-1e4, 0.5)));
            }).chain,
            last);
}

TEST(GatherScores, ProductsWithZerosThatAreHiddenAreLeftOut) {
  const auto written = [](double hides, double shows) {
    return gathered([=](Attention& a) {
             const TensorId product = a.step("Mul", a.product, a.square(causal(0, shows)));
             return a.step("Sub", product, a.square(causal(hides)));
           })
        .chain;
  };
  EXPECT_EQ(written(1e4, 1), (Ops{"Softmax", "Add", "MatMul"}));
  EXPECT_EQ(written(900, 1), (Ops{"Softmax", "Add", "Mul", "MatMul"})) << "nothing is hidden";
  EXPECT_EQ(written(1e4, 0.5), (Ops{"Softmax", "Add", "Mul", "MatMul"}));
}

TEST(GatherScores, MasksOfInputsStayWholeAndAreAddedOnce) {
  const Ops expected{"Softmax", "Add", "MatMul"};
  const auto made = [](Attention& a) {
    const TensorId shown = a.s.node("Sub", {a.number(1), a.mask}, {1, 1, 1, 4});
    return a.s.node("Mul", {shown, a.number(-1e4)}, {1, 1, 1, 4});
  };
  EXPECT_EQ(gathered([&](Attention& a) { return a.step("Add", a.product, made(a)); }).chain, expected);
  for (const Written& written :
       {Written([&](Attention& a) { return a.step("Add", a.step("Add", a.product, made(a)), a.number(2)); }),
        Written([&](Attention& a) {
          const TensorId mask = made(a);
          return a.step("Add", a.step("Add", mask, a.product), mask);
        }),
        Written([&](Attention& a) {
          const TensorId hidden = a.s.node("Mul", {a.mask, a.number(1e9)}, {1, 1, 1, 4});
          return a.step("Sub", a.product, hidden);
        })}) {
    const Gathered result = gathered(written);
    EXPECT_EQ(result.chain, expected);
    const Node& sum = result.graph.nodes[result.graph.nodes.size() - 2];
    EXPECT_EQ(result.graph.tensors[sum.inputs[1]].shape, (Shape{1, 1, 1, 4})) << "the mask comes second";
  }
}

TEST(GatherScores, RowsThatConstantsHideWholeAreShownWhole) {
  std::vector<double> hidden = causal(-1e4);
  for (std::size_t k = 0; k < 4; ++k) hidden[k] = k < 3 ? -2e4 : -5e4;
  const Graph graph = gathered([&](Attention& a) { return a.step("Add", a.product, a.square(hidden)); }).graph;
  const Node& sum = graph.nodes[graph.nodes.size() - 2];
  const std::vector<double>& rest = graph.constant(sum.inputs[1]).data;
  EXPECT_EQ(std::vector<double>(rest.begin(), rest.begin() + 4), (std::vector<double>{0, 0, 0, -3e4}));
}

TEST(GatherScores, SumsInTheirFormAndSumsThatSpreadScoresStay) {
  for (const Written& written : {Written([](Attention& a) { return a.product; }),
                                 Written([](Attention& a) { return a.step("Add", a.product, a.square(causal(-1e4))); }),
                                 Written([](Attention& a) { return a.step("Mul", a.product, a.number(0.5)); })}) {
    Attention a;
    a.s.output(a.s.node("Softmax", {written(a)}, kScores, {{"axis", std::int64_t{-1}}}));
    EXPECT_EQ(with_gathered_scores(a.s.graph).tensors.size(), a.s.graph.tensors.size());
  }
  Sketch s;
  const TensorId row = s.node("Relu", {s.input({1, 1, 4})}, {1, 1, 4});
  const TensorId spread = s.node("Sub", {row, s.constant({1, 3, 1}, {1, 2, 3})}, {1, 3, 4});
  s.output(s.node("Softmax", {spread}, {1, 3, 4}, {{"axis", std::int64_t{-1}}}));
  EXPECT_EQ(with_gathered_scores(s.graph).nodes.size(), s.graph.nodes.size());
}

}  // namespace
}  // namespace tacit::graph::passes
