#include "graph/slots/shape_softmax.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "base/refusal_for_test.h"
#include "graph/passes/sketch.h"
#include "graph/reference/run.h"

namespace tacit::graph::passes {
namespace {

const std::map<std::string, Attribute> kLastOfThree{{"axis", std::int64_t{2}}};

/// Samples of inputs, drawn with these deviations.
std::vector<std::vector<Tensor>> drawn(const Graph& graph, std::size_t samples, const std::vector<double>& deviations) {
  std::mt19937 random(7);
  std::normal_distribution<double> number;
  std::vector<std::vector<Tensor>> result(samples);
  for (std::vector<Tensor>& sample : result)
    for (std::size_t k = 0; k < graph.inputs.size(); ++k) {
      Tensor tensor{graph.tensors[graph.inputs[k]].shape, {}, false};
      for (std::int64_t e = 0; e < element_count(tensor.shape); ++e)
        tensor.data.push_back(deviations[k] * number(random));
      sample.push_back(std::move(tensor));
    }
  return result;
}

/// Expects that a graph gives the same outputs in these forms.
void expect_equal_outputs(const Graph& graph, const std::vector<SoftmaxForm>& forms,
                          const std::vector<std::vector<Tensor>>& samples) {
  const Graph made = with_softmax_forms(graph, forms);
  EXPECT_EQ(std::ranges::count(made.nodes, "Softmax", &Node::op), 0);
  for (const std::vector<Tensor>& sample : samples)
    EXPECT_THAT(reference::run(made, sample).at(0).data,
                testing::Pointwise(testing::DoubleNear(1e-9), reference::run(graph, sample).at(0).data));
}

/// Two heads of three queries and five keys with four features. All keys of a head have a large vector in common.
Sketch attention(double common) {
  Sketch s;
  const TensorId queries = s.input({1, 2, 3, 4}, "q"), keys = s.input({1, 2, 4, 5}, "k");
  std::vector<double> added;
  for (int e = 0; e < 8; ++e) added.push_back(common * (e % 3 - 1));
  const TensorId moved = s.node("Add", {keys, s.constant({1, 2, 4, 1}, added)}, {1, 2, 4, 5});
  const TensorId product = s.node("MatMul", {queries, moved}, {1, 2, 3, 5});
  const TensorId scores = s.node("Mul", {product, s.constant({}, {0.5})}, {1, 2, 3, 5});
  s.output(s.node("Softmax", {scores}, {1, 2, 3, 5}, {{"axis", std::int64_t{-1}}}));
  return s;
}

TEST(ShapeSoftmax, AVectorThatKeysHaveInCommonIsSubtracted) {
  const Graph graph = attention(20).graph;
  const auto samples = drawn(graph, 40, {1, 0.5});
  const std::vector<SoftmaxForm> forms = softmax_forms(graph, samples);
  ASSERT_EQ(forms.size(), 1u);
  EXPECT_EQ(forms[0].node, "Softmax3");
  EXPECT_EQ(forms[0].halvings, 0) << "without keys, sums differ by e^100";
  ASSERT_EQ(forms[0].keys.size(), 8u);
  for (int e = 0; e < 8; ++e) EXPECT_NEAR(forms[0].keys[static_cast<std::size_t>(e)], 20 * (e % 3 - 1), 0.3) << e;
  EXPECT_EQ(forms[0].offsets.size(), 2u);
  expect_equal_outputs(graph, forms, samples);
  // The product and its multiple are other numbers then, and so no tensors of the model.
  const Graph made = with_softmax_forms(graph, forms);
  for (const Node& node : made.nodes)
    if (node.name == "MatMul1" || node.name == "Mul2") {
      EXPECT_GE(node.outputs.at(0), graph.tensors.size()) << node.name;
    }
}

TEST(ShapeSoftmax, ScoresThatAreAnOutputStayAsTheyAre) {
  Sketch s = attention(20);
  s.output(s.graph.nodes[2].outputs[0]);
  const auto samples = drawn(s.graph, 40, {1, 0.5});
  const Graph made = with_softmax_forms(s.graph, softmax_forms(s.graph, samples));
  for (const std::vector<Tensor>& sample : samples)
    EXPECT_EQ(reference::run(made, sample).at(1).data, reference::run(s.graph, sample).at(1).data);
}

// Sums of rows differ by e^20, their roots by e^10, and so on.
TEST(ShapeSoftmax, RowsThatAreFarApartAreHalvedAndNormalised) {
  Sketch s;
  std::vector<double> rows(3 * 20, 0.0);
  for (std::size_t e = 0; e < rows.size(); ++e) rows[e] = e < 20 ? -20 : e < 40 ? -10 : 0;
  const TensorId apart = s.node("Add", {s.input({1, 3, 20}), s.constant({1, 3, 20}, rows)}, {1, 3, 20});
  s.output(s.node("Softmax", {apart}, {1, 3, 20}, kLastOfThree));
  const auto samples = drawn(s.graph, 10, {0.1});
  const std::vector<SoftmaxForm> forms = softmax_forms(s.graph, samples);
  ASSERT_EQ(forms.size(), 1u);
  EXPECT_EQ(forms[0].halvings, 2) << "e^5 is at most 500";
  EXPECT_TRUE(forms[0].keys.empty());
  expect_equal_outputs(s.graph, forms, samples);
}

TEST(ShapeSoftmax, RowsThatNeedMoreThanThreeHalvingsAreRefused) {
  Sketch s;
  s.output(s.node("Softmax", {s.input({1, 3, 20})}, {1, 3, 20}, kLastOfThree));
  EXPECT_THAT(base::refusal([&] { softmax_forms(s.graph, drawn(s.graph, 10, {300})); }),
              testing::HasSubstr("node 'Softmax0' (Softmax): the sums of exponentials of its rows differ"));
}

// The mask comes first or second, and the sample without hidden elements says nothing about it.
TEST(ShapeSoftmax, AnEncryptedMaskMultipliesTheExponentials) {
  for (const bool first : {false, true}) {
    Sketch s;
    const TensorId x = s.input({1, 3, 20}), mask = s.input({1, 1, 20}, "mask");
    const TensorId sum = s.node("Add", first ? std::vector{mask, x} : std::vector{x, mask}, {1, 3, 20});
    s.output(s.node("Softmax", {sum}, {1, 3, 20}, kLastOfThree));
    auto samples = drawn(s.graph, 6, {1, 0});
    for (std::size_t e = 5; e < 20; ++e) samples[3][1].data[e] = -1e4;
    const std::vector<SoftmaxForm> forms = softmax_forms(s.graph, samples);
    ASSERT_EQ(forms.size(), 1u);
    EXPECT_EQ(forms[0].mask, first ? 0 : 1);
    EXPECT_EQ(forms[0].hides, -1e4);
    expect_equal_outputs(s.graph, forms, samples);
    samples[2][1].data[0] = -3;  // then it is no mask
    EXPECT_EQ(softmax_forms(s.graph, {samples[2]})[0].mask, -1);
  }
}

TEST(ShapeSoftmax, FewNumbersWithoutKeysAndGraphsWithoutSamplesHaveNoForm) {
  Sketch s;
  s.output(s.node("Softmax", {s.input({1, 3, 16})}, {1, 3, 16}, kLastOfThree));
  EXPECT_TRUE(softmax_forms(s.graph, drawn(s.graph, 10, {1})).empty());
  EXPECT_TRUE(softmax_forms(attention(1).graph, {}).empty());
}

TEST(ShapeSoftmax, FormsOfAnotherShapeAreRefused) {
  const Graph graph = attention(1).graph;
  for (const auto& [form, what] : {std::pair{SoftmaxForm{.node = "Softmax3", .keys = {1, 2}}, "2 numbers for its keys"},
                                   {SoftmaxForm{.node = "Softmax3", .offsets = {1}}, "1 offsets for its 2 groups"}})
    EXPECT_THAT(base::refusal([&] { with_softmax_forms(graph, {form}); }), testing::HasSubstr(what));
}

TEST(ShapeSoftmax, MasksThatAreNotRecognisedAreNamed) {
  Sketch s;
  const TensorId x = s.input({1, 3, 20}), bias = s.input({1, 3, 20}, "bias");
  s.output(s.node("Softmax", {s.node("Add", {x, bias}, {1, 3, 20})}, {1, 3, 20}, kLastOfThree));
  auto samples = drawn(s.graph, 6, {1, 1});
  samples[4][1].data[7] = -2e4;  // beside other numbers
  EXPECT_THAT(base::refusal([&] { softmax_forms(s.graph, samples); }),
              testing::HasSubstr("the mask is not recognised"));
  samples[4][1].data[7] = 0;
  for (std::vector<Tensor>& sample : samples)
    for (double& number : sample[1].data) number -= 2000;  // equal numbers hide nothing
  EXPECT_EQ(softmax_forms(s.graph, samples)[0].mask, -1);
}

// 16 scores have a form of their own. It does not take masks.
TEST(ShapeSoftmax, MasksOfFewScoresAreRecognisedOrNamed) {
  for (const bool multiplied : {false, true}) {
    Sketch s;
    const TensorId x = s.input({1, 3, 16}), mask = s.input({1, 3, 16}, "mask");
    const TensorId added = multiplied ? s.node("Mul", {mask, s.node("Sin", {mask}, {1, 3, 16})}, {1, 3, 16}) : mask;
    s.output(s.node("Softmax", {s.node("Add", {x, added}, {1, 3, 16})}, {1, 3, 16}, kLastOfThree));
    auto samples = drawn(s.graph, 6, {1, 0});
    samples[1][1].data[4] = multiplied ? -1e4 : -7e4;
    if (multiplied)
      EXPECT_THAT(base::refusal([&] { softmax_forms(s.graph, samples); }),
                  testing::HasSubstr("mask is not recognised"));
    else
      EXPECT_EQ(softmax_forms(s.graph, samples).at(0).hides, -7e4);
  }
}

TEST(ShapeSoftmax, SamplesThatHideARowWholeAreNamed) {
  Sketch s;
  const TensorId x = s.input({1, 3, 20}), mask = s.input({1, 1, 20}, "mask");
  s.output(s.node("Softmax", {s.node("Add", {x, mask}, {1, 3, 20})}, {1, 3, 20}, kLastOfThree));
  auto samples = drawn(s.graph, 6, {1, 0});
  for (double& number : samples[3][1].data) number = -1e4;
  EXPECT_THAT(base::refusal([&] { softmax_forms(s.graph, samples); }),
              testing::HasSubstr("calibration sample 3 hides all elements of a row"));
}

}  // namespace
}  // namespace tacit::graph::passes
