#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "graph/onnx/run_model_for_test.h"

// In which versions of the operator set a form is read, and from when on it is another one.
namespace tacit::graph::onnx {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// A model with a form that is read in versions [first, until), and what is said of it in version `until`.
struct OldForm {
  std::string text;
  int first, until;
  const char* refusal;
};

TEST(FormVersions, AnOldFormIsReadUpToTheVersionThatChangedIt) {
  const std::string row = "g (float[1, 4] x) => (float[A, B] y) ", map = "g (float[1, 2, 2] x) => (float[1, A, B] y) ";
  const std::vector<OldForm> forms{
      {map + "<float[2] w = {1, 2}> { y = Add <broadcast = 1, axis = 1> (x, w) }", 1, 7, "'axis' is not known"},
      {map + "<float[2] w = {1, 2}> { y = BatchNormalization <is_test = 1, spatial = 1> (x, w, w, w, w) }", 1, 14,
       "'is_test' is not known"},
      {"g (float[1, 4] x) => (int64[1, 4] y) { y = Cast <to = \"INT64\"> (x) }", 1, 6, "'to' has the wrong type"},
      {row + "{ y = Clip <min = -0.5> (x) }", 1, 11, "'min' is not known"},
      {row + "{ y = Concat (x, x) }", 1, 4, "'axis' is missing"},
      {row + "{ y = Dropout <ratio = 0.3> (x) }", 1, 12, "'ratio' is not known"},
      {row + "<float[4, 1] w = {1, 2, 3, 4}, float[1] c = {1}> { y = Gemm <broadcast = 1> (x, w, c) }", 1, 7,
       "'broadcast' is not known"},
      {map + "{ y = GlobalLpPool <p = 3.0> (x) }", 1, 2, "'p' has the wrong type"},
      {row + "{ y = Pad <pads = [0, 1, 0, 2]> (x) }", 1, 11, "'pads' is not known"},
      {row + "{ y = ReduceSum <axes = [1]> (x) }", 1, 13, "'axes' is not known"},
      {"g (float[1, 4, 1] x) => (float[A, B] y) { y = Squeeze <axes = [2]> (x) }", 1, 13, "'axes' is not known"},
      {"g (float[1, 4] x) => (float[A, B, C] y) { y = Unsqueeze <axes = [2]> (x) }", 1, 13, "'axes' is not known"},
      {row + "{ y = Reshape <shape = [2, 2]> (x) }", 1, 5, "'shape' is not known"},
      {map + "<float[3] s = {1, 1, 2}> { y = Resize (x, s) }", 10, 11, "(Resize)"},
      {row + "<int64[1, 1] i = {1}, float[1, 1] u = {9}> { y = Scatter <axis = 1> (x, i, u) }", 9, 11,
       "(Scatter): this operator is not supported"},
      {row + "{ y = Slice <axes = [1], starts = [1], ends = [3]> (x) }", 1, 10, "'axes' is not known"},
      {"g (float[1, 4] x) => (float[1, A] y, float[1, B] z) { y, z = Split <axis = 1, split = [1, 3]> (x) }", 1, 13,
       "'split' is not known"},
      {row + "<float t = {3}, float a = {1}> { y = Tile (x, t, a) }", 1, 6, "it has 3 inputs"},
      {"g (float[1, 4] x) => (float[1, 2] y, int64[1, 2] z) { y, z = TopK <k = 2> (x) }", 1, 10, "'k' is not known"},
  };
  for (const OldForm& form : forms) {
    EXPECT_EQ(import_text_refusal(form.text, form.first), base::kNotRefused) << form.text;
    EXPECT_EQ(import_text_refusal(form.text, form.until - 1), base::kNotRefused) << form.text;
    EXPECT_THAT(import_text_refusal(form.text, form.until), AllOf(HasSubstr("node 'y' ("), HasSubstr(form.refusal)))
        << form.text;
  }
}

TEST(FormVersions, ANewFormIsReadFromItsVersionOn) {
  const std::string row = "g (float[1, 3] x) => (float[1, 3] y) ", bytes = "g (float[1, 3] x) => (uint8[1, 3] y) ";
  struct NewForm {
    std::string text;
    int first;
    const char* refusal;  // in the version before
  };
  const std::vector<NewForm> forms{
      {"g (float[1, 3] x) => (int64[1, 3] y) { y = Cast <to = 7, saturate = 0> (x) }", 19, "'saturate' is not known"},
      {"g (float[1, 3] x) => (int64[1, 3] y) <int64[1] w = {1}> { y = CastLike (x, w) }", 15,
       "(CastLike): this operator is not supported"},
      {bytes + "<float s = {0.5}> { y = QuantizeLinear <saturate = 1> (x, s) }", 19, "'saturate' is not known"},
      {"g (int8[1, 3] x) => (float[1, 3] y) <float s = {0.5}> { y = DequantizeLinear <output_dtype = 1> (x, s) }", 21,
       "'output_dtype' is not known"},
      {row + "<int64[2] p = {0, 0}, int64[1] a = {1}> { y = Pad (x, p, , a) }", 18, "it has 4 inputs"},
      {"g (float[1, 3] x) => (float[1, 2] y, float[1, 1] z) { y, z = Split <axis = 1, num_outputs = 2> (x) }", 18,
       "'num_outputs' is not known"},
  };
  for (const NewForm& form : forms) {
    EXPECT_EQ(import_text_refusal(form.text, form.first), base::kNotRefused) << form.text;
    EXPECT_EQ(import_text_refusal(form.text, 28), base::kNotRefused) << form.text;
    EXPECT_THAT(import_text_refusal(form.text, form.first - 1), AllOf(HasSubstr("node 'y' ("), HasSubstr(form.refusal)))
        << form.text;
  }
  const Graph trained = import_text(row + "<float r = {0.5}, bool t = {1}> { y = Dropout <seed = 3> (x, r, t) }", 12);
  EXPECT_EQ(trained.notes.size(), 1u);
}

// The same text means something else in the next version.
TEST(FormVersions, DefaultsAndAlignmentsChangeWithTheVersion) {
  const Tensor x = reals({2, 2, 2}, {1, 0.25, 0, 0.25, 1, 2.25, 4, 6.25}), map = reals({1, 2, 2}, {-1, -2, -3, 4}),
               row = reals({1, 2}, {-1, 1});
  const char* const hardmax = "g (float[2, 2, 2] x) => (float[2, 2, 2] y) { y = Hardmax (x) }";
  const char* const slopes = "g (float[1, 2, 2] x) => (float[1, 2, 2] y) <float[2] w = {0.5, 2}> { y = PRelu (x, w) }";
  const char* const selu = "g (float[1, 2] x) => (float[1, 2] y) { y = Selu (x) }";
  const double below = std::exp(-1.0) - 1;
  expect_forms({{hardmax, 12, x, {{1, 0, 0, 0, 0, 0, 0, 1}}},
                {hardmax, 13, x, {{1, 0, 0, 1, 0, 1, 0, 1}}},
                {slopes, 1, map, {{-0.5, -1, -6, 4}}},
                {slopes, 6, map, {{-0.5, -1, -6, 4}}},
                {slopes, 7, map, {{-0.5, -4, -1.5, 4}}},
                {selu, 5, row, {{1.6732 * 1.0507 * below, 1.0507}}},
                {selu, 6, row, {{1.6732632423543772 * 1.0507009873554805 * below, 1.0507009873554805}}}});
}

TEST(FormVersions, AnAxisWithoutBroadcastingSaysNothing) {
  expect_forms(
      {{"g (float[1, 2, 2] x) => (float[1, 2, 2] y) <float[1, 2, 2] w = {1, 2, 3, 4}> "
        "{ y = Add <axis = 1> (x, w) }",
        6,
        reals({1, 2, 2}, {-1, -0.5, 0, 0.5}),
        {{0, 1.5, 3, 4.5}}}});
}

TEST(FormVersions, StatisticsAmongTheOutputsOfABatchNormalizationMeanTraining) {
  const auto refusal = [](const std::string& outputs, const std::string& attributes, int opset) {
    return import_text_refusal("g (float[1, 2, 2] x) => (float[1, 2, 2] y) <float[2] w = {1, 2}> { " + outputs +
                                   " = BatchNormalization <" + attributes + "> (x, w, w, w, w) }",
                               opset);
  };
  const std::string any = "epsilon = 0.01";
  for (const int opset : {6, 7, 13}) {
    EXPECT_THAT(refusal("y, mean", any, opset), HasSubstr("(BatchNormalization): training mode is not supported"));
    EXPECT_EQ(refusal("y", any, opset), base::kNotRefused) << opset;
  }
  EXPECT_THAT(refusal("y, mean", "is_test = 1", 6), HasSubstr("training mode is not supported"));
  const auto left_out = [](const std::string& attributes) {
    ::onnx::ModelProto model =
        text_model("g (float[1, 2, 2] x) => (float[1, 2, 2] y) <float[2] w = {1, 2}> { y = BatchNormalization <" +
                       attributes + "> (x, w, w, w, w) }",
                   6);
    for (int i = 0; i < 2; ++i) model.mutable_graph()->mutable_node(0)->add_output("");
    return import_refusal(model.SerializeAsString());
  };
  EXPECT_EQ(left_out("is_test = 1"), base::kNotRefused);
  EXPECT_THAT(left_out("is_test = 0"), HasSubstr("training mode is not supported"));
}

TEST(FormVersions, BoundsThatBecomeInputsHaveTheTypeOfTheOperand) {
  for (const auto& [type, rounding] : {std::pair("float", FloatFormat::float32),
                                       {"double", FloatFormat::float64},
                                       {"float16", FloatFormat::float16}}) {
    const std::string head = std::string("g (") + type + "[1, 2] x) => (" + type + "[A, B] y) ";
    for (const std::string node : {"Clip <min = -0.5, max = 0.5> (x)", "Pad <pads = [0, 0, 0, 0], value = 0.5> (x)"}) {
      const Graph graph = import_text(head + "{ y = " + node + " }", 10);
      const TensorId bound = graph.nodes.at(0).inputs.at(2);
      EXPECT_EQ(graph.tensors[bound].rounding, rounding) << type << " " << node;
      EXPECT_FALSE(graph.tensors[bound].integral) << type << " " << node;
      EXPECT_EQ(graph.constant(bound).data, std::vector<double>{0.5}) << type << " " << node;
    }
  }
}

TEST(FormVersions, TileRepeatsOneAxisByWholeNumbers) {
  const auto refusal = [](const std::string& tiles, const std::string& axis) {
    return import_text_refusal("g (float[2, 3] x) => (float[A, B] y) <float[1] t = {" + tiles + "}, float[1] a = {" +
                                   axis + "}> { y = Tile (x, t, a) }",
                               5);
  };
  EXPECT_EQ(refusal("2", "0"), base::kNotRefused);
  EXPECT_EQ(refusal("2", "1"), base::kNotRefused);
  for (const auto& [tiles, axis] : {std::pair("1.5", "0"), {"-1", "0"}, {"2", "2"}, {"2", "-1"}, {"2", "0.5"}})
    EXPECT_THAT(refusal(tiles, axis),
                HasSubstr("node 'y' (Tile): it repeats one axis of its input, once, by constants"))
        << tiles << " along " << axis;
  EXPECT_THAT(import_text_refusal("g (float[2, 3] x) => (float[A, B] y) <float[2] t = {2, 2}, float[1] a = {1}> "
                                  "{ y = Tile (x, t, a) }",
                                  5),
              HasSubstr("it repeats one axis of its input, once, by constants"));
  expect_forms({{"g (float[2, 3] x) => (float[4, 3] y) <float t = {2}, float a = {0}> { y = Tile (x, t, a) }",
                 5,
                 reals({2, 3}, {1, 2, 3, 4, 5, 6}),
                 {{1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}}}});
}

// Converters write them although no version has them.
TEST(FormVersions, ComplementsOfTheErrorFunctionAndTheExponential) {
  const Tensor x = reals({1, 3}, {-1, 0, 0.5});
  const char* const complement = "g (float[1, 3] x) => (float[1, 3] y) { y = Erfc (x) }";
  const char* const less_one = "g (float[1, 3] x) => (float[1, 3] y) { y = Expm1 (x) }";
  for (const int opset : {1, 17, 28})
    expect_forms({{complement, opset, x, {{std::erfc(-1.0), 1, std::erfc(0.5)}}},
                  {less_one, opset, x, {{std::expm1(-1.0), 0, std::expm1(0.5)}}}});
  EXPECT_EQ(operators_of(import_text(complement, 17)), (std::vector<std::string>{"Erf", "Sub"}));
  EXPECT_EQ(operators_of(import_text(less_one, 17)), (std::vector<std::string>{"Exp", "Sub"}));
}

TEST(FormVersions, ScalesOfEnlargementsAreStatedWhole) {
  const auto refusal = [](const std::string& attributes) {
    return import_text_refusal(
        "g (float[1, 1, 2, 2] x) => (float[1, 1, A, B] y) { y = Upsample <" + attributes + "> (x) }", 1);
  };
  EXPECT_EQ(refusal("height_scale = 2.0, width_scale = 3.0"), base::kNotRefused);
  EXPECT_THAT(refusal("height_scale = 2.0"), HasSubstr("node 'y' (Upsample): its scales are missing"));
  EXPECT_THAT(refusal("width_scale = 2.0"), HasSubstr("node 'y' (Upsample): its scales are missing"));
}

}  // namespace
}  // namespace tacit::graph::onnx
