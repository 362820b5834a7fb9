#include "graph/onnx/infer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/onnx/run_model_for_test.h"

// What the library's inference does not look at.
namespace tacit::graph::onnx {
namespace {

using testing::HasSubstr;

std::string with_weights(const std::string& input, const std::string& weights, const std::string& node) {
  return import_text_refusal("g (float" + input + " x) => (float[A] y) <" + weights + "> { y = " + node + " }", 17);
}

TEST(Infer, BothOperandsOfAGemmAreMatrices) {
  EXPECT_THAT(with_weights("[3]", "float[3, 2] w = {1, 2, 3, 4, 5, 6}", "Gemm (x, w)"),
              HasSubstr("node 'y' (Gemm): it takes two matrices, not [3] and [3, 2]"));
  EXPECT_THAT(with_weights("[1, 3]", "float[3] w = {1, 2, 3}", "Gemm (x, w)"),
              HasSubstr("it takes two matrices, not [1, 3] and [3]"));
  EXPECT_THAT(with_weights("[1, 3]", "float[2, 2] w = {1, 2, 3, 4}", "Gemm (x, w)"),
              HasSubstr("its matrices of shape [1, 3] and [2, 2] do not chain: 3 columns meet 2 rows"));
}

TEST(Infer, ABiasOfAGemmIsAsWideAsItsProduct) {
  const std::string weights = "float[2, 3] w = {1, 2, 3, 4, 5, 6}, float";
  EXPECT_EQ(with_weights("[1, 3]", weights + "[2] b = {1, 2}", "Gemm <transB = 1> (x, w, b)"), base::kNotRefused);
  EXPECT_THAT(with_weights("[1, 3]", weights + "[3] b = {1, 2, 3}", "Gemm <transB = 1> (x, w, b)"),
              HasSubstr("a bias of shape [3] does not broadcast to the product's [1, 2]"));
  EXPECT_EQ(with_weights("[1, 2]", weights + "[3] b = {1, 2, 3}", "Gemm (x, w, b)"), base::kNotRefused);
  EXPECT_THAT(with_weights("[1, 2]", weights + "[2] b = {1, 2}", "Gemm (x, w, b)"),
              HasSubstr("a bias of shape [2] does not broadcast to the product's [1, 3]"));
}

TEST(Infer, ABiasOfAConvolutionHasANumberForEveryChannel) {
  const std::string weights = "float[2, 3, 1] w = {1, 2, 3, 4, 5, 6}, float";
  EXPECT_EQ(with_weights("[1, 2, 4]", weights + "[3] b = {1, 2, 3}", "ConvTranspose (x, w, b)"), base::kNotRefused);
  EXPECT_THAT(with_weights("[1, 2, 4]", weights + "[2] b = {1, 2}", "ConvTranspose (x, w, b)"),
              HasSubstr("a bias of shape [2] does not fit 3 output channels"));
  EXPECT_EQ(with_weights("[1, 2, 4]", weights + "[6] b = {1, 2, 3, 4, 5, 6}", "ConvTranspose <group = 2> (x, w, b)"),
            base::kNotRefused);
  EXPECT_EQ(with_weights("[1, 3, 4]", weights + "[2] b = {1, 2}", "Conv (x, w, b)"), base::kNotRefused);
  EXPECT_THAT(with_weights("[1, 3, 4]", weights + "[3] b = {1, 2, 3}", "Conv (x, w, b)"),
              HasSubstr("a bias of shape [3] does not fit 2 output channels"));
}

TEST(Infer, AConvolutionHasAPlaceToMoveAlong) {
  EXPECT_THAT(with_weights("[1, 3]", "float[3, 1] w = {1, 2, 3}", "ConvTranspose (x, w)"),
              HasSubstr("its input has rank 2 and its weights have rank 2; both take batch, channels and the same "
                        "number of further dimensions"));
  EXPECT_EQ(with_weights("[1, 3, 1]", "float[3, 1, 1] w = {1, 2, 3}", "ConvTranspose (x, w)"), base::kNotRefused);
}

TEST(Infer, EveryOperandOfAListIsOfOneType) {
  EXPECT_THAT(with_weights("[1, 3]", "int64[1, 3] w = {1, 2, 3}", "Concat <axis = 0> (x, x, w)"),
              HasSubstr("its inputs have the element types FLOAT and INT64 where it takes one; cast them to it"));
}

TEST(Infer, MatricesOfAGemmWithABiasChainToo) {
  EXPECT_THAT(with_weights("[1, 3]", "float[2, 2] w = {1, 2, 3, 4}, float[2] b = {1, 2}", "Gemm (x, w, b)"),
              HasSubstr("its matrices of shape [1, 3] and [2, 2] do not chain: 3 columns meet 2 rows"));
}

TEST(Infer, OperandsOfTheNewestOperatorsOfTheLibraryAreOfOneType) {
  EXPECT_THAT(with_weights("[1, 3]", "int64[3] w = {1, 2, 3}", "LayerNormalization (x, w)"),
              HasSubstr("its inputs have the element types FLOAT and INT64 where it takes one; cast them to it"));
}

TEST(Infer, ADequantisedResultHasTheTypeOfItsScale) {
  const auto rounding = [](int type, const char* name, const char* zero) {
    const std::string text = fmt::format(
        "g (uint8[1, 2] x) => ({}[1, 2] y) <float s = {{0.5}}, uint8 z = {{1}}> "
        "{{ h = Cast <to = {}> (s) y = DequantizeLinear (x, h{}) }}",
        name, type, zero);
    const Graph graph = import_text(text, 19);
    return graph.tensors[graph.outputs.at(0)].rounding;
  };
  for (const char* zero : {"", ", z"}) {
    EXPECT_EQ(rounding(1, "float", zero), FloatFormat::float32) << zero;
    EXPECT_EQ(rounding(10, "float16", zero), FloatFormat::float16) << zero;
  }
}

TEST(Infer, ARefusalTellsWhatTheLibrarySays) {
  EXPECT_THAT(with_weights("[1, 3]", "float[2, 2] w = {1, 2, 3, 4}", "MatMul (x, w)"),
              HasSubstr("ncompatible dimensions"));
}

}  // namespace
}  // namespace tacit::graph::onnx
