#include "graph/attribute.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/refusal_for_test.h"
#include "graph/limits.h"

namespace tacit::graph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Node node(const std::string& op, std::map<std::string, Attribute> attributes) {
  return {op, "n", {0}, {1}, std::move(attributes)};
}

TEST(Attributes, AreReadWithTheDefaultsOfTheirOperator) {
  const Node gemm = node("Gemm", {{"alpha", 0.5}, {"transA", std::int64_t{1}}});
  EXPECT_EQ(real_attribute(gemm, "alpha"), 0.5);
  EXPECT_EQ(real_attribute(gemm, "beta"), 1);
  EXPECT_TRUE(flag_attribute(gemm, "transA"));
  EXPECT_FALSE(flag_attribute(gemm, "transB"));
  EXPECT_TRUE(has_attribute(gemm, "alpha"));
  EXPECT_FALSE(has_attribute(gemm, "beta"));
  EXPECT_EQ(integer_attribute(node("Softmax", {}), "axis"), -1);
  EXPECT_EQ(integer_attribute(node("Softmax", {{"axis", std::int64_t{2}}}), "axis"), 2);
  EXPECT_EQ(integer_attribute(node("Softmax", {}), "axis", 7), 7) << "what the caller says instead";
  EXPECT_EQ(integer_attribute(node("Softmax", {{"axis", std::int64_t{2}}}), "axis", 7), 2);
  EXPECT_EQ(text_attribute(node("Gelu", {}), "approximate"), "none");
  EXPECT_EQ(choice_attribute(node("Gelu", {}), "approximate"), 0u);
  EXPECT_EQ(choice_attribute(node("Gelu", {{"approximate", std::string("tanh")}}), "approximate"), 1u);
  EXPECT_THAT(integers_attribute(node("MeanVarianceNormalization", {}), "axes"), ElementsAre(0, 2, 3));
  EXPECT_THAT(integers_attribute(node("Transpose", {}), "perm"), IsEmpty());
  EXPECT_THAT(integers_attribute(node("Transpose", {}), "perm", {1, 0}), ElementsAre(1, 0));
  EXPECT_THAT(integers_attribute(node("Transpose", {{"perm", std::vector<std::int64_t>{0, 1}}}), "perm", {1, 0}),
              ElementsAre(0, 1));
  EXPECT_THAT(reals_attribute(node("ai.onnx.ml.Scaler", {}), "scale"), IsEmpty());
  EXPECT_THAT(reals_attribute(node("ai.onnx.ml.Scaler", {}), "scale", {2}), ElementsAre(2));
  EXPECT_THAT(reals_attribute(node("ai.onnx.ml.Scaler", {{"scale", std::vector<double>{3}}}), "scale", {2}),
              ElementsAre(3));
  EXPECT_THAT(texts_attribute(node("ai.onnx.ml.ZipMap", {}), "classlabels_strings"), IsEmpty());
}

TEST(Attributes, OfAnotherTypeOrWithoutADefaultAreRefusedByName) {
  EXPECT_EQ(base::refusal([] {
              integer_attribute(node("Softmax", {{"axis", 1.0}}), "axis");
            }),
            "node 'n' (Softmax): attribute 'axis' has the wrong type");
  EXPECT_EQ(base::refusal([] {
              integer_attribute(node("Softmax", {{"axis", 1.0}}), "axis", 3);
            }),
            "node 'n' (Softmax): attribute 'axis' has the wrong type");
  EXPECT_EQ(base::refusal([] { integer_attribute(node("DepthToSpace", {}), "blocksize"); }),
            "node 'n' (DepthToSpace): attribute 'blocksize' is missing");
  EXPECT_EQ(base::refusal([] { real_attribute(node("Frobnicate", {}), "alpha"); }),
            "node 'n' (Frobnicate): attribute 'alpha' is missing");
  EXPECT_EQ(base::refusal([] {
              choice_attribute(node("Gelu", {{"approximate", std::string("erf")}}), "approximate");
            }),
            "node 'n' (Gelu): attribute 'approximate': 'erf' is no choice");
  EXPECT_EQ(base::refusal([] {
              choice_attribute(node("Frobnicate", {{"mode", std::string("fast")}}), "mode");
            }),
            "node 'n' (Frobnicate): attribute 'mode': 'fast' is no choice");
}

TEST(Attributes, AxesCountFromEitherEnd) {
  const Node any = node("Softmax", {});
  EXPECT_EQ(normal_axis(any, 0, 3), 0u);
  EXPECT_EQ(normal_axis(any, 2, 3), 2u);
  EXPECT_EQ(normal_axis(any, -1, 3), 2u);
  EXPECT_EQ(normal_axis(any, -3, 3), 0u);
  for (const std::int64_t axis : {3, -4})
    EXPECT_EQ(base::refusal([&] { normal_axis(any, axis, 3); }),
              "node 'n' (Softmax): axis " + std::to_string(axis) + " is outside [-3, 3) of a tensor of rank 3");
}

TEST(Shapes, HaveABoundedNumberOfElements) {
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({2, 3, 4}), 24);
  EXPECT_EQ(element_count({2, 0, 4}), 0);
  EXPECT_EQ(element_count({kMostElements}), kMostElements);
  EXPECT_EQ(element_count({1 << 14, 1, 1 << 14}), kMostElements);
  EXPECT_EQ(base::refusal([] { element_count({kMostElements + 1}); }),
            "a tensor of shape [268435457] has more than 268435456 elements, the most a tensor may have");
  for (const Shape& shape : {Shape{1 << 14, (1 << 14) + 1}, {0, kMostElements + 1}, {kMostElements, 0, 2}})
    EXPECT_THAT(base::refusal([&] { element_count(shape); }), HasSubstr("has more than 268435456 elements"))
        << to_text(shape);
  EXPECT_EQ(base::refusal([] { element_count({2, -1}); }), "the shape [2, -1] has a negative extent");
}

}  // namespace
}  // namespace tacit::graph
