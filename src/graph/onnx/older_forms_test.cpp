#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/onnx/run_model_for_test.h"

namespace tacit::graph::onnx {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

Tensor integers(Shape shape, std::vector<double> data) { return {std::move(shape), std::move(data), true}; }

const Tensor kRow = reals({1, 4}, {-1, -0.5, 0, 0.5});

TEST(OlderForms, TheRightOperandWasAlignedWithAnAxis) {
  const std::string head = "g (float[1, 2, 2] x) => (float[1, 2, 2] y) <float[2] w = {10, 20}> ";
  const auto binary = [&](const std::string& node) { return head + "{ y = " + node + "(x, w) }"; };
  const std::string add = binary("Add <broadcast = 1, axis = 1> "), last = binary("Add <broadcast = 1> "),
                    subtract = binary("Sub <broadcast = 1, axis = 1> "),
                    multiply = binary("Mul <broadcast = 1, axis = -2> "),
                    divide = binary("Div <broadcast = 1, axis = 1> ");
  expect_forms({{add.c_str(), 6, kSquare, {{9, 9.5, 20, 20.5}}},
                {last.c_str(), 6, kSquare, {{9, 19.5, 10, 20.5}}},
                {subtract.c_str(), 6, kSquare, {{-11, -10.5, -20, -19.5}}},
                {multiply.c_str(), 6, kSquare, {{-10, -5, 0, 10}}},
                {divide.c_str(), 6, kSquare, {{-0.1, -0.05, 0, 0.025}}},
                {"g (float[1, 2, 2] x) => (float[1, 2, 2] y) <float[2] w = {2, 3}> "
                 "{ y = Pow <broadcast = 1, axis = 1> (x, w) }",
                 6,
                 kSquare,
                 {{1, 0.25, 0, 0.125}}}});
  EXPECT_THAT(import_text_refusal(binary("Add <broadcast = 1, axis = 3> "), 6),
              AllOf(HasSubstr("node 'y' (Add)"), HasSubstr("'axis' holds 3"), HasSubstr("[1, 2, 2] and [2]")));
}

TEST(OlderForms, ComparisonsAndLogicWereAlignedWithAnAxisToo) {
  const auto real = [](const std::string& op) {
    return "g (float[1, 2, 2] x) => (bool[1, 2, 2] y) <float[2] w = {-0.5, 0.25}> { y = " + op +
           " <broadcast = 1, axis = 1> (x, w) }";
  };
  const auto logical = [](const std::string& op) {
    return "g (bool[1, 2, 2] x) => (bool[1, 2, 2] y) <bool[2] w = {1, 0}> { y = " + op +
           " <broadcast = 1, axis = 1> (x, w) }";
  };
  const std::string greater = real("Greater"), less = real("Less"), conjunction = logical("And"),
                    disjunction = logical("Or"), exclusive = logical("Xor");
  const Tensor x = reals({1, 2, 2}, {-1, 0, 0, 0.5}), b = integers({1, 2, 2}, {1, 0, 1, 0});
  expect_forms({{greater.c_str(), 6, x, {{0, 1, 0, 1}}},
                {less.c_str(), 6, x, {{1, 0, 1, 0}}},
                {"g (int32[1, 2, 2] x) => (bool[1, 2, 2] y) <int32[2] w = {1, 2}> "
                 "{ y = Equal <broadcast = 1, axis = 1> (x, w) }",
                 6,
                 integers({1, 2, 2}, {1, 2, 1, 2}),
                 {{1, 0, 0, 1}}},
                {conjunction.c_str(), 6, b, {{1, 0, 0, 0}}},
                {disjunction.c_str(), 6, b, {{1, 1, 1, 0}}},
                {exclusive.c_str(), 6, b, {{0, 1, 1, 0}}}});
}

TEST(OlderForms, BatchNormalizationHadATestModeAndSpatialStatistics) {
  const std::string head =
      "g (float[1, 2, 2] x) => (float[1, 2, 2] y) <float[2] s = {1, 2}, float[2] b = {0.5, -0.5}, "
      "float[2] m = {0.25, 0.5}, float[2] v = {4, 0.25}> ";
  const auto call = [&](const std::string& attributes, const std::string& outputs = "y") {
    return head + "{ " + outputs + " = BatchNormalization <epsilon = 0.01" + attributes + "> (x, s, b, m, v) }";
  };
  const std::string six = call(", is_test = 1"), seven = call(""), nine = call(", momentum = 0.5"),
                    spatial = call(", spatial = 1");
  const std::vector<std::vector<double>> expected{{-0.1242202, 0.1254679, -2.4611614, -0.5}};
  expect_forms({{six.c_str(), 6, kSquare, expected},
                {seven.c_str(), 7, kSquare, expected},
                {spatial.c_str(), 8, kSquare, expected},
                {nine.c_str(), 9, kSquare, expected}});
  EXPECT_THAT(import_text_refusal(call(", spatial = 0"), 8),
              HasSubstr("node 'y' (BatchNormalization): statistics of every position (spatial = 0) are not supported"));
  EXPECT_THAT(import_text_refusal(call("", "y, om, ov, sm, sv"), 6), HasSubstr("(BatchNormalization): training mode"));
  EXPECT_THAT(import_text_refusal(call("", "y, om, ov, sm, sv"), 9), HasSubstr("(BatchNormalization): training mode"));
}

TEST(OlderForms, CastNamedItsType) {
  expect_forms({{"g (float[1, 3] x) => (int64[1, 3] y) { y = Cast <to = \"INT64\"> (x) }",
                 5,
                 reals({1, 3}, {1.7, -1.7, 2}),
                 {{1, -1, 2}}},
                {"g (int32[1, 2] x) => (float[1, 2] y) { y = Cast <to = \"float\"> (x) }",
                 1,
                 integers({1, 2}, {3, -4}),
                 {{3, -4}}}});
  EXPECT_THAT(import_text_refusal("g (float[1, 3] x) => (int64[1, 3] y) { y = Cast <to = \"QUATERNION\"> (x) }", 5),
              HasSubstr("attribute 'to' names the unknown type 'QUATERNION'"));
}

TEST(OlderForms, ClipHadItsBoundsInAttributes) {
  expect_forms(
      {{"g (float[1, 4] x) => (float[1, 4] y) { y = Clip <min = -0.5, max = 0.25> (x) }",
        6,
        kRow,
        {{-0.5, -0.5, 0, 0.25}}},
       {"g (float[1, 4] x) => (float[1, 4] y) { y = Clip <max = 0.25> (x) }", 6, kRow, {{-1, -0.5, 0, 0.25}}},
       {"g (float[1, 4] x) => (float[1, 4] y) { y = Clip <min = -0.25> (x) }", 10, kRow, {{-0.25, -0.25, 0, 0.5}}},
       {"g (float[1, 4] x) => (float[1, 4] y) { y = Clip (x) }", 6, kRow, {{-1, -0.5, 0, 0.5}}}});
}

TEST(OlderForms, DefaultsThatChanged) {
  expect_forms({{"g (float[1, 2] x) => (float[1, 4] y) { y = Concat(x, x) }", 3, reals({1, 2}, {3, 4}), {{3, 4, 3, 4}}},
                {"g (float[1, 2] x) => (float[2, 2] y) { y = Concat <axis = 0> (x, x) }",
                 1,
                 reals({1, 2}, {3, 4}),
                 {{3, 4, 3, 4}}},
                // The constants of opset 1 have fewer digits: 1.6732 and 1.0507.
                {"g (float[1, 2] x) => (float[1, 2] y) { y = Selu (x) }",
                 1,
                 reals({1, 2}, {-1, 1}),
                 {{1.6732 * 1.0507 * (std::exp(-1.0) - 1), 1.0507}}}});
}

TEST(OlderForms, DropoutVanishes) {
  const auto dropout = [](const char* attributes, int opset) {
    const Graph graph = import_text(
        std::string("g (float[1, 2] x) => (float[1, 2] y) { y = Dropout <") + attributes + "> (x) }", opset);
    EXPECT_THAT(reference::run(graph, std::vector{reals({1, 2}, {3, -4})}).at(0).data, ElementsAre(3, -4)) << opset;
  };
  dropout("is_test = 1, ratio = 0.3", 1);
  dropout("is_test = 1", 6);
  dropout("ratio = 0.3", 7);
  dropout("ratio = 0.3", 10);
}

TEST(OlderForms, GemmStatedThatItBroadcasts) {
  expect_forms(
      {{"g (float[1, 2] x) => (float[1, 2] y) <float[2, 2] w = {1, 2, 3, 4}, float[2] c = {10, 20}> "
        "{ y = Gemm <broadcast = 1, alpha = 2.0> (x, w, c) }",
        6,
        reals({1, 2}, {-1, -0.5}),
        {{5, 12}}}});
}

TEST(OlderForms, TheOrderOfANormWasReal) {
  expect_forms(
      {{"g (float[1, 2, 2] x) => (float[1, 2, 1] y) { y = GlobalLpPool <p = 3.0> (x) }",
        1,
        kSquare,
        {{1.0400419, 0.5}}},
       {"g (float[1, 2, 2] x) => (float[1, 2, 1] y) { y = GlobalLpPool <p = 3> (x) }", 2, kSquare, {{1.0400419, 0.5}}},
       {"g (float[1, 1, 4] x) => (float[1, 1, 2] y) { y = LpPool <kernel_shape = [2], strides = [2], p = 2.0> (x) }",
        1,
        reals({1, 1, 4}, {-1, -0.5, 0, 0.5}),
        {{1.118034, 0.5}}},
       {"g (float[1, 1, 4] x) => (float[1, 1, 2] y) { y = LpPool <kernel_shape = [2], strides = [2]> (x) }",
        1,
        reals({1, 1, 4}, {-1, -0.5, 0, 0.5}),
        {{1.118034, 0.5}}}});
  EXPECT_THAT(import_text_refusal("g (float[1, 2, 2] x) => (float[1, 2, 1] y) { y = GlobalLpPool <p = 2.5> (x) }", 1),
              HasSubstr("the order 2.5 is not a whole number"));
}

TEST(OlderForms, AllAxesFromOneOnWereOneRow) {
  const Tensor x = reals({2, 2, 2}, {1, 0.25, 0, 0.25, 1, 2.25, 4, 6.25});
  const std::string head = "g (float[2, 2, 2] x) => (float[2, 2, 2] y) ";
  for (const int opset : {1, 11, 12}) {
    const std::string soft = head + "{ y = Softmax (x) }", all = head + "{ y = Softmax <axis = 0> (x) }",
                      one = head + "{ y = Softmax <axis = 2> (x) }", hard = head + "{ y = Hardmax (x) }",
                      hardest = head + "{ y = Hardmax <axis = 0> (x) }", logs = head + "{ y = LogSoftmax (x) }";
    expect_forms({{soft.c_str(),
                   opset,
                   x,
                   {{0.4324114, 0.2042567, 0.1590753, 0.2042567, 0.0046481, 0.0162234, 0.0933594, 0.8857691}}},
                  {all.c_str(),
                   opset,
                   x,
                   {{0.0045987, 0.0021723, 0.0016918, 0.0021723, 0.0045987, 0.0160509, 0.0923665, 0.876349}}},
                  {one.c_str(),
                   opset,
                   x,
                   {{0.6791787, 0.3208213, 0.4378235, 0.5621765, 0.2227001, 0.7772999, 0.0953495, 0.9046505}}},
                  {hard.c_str(), opset, x, {{1, 0, 0, 0, 0, 0, 0, 1}}},
                  {hardest.c_str(), opset, x, {{0, 0, 0, 0, 0, 0, 0, 1}}},
                  {logs.c_str(),
                   opset,
                   x,
                   {{-0.8383778, -1.5883778, -1.8383778, -1.5883778, -5.371299, -4.121299, -2.371299, -0.121299}}}});
  }
  const std::string negative = head + "{ y = Softmax <axis = -2> (x) }",
                    outside = head + "{ y = Softmax <axis = 3> (x) }";
  expect_forms({{negative.c_str(),
                 11,
                 x,
                 {{0.4324114, 0.2042567, 0.1590753, 0.2042567, 0.0046481, 0.0162234, 0.0933594, 0.8857691}}}});
  EXPECT_THAT(import_text_refusal(outside, 11), HasSubstr("node 'y' (Softmax): axis 3 is outside [-3, 3)"));
}

TEST(OlderForms, ASlopeForEveryChannelWasAVector) {
  expect_forms({{"g (float[1, 2, 2] x) => (float[1, 2, 2] y) <float[2] w = {0.5, 2}> { y = PRelu (x, w) }",
                 6,
                 reals({1, 2, 2}, {-1, -2, -3, 4}),
                 {{-0.5, -1, -6, 4}}},
                {"g (float[1, 2] x) => (float[1, 2] y) <float[2] w = {0.5, 2}> { y = PRelu (x, w) }",
                 6,
                 reals({1, 2}, {-1, -2}),
                 {{-0.5, -4}}},
                {"g (float[1, 2, 2] x) => (float[1, 2, 2] y) <float[1] w = {0.5}> { y = PRelu (x, w) }",
                 1,
                 reals({1, 2, 2}, {-1, -2, -3, 4}),
                 {{-0.5, -1, -1.5, 4}}}});
}

TEST(OlderForms, PadHadItsPadsInAttributes) {
  const Tensor x = reals({1, 2}, {-1, -0.5});
  expect_forms(
      {{"g (float[1, 2] x) => (float[1, 5] y) { y = Pad <paddings = [0, 1, 0, 2], value = 9.0> (x) }",
        1,
        x,
        {{9, -1, -0.5, 9, 9}}},
       {"g (float[1, 2] x) => (float[1, 5] y) { y = Pad <pads = [0, 1, 0, 2], value = 9.0> (x) }",
        10,
        x,
        {{9, -1, -0.5, 9, 9}}},
       {"g (float[1, 2] x) => (float[1, 5] y) { y = Pad <pads = [0, 1, 0, 2]> (x) }", 2, x, {{0, -1, -0.5, 0, 0}}},
       {"g (float[1, 3] x) => (float[1, 6] y) { y = Pad <pads = [0, 1, 0, 2], mode = \"reflect\"> (x) }",
        10,
        reals({1, 3}, {-1, -0.5, 0}),
        {{-0.5, -1, -0.5, 0, -0.5, -1}}}});
}

TEST(OlderForms, AxesShapesAndBoundsWereAttributes) {
  expect_forms(
      {{"g (float[1, 2, 2] x) => (float[1, 2] y) { y = ReduceSum <axes = [2], keepdims = 0> (x) }",
        11,
        kSquare,
        {{-1.5, 0.5}}},
       {"g (float[1, 2, 2] x) => (float[1, 1, 1] y) { y = ReduceSum (x) }", 1, kSquare, {{-1}}},
       {"g (float[1, 4] x) => (float[2, 2] y) { y = Reshape <shape = [2, -1]> (x) }", 1, kRow, {{-1, -0.5, 0, 0.5}}},
       {"g (float[1, 2, 1] x) => (float[1, 2] y) { y = Squeeze <axes = [2]> (x) }",
        11,
        reals({1, 2, 1}, {3, 4}),
        {{3, 4}}},
       {"g (float[1, 2] x) => (float[1, 1, 2] y) { y = Unsqueeze <axes = [1]> (x) }",
        1,
        reals({1, 2}, {3, 4}),
        {{3, 4}}},
       {"g (float[1, 4] x) => (float[1, 2] y) { y = Slice <starts = [1], ends = [3], axes = [1]> (x) }",
        9,
        kRow,
        {{-0.5, 0}}},
       {"g (float[1, 4] x) => (float[1, 3] y) { y = Slice <starts = [0, -3], ends = [1, 1000]> (x) }",
        1,
        kRow,
        {{-0.5, 0, 0.5}}}});
  EXPECT_THAT(import_text_refusal("g (float[1, 4] x) => (float[1, 2] y) { y = Slice <starts = [1]> (x) }", 9),
              HasSubstr("attributes 'starts' and 'ends' are missing"));
  const std::vector<Tensor> shapes =
      run_text("g (float[1, 2] x) => (float[1, 1, 2] y) { y = Unsqueeze <axes = [1]> (x) }", 11, reals({1, 2}, {3, 4}));
  EXPECT_THAT(shapes.at(0).shape, ElementsAre(1, 1, 2));
}

TEST(OlderForms, LengthsOfPiecesWereAnAttribute) {
  const Tensor x = reals({1, 5}, {-1, -0.5, 0, 0.5, 1});
  expect_forms({{"g (float[1, 5] x) => (float[1, 2] y, float[1, 3] z) { y, z = Split <axis = 1, split = [2, 3]> (x) }",
                 2,
                 x,
                 {{-1, -0.5}, {0, 0.5, 1}}},
                {"g (float[1, 5] x) => (float[1, 2] y, float[1, 3] z) { y, z = Split <axis = 1, split = [2, 3]> (x) }",
                 1,
                 x,
                 {{-1, -0.5}, {0, 0.5, 1}}},
                {"g (float[1, 4] x) => (float[1, 2] y, float[1, 2] z) { y, z = Split <axis = 1> (x) }",
                 11,
                 kRow,
                 {{-1, -0.5}, {0, 0.5}}}});
}

TEST(OlderForms, TileRepeatedOneAxis) {
  expect_forms({{"g (float[1, 2] x) => (float[1, 6] y) <float t = {3}, float a = {1}> { y = Tile (x, t, a) }",
                 1,
                 reals({1, 2}, {3, 4}),
                 {{3, 4, 3, 4, 3, 4}}}});
}

TEST(OlderForms, TopKHadItsCountInAnAttribute) {
  const Tensor x = reals({1, 4}, {-1, 0.5, 0, -0.5});
  expect_forms(
      {{"g (float[1, 4] x) => (float[1, 2] y, int64[1, 2] z) { y, z = TopK <k = 2, axis = 1> (x) }",
        1,
        x,
        {{0.5, 0}, {1, 2}}},
       {"g (float[1, 4] x) => (float[1, 1] y, int64[1, 1] z) { y, z = TopK <k = 1> (x) }", 9, x, {{0.5}, {1}}}});
  EXPECT_THAT(import_text_refusal("g (float[1, 4] x) => (float[1, 2] y, int64[1, 2] z) { y, z = TopK (x) }", 9),
              HasSubstr("attribute 'k' is missing"));
}

TEST(OlderForms, EnlargementsRoundedPositionsDown) {
  const Tensor x = reals({1, 1, 3}, {-1, -0.5, 0}), square = reals({1, 1, 2, 2}, {-1, -0.5, 0, 0.5});
  const std::vector<double> nearest{-1, -1, -1, -0.5, -0.5, -0.5, -1, -1, -1, -0.5, -0.5, -0.5,
                                    0,  0,  0,  0.5,  0.5,  0.5,  0,  0,  0,  0.5,  0.5,  0.5},
      linear{-1, -5. / 6, -4. / 6, -0.5, -0.5, -0.5, -0.5, -2. / 6, -1. / 6, 0,   0,   0,
             0,  1. / 6,  2. / 6,  0.5,  0.5,  0.5,  0,    1. / 6,  2. / 6,  0.5, 0.5, 0.5};
  const std::string up = "g (float[1, 1, 2, 2] x) => (float[1, 1, 4, 6] y) ";
  const std::string one = up + "{ y = Upsample <height_scale = 2.0, width_scale = 3.0, mode = \"nearest\"> (x) }",
                    bilinear = up + "{ y = Upsample <height_scale = 2.0, width_scale = 3.0, mode = \"bilinear\"> (x) }",
                    seven = up + "{ y = Upsample <scales = [1.0, 1.0, 2.0, 3.0], mode = \"linear\"> (x) }",
                    nine = up + "<float[4] s = {1, 1, 2, 3}> { y = Upsample <mode = \"nearest\"> (x, s) }";
  expect_forms(
      {{"g (float[1, 1, 3] x) => (float[1, 1, 6] y) <float[3] s = {1, 1, 2}> { y = Resize <mode = \"linear\"> (x, s) }",
        10,
        x,
        {{-1, -0.75, -0.5, -0.25, 0, 0}}},
       {"g (float[1, 1, 3] x) => (float[1, 1, 5] y) <float[3] s = {1, 1, 1.7}> { y = Resize (x, s) }",
        10,
        x,
        {{-1, -1, -0.5, -0.5, 0}}},
       {"g (float[1, 1, 4] x) => (float[1, 1, 2] y) <float[3] s = {1, 1, 0.6}> { y = Resize (x, s) }",
        10,
        reals({1, 1, 4}, {-1, -0.5, 0, 0.5}),
        {{-1, 0}}},
       {one.c_str(), 1, square, {nearest}},
       {bilinear.c_str(), 1, square, {linear}},
       {seven.c_str(), 7, square, {linear}},
       {nine.c_str(), 9, square, {nearest}}});
  EXPECT_THAT(import_text_refusal("g (float[1, 1, 2, 4] x) => (float[1, 1, 4, 2] y) <float[4] s = {1, 1, 2, 0.5}> "
                                  "{ y = Resize (x, s) }",
                                  10),
              HasSubstr("node 'y' (Resize): it enlarges one axis and shrinks another"));
  EXPECT_THAT(import_text_refusal("g (float[1, 1, 2, 2] x) => (float[1, 1, 4, 4] y) { y = Upsample (x) }", 7),
              HasSubstr("node 'y' (Upsample): its scales are missing"));
}

TEST(OlderForms, HintsForExecutionInPlaceAreDropped) {
  EXPECT_THAT(
      operators_of(import_text("g (float[1, 2] x) => (float[1, 2] y) { y = Relu <consumed_inputs = [0]> (x) }", 5)),
      ElementsAre("Relu"));
}

TEST(OlderForms, AMissingInputIsRefusedByName) {
  for (const std::string op : {"Softmax", "Clip", "Pad <pads = [0, 0]>", "GlobalLpPool <p = 2.0>"}) {
    const std::string name = op.substr(0, op.find(' '));
    EXPECT_THAT(import_text_refusal("g (float[1, 2] x) => (float[1, 2] y) { y = " + op + " () }", 1),
                AllOf(HasSubstr("node 'y' (" + name + ")"), testing::Not(HasSubstr("CHECK"))))
        << op;
  }
}

TEST(OlderForms, ScatterWasRenamed) {
  expect_forms(
      {{"g (float[1, 3] x) => (float[1, 3] y) <int64[1, 1] i = {1}, float[1, 1] u = {9}> "
        "{ y = Scatter <axis = 1> (x, i, u) }",
        10,
        reals({1, 3}, {-1, -0.5, 0}),
        {{-1, 9, 0}}}});
}

TEST(OlderForms, AnAttributeOfAnotherTypeIsRefusedByName) {
  EXPECT_THAT(import_text_refusal("g (float[1, 2] x) => (float[1, 2] y) { y = Concat <axis = 1.5> (x, x) }", 3),
              AllOf(StartsWith("model 'm.onnx': node 'y' (Concat)"), HasSubstr("attribute 'axis' has the wrong type")));
}

}  // namespace
}  // namespace tacit::graph::onnx
