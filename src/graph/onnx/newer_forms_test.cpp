#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/onnx/run_model_for_test.h"

namespace tacit::graph::onnx {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Tensor kThree = reals({1, 3}, {-1, -0.5, 0});

TEST(NewerForms, AxesOfReductionsBecameAnInput) {
  struct Reduction {
    const char* op;
    std::vector<double> columns, all;
  };
  const std::vector<Reduction> reductions{{"ReduceL1", {1.5, 0.5}, {2}},
                                          {"ReduceL2", {1.118034, 0.5}, {1.2247449}},
                                          {"ReduceMax", {-0.5, 0.5}, {0.5}},
                                          {"ReduceMean", {-0.75, 0.25}, {-0.25}},
                                          {"ReduceMin", {-1, 0}, {-1}},
                                          {"ReduceProd", {0.5, 0}, {0}},
                                          {"ReduceSum", {-1.5, 0.5}, {-1}},
                                          {"ReduceSumSquare", {1.25, 0.25}, {1.5}},
                                          {"ReduceLogSumExp", {-0.025923, 0.974077}, {1.2873387}}};
  for (const Reduction& reduction : reductions) {
    const std::string op = reduction.op,
                      columns = "g (float[1, 2, 2] x) => (float[1, 2] y) <int64[1] a = {-1}> { y = " + op +
                                " <keepdims = 0> (x, a) }",
                      all = "g (float[1, 2, 2] x) => (float[1, 1, 1] y) { y = " + op + "(x) }",
                      none = "g (float[1, 2, 2] x) => (float[1, 1, 1] y) <int64[0] a = {}> { y = " + op + "(x, a) }";
    for (const int opset : {18, 20, 28})
      expect_forms({{columns.c_str(), opset, kSquare, {reduction.columns}},
                    {all.c_str(), opset, kSquare, {reduction.all}},
                    {none.c_str(), opset, kSquare, {reduction.all}}});
  }
  expect_forms(
      {{"g (float[1, 2, 2] x) => (float[1, 2] y) <int64[1] a = {2}> { y = ReduceLogSum <keepdims = 0> (x, a) }",
        18,
        reals({1, 2, 2}, {1.5, 0.75, 0.5, 0.75}),
        {{0.8109302, 0.2231435}}}});
}

TEST(NewerForms, AReductionOverNoAxisIsTheIdentityWhereItMapsNothing) {
  for (const std::string op : {"ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd"}) {
    const std::string text =
        "g (float[1, 2, 2] x) => (float[1, 2, 2] y) { y = " + op + " <noop_with_empty_axes = 1, keepdims = 0> (x) }";
    expect_forms({{text.c_str(), 18, kSquare, {kSquare.data}}});
    EXPECT_THAT(operators_of(import_text(text, 18)), ElementsAre("Identity"));
  }
  for (const std::string op : {"ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceSumSquare"})
    EXPECT_THAT(import_text_refusal(
                    "g (float[1, 2, 2] x) => (float[1, 2, 2] y) { y = " + op + " <noop_with_empty_axes = 1> (x) }", 18),
                AllOf(HasSubstr("node 'y' (" + op + ")"), HasSubstr("noop_with_empty_axes without axes")));
  const std::string sum = "g (float[1, 2, 2] x) => (float[1, 2, 2] y) { y = ReduceSum <noop_with_empty_axes = 1> (x) }";
  expect_forms({{sum.c_str(), 18, kSquare, {kSquare.data}}, {sum.c_str(), 13, kSquare, {kSquare.data}}});
  EXPECT_THAT(import_text_refusal("g (float[1, 2] x, int64[1] a) => (float[1, 1] y) { y = ReduceMax (x, a) }", 18),
              HasSubstr("its axes depend on private data"));
}

TEST(NewerForms, PadNamesItsAxes) {
  expect_forms(
      {{"g (float[1, 2, 2] x) => (float[1, 2, 5] y) <int64[2] p = {1, 2}, float v = {9}, int64[1] a = {-1}> "
        "{ y = Pad (x, p, v, a) }",
        18,
        kSquare,
        {{9, -1, -0.5, 9, 9, 9, 0, 0.5, 9, 9}}},
       {"g (float[1, 2, 2] x) => (float[1, 3, 3] y) <int64[4] p = {1, 0, 0, 1}, int64[2] a = {1, 2}> "
        "{ y = Pad (x, p, , a) }",
        21,
        kSquare,
        {{0, 0, 0, -1, -0.5, 0, 0, 0.5, 0}}},
       {"g (float[1, 2] x) => (float[1, 5] y) <int64[4] p = {0, 1, 0, 2}> { y = Pad (x, p) }",
        18,
        reals({1, 2}, {-1, -0.5}),
        {{0, -1, -0.5, 0, 0}}},
       {"g (float[1, 3] x) => (float[1, 6] y) <int64[4] p = {0, 1, 0, 2}> { y = Pad <mode = \"wrap\"> (x, p) }",
        19,
        kThree,
        {{0, -1, -0.5, 0, -1, -0.5}}}});
  EXPECT_THAT(import_text_refusal("g (float[1, 2] x) => (float[1, 5] y) <int64[3] p = {0, 1, 0}, int64[1] a = {1}> "
                                  "{ y = Pad (x, p, , a) }",
                                  18),
              HasSubstr("it has 3 pads for 1 axes"));
  EXPECT_THAT(import_text_refusal("g (float[1, 2] x) => (float[1, 5] y) <int64[2] p = {0, 1}, int64[1] a = {2}> "
                                  "{ y = Pad (x, p, , a) }",
                                  18),
              HasSubstr("axis 2 is outside [-2, 2)"));
}

TEST(NewerForms, SplitStatesTheNumberOfItsPieces) {
  expect_forms(
      {{"g (float[1, 7] x) => (float[1, 3] y, float[1, 3] z, float[1, 1] w) { y, z, w = Split <axis = -1, num_outputs "
        "= 3> (x) }",
        18,
        reals({1, 7}, {-1, -0.5, 0, 0.5, 1, 1.5, 2}),
        {{-1, -0.5, 0}, {0.5, 1, 1.5}, {2}}},
       {"g (float[1, 5] x) => (float[1, 2] y, float[1, 3] z) <int64[2] l = {2, 3}> { y, z = Split <axis = 1> (x, l) }",
        18,
        reals({1, 5}, {-1, -0.5, 0, 0.5, 1}),
        {{-1, -0.5}, {0, 0.5, 1}}},
       {"g (float[1, 4] x) => (float[1, 2] y, float[1, 2] z) { y, z = Split <axis = 1> (x) }",
        13,
        reals({1, 4}, {-1, -0.5, 0, 0.5}),
        {{-1, -0.5}, {0, 0.5}}}});
  EXPECT_THAT(import_text_refusal("g (float[1, 4] x) => (float[1, 2] y, float[1, 2] z) "
                                  "{ y, z = Split <axis = 1, num_outputs = 3> (x) }",
                                  18),
              HasSubstr("it has 2 outputs and num_outputs is 3"));
  // Four pieces of two of an axis of five: the last would have less than nothing.
  EXPECT_THAT(import_text_refusal("g (float[1, 5] x) => (float[1, 2] a, float[1, 2] b, float[1, 1] c, float[1, 0] d) "
                                  "{ a, b, c, d = Split <axis = 1, num_outputs = 4> (x) }",
                                  18),
              HasSubstr("an axis of extent 5 cannot be split into 4 pieces"));
}

TEST(NewerForms, GroupNormalizationScalesChannelsInsteadOfGroups) {
  const Tensor x = reals({1, 4, 2}, {1, 0.25, 0, 0.25, 1, 2.25, 4, 6.25});
  const std::string eighteen =
                        "g (float[1, 4, 2] x) => (float[1, 4, 2] y) <float[2] s = {2, 3}, float[2] b = {0.5, -0.5}> "
                        "{ y = GroupNormalization <num_groups = 2, epsilon = 0.01> (x, s, b) }",
                    later =
                        "g (float[1, 4, 2] x) => (float[1, 4, 2] y) <float[4] s = {2, 3, 4, 5}, "
                        "float[4] b = {0.5, -0.5, 0.25, 1}> "
                        "{ y = GroupNormalization <num_groups = 2, epsilon = 0.01, stash_type = 1> (x, s, b) }";
  const std::vector<double> by_group{3.720783,   -0.1441566, -1.4324698, -0.1441566,
                                     -4.1075945, -2.2088609, 0.449367,   3.8670888},
      by_channel{3.720783, -0.1441566, -3.3987048, -1.4662349, -4.5601263, -2.028481, 2.5822785, 8.278481};
  for (const int opset : {18, 20}) expect_forms({{eighteen.c_str(), opset, x, {by_group}}});
  for (const int opset : {21, 28}) expect_forms({{later.c_str(), opset, x, {by_channel}}});
  EXPECT_THAT(import_text_refusal("g (float[1, 4, 2] x) => (float[1, 4, 2] y) <float[4] s = {2, 3, 4, 5}> "
                                  "{ y = GroupNormalization <num_groups = 2> (x, s, s) }",
                                  18),
              HasSubstr("its input 1 must be a constant with a number for each of 2 groups"));
  EXPECT_THAT(import_text_refusal("g (float[1, 4, 2] x) => (float[1, 4, 2] y) <float[3] s = {2, 3, 4}> "
                                  "{ y = GroupNormalization <num_groups = 3> (x, s, s) }",
                                  18),
              HasSubstr("3 groups do not fit an input of shape [1, 4, 2]"));
}

TEST(NewerForms, DetailsOfNumberFormatsAreDropped) {
  expect_forms({{"g (float[1, 3] x) => (int64[1, 3] y) { y = Cast <to = 7, saturate = 0> (x) }",
                 19,
                 reals({1, 3}, {1.7, -1.7, 2}),
                 {{1, -1, 2}}},
                {"g (float[1, 3] x) => (int64[1, 3] y) { y = Cast <to = 7, saturate = 1, round_mode = \"up\"> (x) }",
                 24,
                 reals({1, 3}, {1.7, -1.7, 2}),
                 {{1, -1, 2}}},
                {"g (float[1, 2, 2] x) => (float[1, 2, 2] y) <float[2] s = {2, 3}> "
                 "{ y = RMSNormalization <axis = -1, epsilon = 0.01, stash_type = 1> (x, s) }",
                 23,
                 kSquare,
                 {{-2.5098233, -1.8823675, 0, 4.082483}}},
                {"g (float[1, 3] x) => (float[1, 3] y) <float a = {1}, float b = {4}, float c = {1}> "
                 "{ r = Range <stash_type = 1> (a, b, c) y = Add(x, r) }",
                 27,
                 kThree,
                 {{0, 1.5, 3}}}});
}

TEST(NewerForms, DropoutOfATrainedModelVanishesWithANote) {
  const auto dropout = [](const std::string& constants, const std::string& inputs, int opset = 13) {
    return import_text(
        "g (float[1, 3] x) => (float[1, 3] y) " + constants + " { y = Dropout <seed = 3> (" + inputs + ") }", opset);
  };
  EXPECT_THAT(dropout("<float r = {0.5}, bool t = {0}>", "x, r, t").notes, IsEmpty());
  EXPECT_THAT(dropout("<float r = {0.5}>", "x, r").notes, IsEmpty());
  EXPECT_THAT(dropout("", "x", 22).notes, IsEmpty());
  const Graph trained = dropout("<float r = {0.5}, bool t = {1}>", "x, r, t");
  ASSERT_EQ(trained.notes.size(), 1u);
  EXPECT_THAT(trained.notes[0], AllOf(HasSubstr("Dropout 'y'"), HasSubstr("training mode")));
  EXPECT_EQ(reference::run(trained, std::vector{kThree}).at(0).data, kThree.data);
  EXPECT_THAT(import_text_refusal("g (float[1, 3] x, bool[1] t) => (float[1, 3] y) <float r = {0.5}> "
                                  "{ y = Dropout (x, r, t) }",
                                  13),
              HasSubstr("training mode depends on an input"));
}

TEST(NewerForms, SwiGluIsAGatedSwish) {
  const std::string head = "g (float[1, 3] x) => (float[1, 3] y) <float[1, 3] g = {2, 2.5, 3}> ";
  const std::string plain = head + "{ y = SwiGLU (x, g) }", steep = head + "{ y = SwiGLU <alpha = 2.0> (x, g) }";
  expect_forms({{plain.c_str(), 28, kThree, {{-0.5378828, -0.4719259, 0}}},
                {steep.c_str(), 28, kThree, {{-0.2384059, -0.3361768, 0}}}});
  EXPECT_THAT(operators_of(import_text(plain, 28)), ElementsAre("Swish", "Mul"));
  EXPECT_THAT(import_text_refusal("g (float[1, 3] x) => (float[1, 3] y) { y = SwiGLU (x) }", 28),
              HasSubstr("it takes two inputs"));
}

TEST(NewerForms, OperatorsAndAttributesThatTheLibraryDoesNotKnow) {
  expect_forms(
      {{"g (float[1, 3] x) => (float[1, 3] y) { y = Swish <alpha = 2.0> (x) }",
        24,
        kThree,
        {{-0.1192029, -0.1344707, 0}}},
       {"g (float[1, 3] x) => (float[1, 3] y) { y = Gelu <approximate = \"tanh\"> (x) }",
        20,
        kThree,
        {{-0.158808, -0.154286, 0}}},
       {"g (float[1, 3] x) => (float[1, 3] y) { y = Mish (x) }", 18, kThree, {{-0.3034015, -0.2207438, 0}}},
       {"g (float[1, 3] x) => (float[1, 3] y) { y = Celu <alpha = 2.0> (x) }",
        28,
        kThree,
        {{-0.7869387, -0.4423984, 0}}},
       {"g (float[1, 1, 5] x) => (float[1, 1, 3] y) { y = AveragePool <kernel_shape = [2], dilations = [2]> (x) }",
        19,
        reals({1, 1, 5}, {1, 0.25, 0, 0.25, 1}),
        {{0.5, 0.25, 0.5}}},
       {"g (float[1, 1, 5] x) => (float[1, 1, 3] y) { y = LpPool <kernel_shape = [2], dilations = [2]> (x) }",
        18,
        reals({1, 1, 5}, {-1, -0.5, 0, 0.5, 1}),
        {{1, 0.7071068, 1}}},
       {"g (float[1, 1, 5] x) => (float[1, 1, 3] y) { y = LpPool <kernel_shape = [2], strides = [2], ceil_mode = 1> "
        "(x) }",
        18,
        reals({1, 1, 5}, {-1, -0.5, 0, 0.5, 1}),
        {{1.118034, 0.5, 1}}},
       {"g (float[1, 2, 2] x) => (float[1, 2, 4] y) <int64[1] z = {4}> "
        "{ y = Resize <axes = [2], mode = \"linear\", antialias = 0> (x, , , z) }",
        18,
        kSquare,
        {{-1, -0.875, -0.625, -0.5, 0, 0.125, 0.375, 0.5}}},
       {"g (float[1, 2, 2, 2] x) => (float[1, 8, 1, 1] y) { y = SpaceToDepth <blocksize = 2, mode = \"CRD\"> (x) }",
        28,
        reals({1, 2, 2, 2}, {-1, -0.5, 0, 0.5, 1, 1.5, 2, 2.5}),
        {{-1, -0.5, 0, 0.5, 1, 1.5, 2, 2.5}}}});
}

TEST(NewerForms, WhatAVersionDoesNotHaveIsRefusedByName) {
  const auto refusal = [](const std::string& node, int opset) {
    return import_text_refusal("g (float[1, 3] x) => (float[1, 3] y) { y = " + node + " }", opset);
  };
  EXPECT_THAT(
      refusal("Gelu <temperature = 2.0> (x)", 20),
      HasSubstr(
          "node 'y' (Gelu): attribute 'temperature' is not known for this operator; its attributes: approximate"));
  EXPECT_THAT(refusal("Relu <slope = 2.0> (x)", 28),
              HasSubstr("node 'y' (Relu): attribute 'slope' is not known for this operator; its attributes: none"));
  EXPECT_THAT(refusal("Gelu (x, x)", 20), HasSubstr("node 'y' (Gelu): it has 2 inputs; it takes x"));
  EXPECT_THAT(refusal("Frobnicate (x)", 28), HasSubstr("node 'y' (Frobnicate): this operator is not supported"));
  EXPECT_THAT(refusal("Relu (x)", 29), HasSubstr("version 29 of the operator set 'ai.onnx'; versions 1 to 28"));
}

}  // namespace
}  // namespace tacit::graph::onnx
