#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "graph/onnx/run_model_for_test.h"

namespace tacit::graph::onnx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// What ONNX Runtime makes of these models.
TEST(QuantisedModels, GiveWhatOnnxRuntimeGives) {
  expect_forms({
      // Ties to even, and ends of the type.
      {"m (float[1,6] x) => (uint8[1,6] y) <float s = {0.5}, uint8 z = {128}> { y = QuantizeLinear(x, s, z) }",
       17,
       {{1, 6}, {-100, -0.25, 0.25, 0.75, 1.26, 100}, false},
       {{0, 128, 128, 130, 131, 255}}},
      {"m (float[1,2,3] x) => (int8[1,2,3] y) <float[2] s = {0.5, 2}, int8[2] z = {0, -3}> "
       "{ y = QuantizeLinear<axis = 1>(x, s, z) }",
       17,
       {{1, 2, 3}, {-1000, 0.75, 1.25, -300, 4.9, 5.1}, false},
       {{-128, 2, 2, -128, -1, 0}}},
      {"m (float[1,4] x) => (float[1,4] y) <float s = {0.1}, uint8 z = {3}> "
       "{ q = QuantizeLinear(x, s, z) y = DequantizeLinear(q, s, z) }",
       17,
       {{1, 4}, {-0.31, 0.04, 0.26, 90}, false},
       {{-0.30000001192092896, 0, 0.30000001192092896, 25.200000762939453}}},
      {"m (uint8[1,2,2] x) => (float[1,2,2] y) <float[2] s = {0.5, 0.25}, uint8[2] z = {10, 20}> "
       "{ y = DequantizeLinear<axis = -1>(x, s, z) }",
       17,
       {{1, 2, 2}, {10, 20, 12, 30}, true},
       {{0, 0, 1, 2.5}}},
      {"m (uint8[2,3] x) => (int32[2,2] y) <int8[3,2] w = {1, -2, 3, 4, -5, 6}, uint8 zx = {7}, int8[2] zw = {1, -1}> "
       "{ y = MatMulInteger(x, w, zx, zw) }",
       17,
       {{2, 3}, {1, 2, 3, 200, 100, 7}, true},
       {{14, -47, 186, 272}}},
      {"m (uint8[1,1,3,3] x) => (int32[1,2,2,2] y) <int8[2,1,2,2] w = {1, 2, 3, 4, -1, -2, -3, -4}, uint8 zx = {5}> "
       "{ y = ConvInteger(x, w, zx) }",
       17,
       {{1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}, true},
       {{-13, -3, 17, 27, 13, 3, -17, -27}}},
      {"m (uint8[1,3] x) => (uint8[1,2] y) <float sx = {0.1}, uint8 zx = {7}, int8[3,2] w = {1, -2, 3, 4, -5, 6}, "
       "float sw = {0.2}, int8 zw = {0}, float sy = {0.5}, uint8 zy = {100}> "
       "{ y = QLinearMatMul(x, sx, zx, w, sw, zw, sy, zy) }",
       17,
       {{1, 3}, {1, 240, 30}, true},
       {{123, 143}}},
      {"m (uint8[1,1,3,3] x) => (uint8[1,2,3,3] y) <float sx = {0.1}, uint8 zx = {5}, "
       "int8[2,1,2,2] w = {1, 2, 3, 4, -1, -2, -3, -4}, float[2] sw = {0.5, 0.3}, int8[2] zw = {0, 0}, "
       "float sy = {0.05}, uint8 zy = {100}, int32[2] b = {10, -20}> "
       "{ y = QLinearConv<pads = [1, 0, 0, 1]>(x, sx, zx, w, sw, zw, sy, zy, b) }",
       17,
       {{1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}, true},
       {{86, 93, 104, 97, 107, 111, 127, 137, 123, 102, 98, 92, 96, 90, 87, 78, 72, 80}}},
  });
}

TEST(QuantisedModels, NewerAttributesSayTheTypes) {
  // Four bits, without a zero point.
  expect_forms({
      {"m (float[1,4] x) => (float[1,4] y) <float s = {0.5}> "
       "{ q = QuantizeLinear<output_dtype = 22>(x, s) y = Cast<to = 1>(q) }",
       21,
       {{1, 4}, {-9, -1.3, 0.6, 9}, false},
       {{-8, -3, 1, 7}}},
      {"m (float[1,2] x) => (double[1,2] y) <float s = {0.5}, uint8 z = {1}> "
       "{ q = QuantizeLinear<saturate = 0>(x, s, z) y = DequantizeLinear<output_dtype = 11>(q, s, z) }",
       24,
       {{1, 2}, {-9, 0.6}, false},
       {{-0.5, 0.5}}},
  });
}

TEST(QuantisedModels, WeightsAreUnpackedAtImport) {
  const Graph graph = import_text(
      "m (float[1,2] x) => (float[1,2] y) <int8[2,2] q = {1, 2, 3, 4}, float[2] s = {0.5, 2}> "
      "{ w = DequantizeLinear<axis = 1>(q, s) y = MatMul(x, w) }",
      17);
  EXPECT_THAT(operators_of(graph), ElementsAre("MatMul"));
  EXPECT_THAT(graph.constant(graph.nodes[0].inputs[1]).data, ElementsAre(0.5, 4, 1.5, 8));
}

TEST(QuantisedModels, WhatTheyCannotBeIsSaid) {
  EXPECT_THAT(import_text_refusal("m (float[1,4] x) => (uint8[1,4] y, float s, uint8 z) "
                                  "{ y, s, z = DynamicQuantizeLinear(x) }",
                                  17),
              HasSubstr("its scale would depend on private data; quantise the model statically"));
  EXPECT_THAT(import_text_refusal("m (float[1,4] x) => (uint8[1,4] y) <float[1,2] s = {1, 2}> "
                                  "{ y = QuantizeLinear<block_size = 2>(x, s) }",
                                  21),
              HasSubstr("scales of blocks (block_size) are not supported"));
  EXPECT_THAT(import_text_refusal("m (float[1,4] x) => (float[1,4] y) <float s = {1}> "
                                  "{ y = QuantizeLinear<output_dtype = 1>(x, s) }",
                                  21),
              HasSubstr("it quantises to FLOAT; integers are supported"));
  EXPECT_THAT(import_text_refusal("m (float[1,2] x) => (float[1,2] y) <int8[2,3] q = {1, 2, 3, 4, 5, 6}, "
                                  "float[2] s = {1, 2}> { w = DequantizeLinear<axis = 1>(q, s) y = MatMul(x, w) }",
                                  17),
              HasSubstr("its scale holds 2 numbers, which do not fit axis 1 of shape [2, 3]"));
}

}  // namespace
}  // namespace tacit::graph::onnx
