#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/onnx/run_model_for_test.h"

// Bounds and defaults of the forms that other versions of the operator set have.
namespace tacit::graph::onnx {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(FormDetails, TheRightOperandIsAlignedWithTheFirstAxisAndWithTheLast) {
  const std::string head = "g (float[2, 2, 2] x) => (float[2, 2, 2] y) <float[2] w = {10, 20}> ";
  const auto add = [&](int axis) {
    return head + fmt::format("{{ y = Add <broadcast = 1, axis = {}> (x, w) }}", axis);
  };
  const Tensor x = reals({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const std::vector<double> first{11, 12, 13, 14, 25, 26, 27, 28}, middle{11, 12, 23, 24, 15, 16, 27, 28},
      last{11, 22, 13, 24, 15, 26, 17, 28};
  const std::string zero = add(0), one = add(1), two = add(2), third = add(-3), second = add(-2), end = add(-1);
  expect_forms({{zero.c_str(), 6, x, {first}},
                {one.c_str(), 6, x, {middle}},
                {two.c_str(), 6, x, {last}},
                {third.c_str(), 6, x, {first}},
                {second.c_str(), 6, x, {middle}},
                {end.c_str(), 6, x, {last}}});
  for (const int axis : {-4, 3})
    EXPECT_THAT(import_text_refusal(add(axis), 6),
                HasSubstr(fmt::format("node 'y' (Add): attribute 'axis' holds {}, which does not fit operands of "
                                      "shapes [2, 2, 2] and [2]",
                                      axis)));
}

TEST(FormDetails, OutputsOfABatchNormalizationThatAreLeftOutTellOfTrainingBeforeVersionSeven) {
  const auto model = [](const std::string& attributes, int outputs, int opset) {
    ::onnx::ModelProto made =
        text_model("g (float[1, 2, 2] x) => (float[1, 2, 2] y) <float[2] w = {1, 2}> { y = BatchNormalization <" +
                       attributes + "> (x, w, w, w, w) }",
                   opset);
    for (int i = 1; i < outputs; ++i) made.mutable_graph()->mutable_node(0)->add_output("");
    return made.SerializeAsString();
  };
  const std::string any = "epsilon = 0.01";
  EXPECT_EQ(import_refusal(model(any, 1, 6)), base::kNotRefused);
  for (const int outputs : {2, 3}) {
    EXPECT_THAT(import_refusal(model(any, outputs, 6)), HasSubstr("training mode is not supported")) << outputs;
    EXPECT_EQ(import_refusal(model("is_test = 1", outputs, 6)), base::kNotRefused) << outputs;
    EXPECT_EQ(import_refusal(model(any, outputs, 7)), base::kNotRefused) << outputs;
    EXPECT_EQ(import_bytes(model(any, outputs, 7), "m.onnx").nodes.at(0).outputs.size(), 1u) << outputs;
  }
}

TEST(FormDetails, AxesOfAnOldSoftmaxLieInItsRank) {
  const auto softmax = [](const std::string& shape, int axis) {
    return import_text_refusal(
        "g (float" + shape + " x) => (float" + shape + fmt::format(" y) {{ y = Softmax <axis = {}> (x) }}", axis), 11);
  };
  for (const int axis : {-3, -1, 0, 2}) EXPECT_EQ(softmax("[1, 2, 2]", axis), base::kNotRefused) << axis;
  for (const int axis : {-4, 3})
    EXPECT_THAT(softmax("[1, 2, 2]", axis),
                HasSubstr(fmt::format("node 'y' (Softmax): axis {} is outside [-3, 3)", axis)));
  EXPECT_EQ(softmax("[4]", 0), base::kNotRefused);
  EXPECT_THAT(softmax("[4]", 1), HasSubstr("axis 1 is outside [-1, 1)"));
  // One axis, the last, needs no rows of its own.
  const auto steps = [](int axis) {
    return operators_of(import_text(
        fmt::format("g (float[1, 2, 2] x) => (float[1, 2, 2] y) {{ y = Softmax <axis = {}> (x) }}", axis), 11));
  };
  EXPECT_THAT(steps(2), ElementsAre("Softmax"));
  EXPECT_THAT(steps(-1), ElementsAre("Softmax"));
  EXPECT_THAT(steps(1), ElementsAre("Flatten", "Softmax", "Reshape"));
}

TEST(FormDetails, OnlyANearestResizeRoundsUpWhereItShrinks) {
  // Position 1 lies at 1 / 0.6: the one below is 1, the one above 2.
  const Tensor x = reals({1, 1, 4}, {-1, -0.5, 0, 0.5});
  const char* const up =
      "g (float[1, 1, 4] x) => (float[1, 1, A] y) <float[3] s = {1, 1, 0.6}> "
      "{ y = Resize <mode = \"nearest\"> (x, s) }";
  const char* const down =
      "g (float[1, 1, 4] x) => (float[1, 1, A] y) <float[3] s = {1, 1, 0.6}> "
      "{ y = Upsample <mode = \"nearest\"> (x, s) }";
  expect_forms({{up, 10, x, {{-1, 0}}}, {down, 9, x, {{-1, -0.5}}}});
  const auto both_ways = [](const std::string& mode) {
    return import_text_refusal(
        "g (float[1, 1, 2, 4] x) => (float[1, 1, A, B] y) <float[4] s = {1, 1, 2, 0.5}> { y = Resize <mode = \"" +
            mode + "\"> (x, s) }",
        10);
  };
  EXPECT_EQ(both_ways("linear"), base::kNotRefused);
  EXPECT_THAT(both_ways("nearest"), HasSubstr("it enlarges one axis and shrinks another; resize them one by one"));
}

TEST(FormDetails, WhatBecomesAnInputIsOfItsKind) {
  const auto made = [](const std::string& text, int opset, std::size_t input) {
    const Graph graph = import_text(text, opset);
    const TensorId id = graph.nodes.at(0).inputs.at(input);
    EXPECT_EQ(graph.tensors[id].integral, graph.constant(id).integral) << text;
    return graph.constant(id);
  };
  const Tensor axes = made("g (float[1, 2, 1] x) => (float[1, 2] y) { y = Squeeze <axes = [2]> (x) }", 11, 1);
  EXPECT_TRUE(axes.integral);
  EXPECT_THAT(axes.shape, ElementsAre(1));
  EXPECT_THAT(axes.data, ElementsAre(2));
  const Tensor scales = made(
      "g (float[1, 1, 2, 2] x) => (float[1, 1, 4, 6] y) { y = Upsample <scales = [1.0, 1.0, 2.0, 3.0]> (x) }", 7, 2);
  EXPECT_FALSE(scales.integral);
  EXPECT_THAT(scales.shape, ElementsAre(4));
  EXPECT_THAT(scales.data, ElementsAre(1, 1, 2, 3));
  const Tensor by_channel = made(
      "g (float[1, 4, 3] x) => (float[1, 4, 3] y) <float[2] s = {2, 3}> "
      "{ y = GroupNormalization <num_groups = 2> (x, s, s) }",
      18, 1);
  EXPECT_FALSE(by_channel.integral);
  EXPECT_THAT(by_channel.shape, ElementsAre(4));
  EXPECT_THAT(by_channel.data, ElementsAre(2, 2, 3, 3));
  const Tensor zeros = made(
      "g (float[1, 2] x) => (uint8[1, 2] y) <float s = {0.5}> { y = QuantizeLinear <output_dtype = 2> (x, s) }", 21, 2);
  EXPECT_TRUE(zeros.integral);
  EXPECT_TRUE(zeros.shape.empty());
  EXPECT_THAT(zeros.data, ElementsAre(0));
}

TEST(FormDetails, HintsForExecutionInPlaceEndWithVersionFive) {
  const std::string text = "g (float[1, 2] x) => (float[1, 2] y) { y = Relu <consumed_inputs = [0]> (x) }";
  EXPECT_EQ(import_text_refusal(text, 5), base::kNotRefused);
  EXPECT_THAT(import_text_refusal(text, 6), HasSubstr("attribute 'consumed_inputs' is not known for this operator"));
}

TEST(FormDetails, AxesOfAPadAreConstantIntegersInItsRank) {
  const auto pad = [](const std::string& weights, const std::string& inputs) {
    return import_text_refusal("g (float[1, 2] x) => (float[A, B] y) <" + weights + "> { y = Pad (" + inputs + ") }",
                               18);
  };
  const auto along = [&](const std::string& axis) {
    return pad("int64[2] p = {1, 2}, int64[1] a = {" + axis + "}", "x, p, , a");
  };
  for (const char* axis : {"-2", "-1", "0", "1"}) EXPECT_EQ(along(axis), base::kNotRefused) << axis;
  for (const std::string axis : {"-3", "2", "9007199254740992"})
    EXPECT_THAT(along(axis), HasSubstr("node 'y' (Pad): axis " + axis + " is outside [-2, 2)"));
  EXPECT_THAT(along("9007199254740993"), HasSubstr("node 'y' (Pad): one of its axes is beyond 2^53"));
  EXPECT_THAT(along("-9007199254740993"), HasSubstr("node 'y' (Pad): one of its axes is beyond 2^53"));
  EXPECT_THAT(pad("int64[2] p = {1, 2}, float[1] a = {1}", "x, p, , a"), HasSubstr("its axes are no integers"));
  EXPECT_THAT(pad("float[2] p = {1, 2}, int64[1] a = {1}", "x, p, , a"), HasSubstr("its pads are no integers"));
  EXPECT_THAT(pad("int64[1] p = {1}, int64[1] a = {1}", "x, p, , a"), HasSubstr("it has 1 pads for 1 axes"));
  EXPECT_THAT(pad("int64[1] a = {1}", "x, , , a"), HasSubstr("its input 1 is missing"));
  expect_forms({{"g (float[1, 2] x) => (float[A, 2] y) <int64[2] p = {1, 2}, int64[1] a = {0}> { y = Pad (x, p, , a) }",
                 18,
                 reals({1, 2}, {3, 4}),
                 {{0, 0, 3, 4, 0, 0, 0, 0}}}});
}

TEST(FormDetails, AnAbsentListOfAxesIsNoInputOfAPad) {
  ::onnx::ModelProto model = text_model(
      "g (float[1, 2] x) => (float[1, 5] y) <int64[4] p = {0, 1, 0, 2}, float v = {9}> { y = Pad (x, p, v) }", 18);
  model.mutable_graph()->mutable_node(0)->add_input("");
  const Graph graph = import_bytes(model.SerializeAsString(), "m.onnx");
  EXPECT_EQ(graph.nodes.at(0).inputs.size(), 3u);
  EXPECT_THAT(reference::run(graph, std::vector{reals({1, 2}, {3, 4})}).at(0).data, ElementsAre(9, 3, 4, 9, 9));
}

TEST(FormDetails, ASplitIsOfTheFirstAxisWhereItNamesNone) {
  const std::string two = "(float[A, B] y, float[C, D] z) { y, z = Split ";
  const std::string none = "g (float[4, 2] x) => " + two + "(x) }",
                    negative = "g (float[4, 2] x) => " + two + "<axis = -2, num_outputs = 2> (x) }";
  const Tensor x = reals({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  expect_forms(
      {{none.c_str(), 18, x, {{1, 2, 3, 4}, {5, 6, 7, 8}}}, {negative.c_str(), 18, x, {{1, 2, 3, 4}, {5, 6, 7, 8}}}});
  for (const int axis : {-3, 2})
    EXPECT_THAT(import_text_refusal(
                    "g (float[4, 2] x) => " + two + fmt::format("<axis = {}, num_outputs = 2> (x) }}", axis), 18),
                HasSubstr(fmt::format("node 'y' (Split): axis {} is outside [-2, 2)", axis)));
}

TEST(FormDetails, GroupsDivideTheChannels) {
  const auto normalised = [](const std::string& shape, const std::string& attributes, const std::string& weights) {
    return import_text_refusal("g (float" + shape + " x) => (float" + shape + " y) <float" + weights +
                                   "> { y = GroupNormalization <" + attributes + "> (x, s, s) }",
                               18);
  };
  EXPECT_EQ(normalised("[1, 4, 3]", "num_groups = 1", "[1] s = {2}"), base::kNotRefused);
  EXPECT_EQ(normalised("[1, 4, 3]", "num_groups = 2", "[2] s = {2, 3}"), base::kNotRefused);
  EXPECT_EQ(normalised("[1, 4, 3]", "num_groups = 4", "[4] s = {2, 3, 4, 5}"), base::kNotRefused);
  for (const int groups : {-2, 0, 3, 8})
    EXPECT_THAT(normalised("[1, 4, 3]", fmt::format("num_groups = {}", groups), "[2] s = {2, 3}"),
                HasSubstr(fmt::format("{} groups do not fit an input of shape [1, 4, 3]", groups)));
  EXPECT_THAT(normalised("[1, 4, 3]", "epsilon = 0.01", "[2] s = {2, 3}"),
              HasSubstr("0 groups do not fit an input of shape [1, 4, 3]"));
  EXPECT_THAT(normalised("[4]", "num_groups = 2", "[2] s = {2, 3}"),
              HasSubstr("2 groups do not fit an input of shape [4]"));
  const auto private_input = [](const std::string& inputs) {
    return import_text_refusal(
        "g (float[1, 4, 3] x, float[2] p) => (float[1, 4, 3] y) <float[2] s = {2, 3}> "
        "{ y = GroupNormalization <num_groups = 2> (" +
            inputs + ") }",
        18);
  };
  EXPECT_THAT(private_input("x, p, s"), HasSubstr("its input 1 must be a constant with a number for each of 2 groups"));
  EXPECT_THAT(private_input("x, s, p"), HasSubstr("its input 2 must be a constant with a number for each of 2 groups"));
}

TEST(FormDetails, AZeroPointSaysMoreThanATypeInAnAttribute) {
  expect_forms(
      {{"g (float[1, 2] x) => (uint8[1, 2] y) <float s = {0.5}, uint8 z = {128}> "
        "{ y = QuantizeLinear <output_dtype = 2> (x, s, z) }",
        21,
        reals({1, 2}, {0.5, -1}),
        {{129, 126}}}});
}

TEST(FormDetails, OnlyAnotherTypeThanThatOfTheScaleIsCastTo) {
  const auto operators = [](const std::string& type, const std::string& scale, const std::string& attributes) {
    return operators_of(import_text("g (uint8[1, 2] x) => (" + type + "[1, 2] y) <float s = {0.5}> { " + scale +
                                        "y = DequantizeLinear " + attributes + "(x, " + (scale.empty() ? "s" : "h") +
                                        ") }",
                                    21));
  };
  const std::string half = "h = Cast <to = 10> (s) ";
  EXPECT_THAT(operators("float", "", ""), ElementsAre("DequantizeLinear"));
  EXPECT_THAT(operators("float", "", "<output_dtype = 1> "), ElementsAre("DequantizeLinear"));
  EXPECT_THAT(operators("double", "", "<output_dtype = 11> "), ElementsAre("DequantizeLinear", "Cast"));
  EXPECT_THAT(operators("float16", half, ""), ElementsAre("DequantizeLinear"));
  EXPECT_THAT(operators("float", half, "<output_dtype = 1> "), ElementsAre("DequantizeLinear", "Cast"));
}

TEST(FormDetails, ASlopeForEachChannelOfAnImageIsAlignedWithTheChannels) {
  expect_forms({{"g (float[1, 2, 2, 2] x) => (float[1, 2, 2, 2] y) <float[2] w = {2, 3}> { y = PRelu (x, w) }",
                 6,
                 reals({1, 2, 2, 2}, {-1, -2, 3, -4, -1, -2, 3, -4}),
                 {{-2, -4, 3, -8, -3, -6, 3, -12}}},
                {"g (float[1, 2, 2] x) => (float[1, 2, 2] y) <float[2, 2] w = {2, 3, 4, 5}> { y = PRelu (x, w) }",
                 6,
                 reals({1, 2, 2}, {-1, -1, -1, -1}),
                 {{-2, -3, -4, -5}}}});
}

TEST(FormDetails, WhereToComputeIsDroppedFromTheVersionThatBroughtIt) {
  const Tensor x = reals({1, 2}, {3, 4});
  expect_forms({{"g (float[1, 2] x) => (float[1, 2] y) <float[2] s = {1, 2}> "
                 "{ n = RMSNormalization <stash_type = 1> (x, s) y = Round (n) }",
                 23,
                 x,
                 {{1, 2}}},  // 3 and 2 * 4 over sqrt(12.5)
                {"g (float[1, 2] x) => (float[1, 2] y) <float a = {0}, float b = {2}, float c = {1}> "
                 "{ r = Range <stash_type = 1> (a, b, c) y = Add (x, r) }",
                 27,
                 x,
                 {{3, 5}}}});
}

TEST(FormDetails, APieceMayBeEmptyAndAGroupMayHaveNoPositions) {
  using testing::Not;
  EXPECT_THAT(import_text_refusal("g (float[1, 4] x) => (float[1, A] a, float[1, B] b, float[1, C] c) "
                                  "{ a, b, c = Split <axis = 1, num_outputs = 3> (x) }",
                                  18),
              Not(HasSubstr("cannot be split")));
  EXPECT_THAT(import_text_refusal("g (float[1, 4] x) => (float[1, 4] y) <float[2] s = {1, 2}> "
                                  "{ y = GroupNormalization <num_groups = 2> (x, s, s) }",
                                  18),
              Not(HasSubstr("groups do not fit an input of shape")));
}

}  // namespace
}  // namespace tacit::graph::onnx
