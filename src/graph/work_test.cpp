#include "graph/work.h"

#include <gtest/gtest.h>

#include "graph/passes/sketch.h"

namespace tacit::graph {
namespace {

using Attributes = std::map<std::string, Attribute>;

/// An empty shape stands for an input that is absent.
double work(const std::string& op, const std::vector<Shape>& inputs, const std::vector<Shape>& outputs,
            Attributes attributes = {}) {
  std::vector<const Shape*> given;
  for (const Shape& input : inputs) given.push_back(input.empty() ? nullptr : &input);
  return work_of({op, "n", {}, {}, std::move(attributes)}, given, outputs);
}

// What is read and written counts for every operator.
TEST(Work, OfElementsIsThatOfMovingThem) {
  EXPECT_EQ(work("Relu", {{2, 3}}, {{2, 3}}), 6 + 6);
  EXPECT_EQ(work("Concat", {{2, 3}, {2, 1}}, {{2, 4}}), 6 + 2 + 8);
  EXPECT_EQ(work("GlobalAveragePool", {{1, 2, 4, 4}}, {{1, 2, 1, 1}}), 32 + 2);
  EXPECT_EQ(work("Relu", {{}}, {{2, 3}}), 6);
  EXPECT_EQ(work("Shape", {{1000, 1000}}, {{2}}), 1);
  EXPECT_EQ(work("Size", {{1000, 1000}}, {{1}}), 1);
}

TEST(Work, OfConvolutionsIsThatOfTheirTaps) {
  constexpr double kMoved = 50 + 72 + 36;
  EXPECT_EQ(work("Conv", {{1, 2, 5, 5}, {4, 2, 3, 3}}, {{1, 4, 3, 3}}), kMoved + 36 * 18);
  EXPECT_EQ(work("ConvInteger", {{1, 2, 5, 5}, {4, 2, 3, 3}}, {{1, 4, 3, 3}}), kMoved + 36 * 18);
  EXPECT_EQ(work("QLinearConv", {{1, 2, 5, 5}, {}, {}, {4, 2, 3, 3}}, {{1, 4, 3, 3}}), kMoved + 36 * 18);
  EXPECT_EQ(work("ConvTranspose", {{1, 2, 3, 3}, {2, 4, 2, 2}}, {{1, 4, 4, 4}}), 18 + 32 + 64 + 18 * 16);
}

TEST(Work, OfProductsIsThatOfTheirSums) {
  constexpr double kMoved = 6 + 12 + 8;
  for (const char* op : {"MatMul", "MatMulInteger", "QLinearMatMul", "Gemm"})
    EXPECT_EQ(work(op, {{2, 3}, {3, 4}}, {{2, 4}}), kMoved + 8 * 3) << op;
  EXPECT_EQ(work("Gemm", {{3, 2}, {3, 4}}, {{2, 4}}, {{"transA", std::int64_t{1}}}), kMoved + 8 * 3);
  EXPECT_EQ(work("Einsum", {{2, 3}, {3, 4}}, {{2, 4}}, {{"equation", std::string("ij,jk->ik")}}), kMoved + 2 * 3 * 4);
  EXPECT_EQ(work("Einsum", {{5, 2, 3}, {3, 4}}, {{5, 2, 4}}, {{"equation", std::string("...ij,jk->...ik")}}),
            30 + 12 + 40 + 5 * 2 * 3 * 4);
  EXPECT_EQ(work("Einsum", {{2, 3, 5}, {3, 4}}, {{2, 4, 5}}, {{"equation", std::string("ij...,jk->ik...")}}),
            30 + 12 + 40 + 5 * 2 * 3 * 4);
}

TEST(Work, OfWindowsIsKnownBeforeTheirResults) {
  const Attributes square{{"kernel_shape", std::vector<std::int64_t>{2, 2}}};
  for (const char* op : {"AveragePool", "MaxPool", "LpPool"}) {
    // Nine windows of four numbers in each of two channels.
    EXPECT_EQ(work(op, {{1, 2, 4, 4}}, {{1, 2, 3, 3}}, square), 32 + 18 + 2 * 9 * 4) << op;
    EXPECT_EQ(work(op, {{1, 2, 4, 4}}, {}, square), 32 + 2 * 9 * 4) << op;
  }
}

TEST(Work, OfResizingSortingAndSupportVectors) {
  EXPECT_EQ(work("Resize", {{1, 1, 2, 2}}, {{1, 1, 4, 1}}), 4 + 4 + 4 * 4 * 2) << "four taps of the larger extents";
  EXPECT_EQ(work("TopK", {{10}, {1}}, {{3}, {3}}), 11 + 6 + 32 * 11);
  const std::vector<double> two(2, 1.0), six(6, 1.0);
  EXPECT_EQ(work("ai.onnx.ml.SVMRegressor", {{2, 3}}, {{2, 1}}, {{"support_vectors", six}, {"coefficients", two}}),
            6 + 2 + 2 * (6 + 64 * 2));
  EXPECT_EQ(work("ai.onnx.ml.SVMRegressor", {{3}}, {{1, 1}}, {{"support_vectors", six}, {"coefficients", two}}),
            3 + 1 + (6 + 64 * 2));
  EXPECT_EQ(work("ai.onnx.ml.LinearRegressor", {{2, 3}}, {{2, 2}}, {{"coefficients", six}}), 6 + 4 + 2 * 64 * 6);
}

TEST(Work, OfAGraphIsThatOfItsNodes) {
  passes::Sketch s;
  const TensorId x = s.input({2, 3});
  const TensorId product = s.node("MatMul", {x, s.constant({3, 4}, std::vector<double>(12, 1))}, {2, 4});
  s.output(s.node("Relu", {product, kNoTensor}, {2, 4}));
  EXPECT_EQ(work_of(s.graph), 6 + 12 + 8 + 8 * 3 + 8 + 8);
}

}  // namespace
}  // namespace tacit::graph
