#include "graph/slots/hiding_mask.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/refusal_for_test.h"
#include "graph/compile.h"
#include "graph/passes/sketch.h"

namespace tacit::graph::passes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::map<std::string, Attribute> kLast{{"axis", std::int64_t{2}}};

/// (1 - mask) * hides, as exporters write it. Hidden are elements where the mask is 0.
struct Exported {
  Sketch s;
  TensorId scores, mask, added;

  explicit Exported(double hides = -1e4) {
    scores = s.input({1, 3, 20});
    mask = s.input({1, 20}, "mask");
    const TensorId row = s.node("Unsqueeze", {mask, s.constant({1}, {1})}, {1, 1, 20});
    const TensorId flipped = s.node("Sub", {s.constant({1}, {1}), row}, {1, 1, 20});
    added = s.node("Mul", {flipped, s.constant({1}, {hides})}, {1, 1, 20});
    const TensorId sum = s.node("Add", {scores, added}, {1, 3, 20});
    const TensorId softmax = s.node("Softmax", {sum}, {1, 3, 20}, kLast);
    s.output(s.node("MatMul", {softmax, s.constant({20, 2}, std::vector<double>(40, 0.5))}, {1, 3, 2}));
  }
  /// Samples whose masks end with so many hidden elements.
  static std::vector<std::vector<Tensor>> samples(const std::vector<int>& hidden) {
    std::vector<std::vector<Tensor>> result;
    for (const int count : hidden) {
      Tensor x{{1, 3, 20}, std::vector<double>(60, 0.0), false}, m{{1, 20}, std::vector<double>(20, 1.0), false};
      for (std::size_t e = 0; e < 60; ++e) x.data[e] = static_cast<double>((e * 7 + result.size()) % 5) / 4;
      std::fill(m.data.end() - count, m.data.end(), 0.0);
      result.push_back({x, m});
    }
    return result;
  }
  std::optional<HidingMask> found(const std::vector<std::vector<Tensor>>& samples) const {
    return hiding_mask(s.graph, Links(s.graph), added, samples);
  }
};

TEST(HidingMask, FollowsFromOneInputByElements) {
  const auto mask = Exported().found(Exported::samples({3, 0, 7}));
  ASSERT_TRUE(mask);
  EXPECT_EQ(mask->input, 1u);
  EXPECT_EQ(mask->hides, -1e4);
  EXPECT_THAT(mask->allowed, ElementsAre(0, 1));
}

TEST(HidingMask, IsNoneIfANumberGivesNeitherNumber) {
  const auto with = [](double number) {
    auto samples = Exported::samples(std::vector<int>(200, 4));
    samples.back()[1].data[0] = number;  // in the last of many samples
    return Exported().found(samples);
  };
  EXPECT_TRUE(with(0));
  for (const double number : {0.5, 0.9999, 1.0002, 2.0, -1.0}) EXPECT_FALSE(with(number)) << number;
  EXPECT_FALSE(Exported().found(Exported::samples({0, 0}))) << "nothing was hidden";
  EXPECT_FALSE(Exported(-5).found(Exported::samples({3, 0}))) << "it hides too little";
}

TEST(HidingMask, IsNoneIfTwoInputsOrOtherFunctionsMakeIt) {
  Sketch s;
  const TensorId a = s.input({1, 4}), b = s.input({1, 4});
  const TensorId sum = s.node("Add", {a, b}, {1, 4}), root = s.node("Sqrt", {a}, {1, 4});
  const Tensor hidden{{1, 4}, {0, 0, -1e4, -1e4}, false}, none{{1, 4}, {0, 0, 0, 0}, false};
  const Links links(s.graph);
  EXPECT_FALSE(hiding_mask(s.graph, links, sum, {{hidden, none}}));
  EXPECT_FALSE(hiding_mask(s.graph, links, root, {{hidden, none}}));
  EXPECT_TRUE(hiding_mask(s.graph, links, a, {{hidden, none}}));
}

TEST(HidingMask, TheClientRefusesNumbersThatNoSampleHas) {
  const Exported exported;
  CompileOptions options;
  options.client_before = false;  // it would run the Softmax itself
  options.calibration = Exported::samples({3, 0, 7, 1, 12, 5, 2, 9});
  const CompiledModel model = compile(exported.s.graph, options);
  std::vector<Tensor> row = Exported::samples({6})[0];
  const std::vector<Tensor> encrypted = run_before(model.parts, row);
  EXPECT_TRUE(std::ranges::any_of(encrypted, [&](const Tensor& tensor) { return tensor.data == row[1].data; }));
  for (const double number : {0.5, 0.9999, 1.0002, -1.0}) {
    row[1].data[2] = number;
    EXPECT_THAT(base::refusal([&] { run_before(model.parts, row); }),
                testing::AllOf(HasSubstr("input 'mask': element 2"), HasSubstr("holds 0, 1 alone")));
  }
}

// Every sample shows one of all twenty keys, and of the constants' rows one has the first key alone.
TEST(HidingMask, TheClientRefusesMasksThatHideARowWhole) {
  for (const bool causal : {false, true}) {
    Exported exported;
    Graph& graph = exported.s.graph;
    if (causal) {
      std::vector<double> numbers(60, 0.0);
      for (std::size_t e = 0; e < 60; ++e) numbers[e] = e % 20 > 3 * (e / 20) ? -1e9 : 0;
      const TensorId hidden = exported.s.constant({1, 3, 20}, numbers);
      Node& softmax = *std::ranges::find(graph.nodes, "Softmax", &Node::op);
      const TensorId before = softmax.inputs[0], after = exported.s.node("Add", {before, hidden}, {1, 3, 20});
      const auto made = std::ranges::find(graph.nodes, "Softmax", &Node::op);
      made->inputs[0] = after;
      std::rotate(made, std::prev(graph.nodes.end()), graph.nodes.end());
    }
    CompileOptions options;
    options.client_before = false;
    options.calibration = Exported::samples({3, 0, 7, 1, 12, 5, 2, 9});
    const CompiledModel model = compile(graph, options);
    std::vector<Tensor> row = Exported::samples({19})[0];
    run_before(model.parts, row);
    row[1].data[0] = 0;
    EXPECT_THAT(base::refusal([&] { run_before(model.parts, row); }),
                HasSubstr(causal ? "hides all 1 elements" : "hides all 20 elements"));
    row[1].data[19] = 1;
    if (causal)
      EXPECT_THAT(base::refusal([&] { run_before(model.parts, row); }), HasSubstr("hides all 1 elements"));
    else
      run_before(model.parts, row);
  }
}

}  // namespace
}  // namespace tacit::graph::passes
