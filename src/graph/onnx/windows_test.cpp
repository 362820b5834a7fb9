#include <gtest/gtest.h>

#include "graph/onnx/run_model_for_test.h"

namespace tacit::graph::onnx {
namespace {

/// Windows of which the onnx library of Debian 12 infers another shape than the standard states, with the results of
/// ONNX Runtime, which does not take the first.
TEST(Windows, HaveTheShapesOfTheStandard) {
  const Tensor line{{1, 1, 4}, {1, 2, 3, 4}};
  expect_forms({
      {"g (float[1, 1, 4] x) => (float[1, 1, M] y) { y = AveragePool <kernel_shape = [1], strides = [2], ceil_mode = "
       "1, "
       "auto_pad = \"SAME_UPPER\"> (x) }",
       17,
       line,
       {{1, 3}}},
      {"g (float[1, 1, 4] x) => (float[1, 1, M] y) { y = MaxPool <kernel_shape = [2], strides = [3], ceil_mode = 1> "
       "(x) }",
       17,
       Tensor{{1, 1, 4}, {4, 1, 2, 3}},
       {{4, 3}}},
      {"g (float[1, 1, 3] x) => (float[1, 1, M] y) { y = MaxPool <kernel_shape = [2], strides = [3], ceil_mode = 1> "
       "(x) }",
       17,
       Tensor{{1, 1, 3}, {1, 2, 3}},
       {{2}}},
      {"g (float[1, 1, 2] x) => (float[1, 1, M] y) <float[1, 1, 1] w = {2}> "
       "{ y = ConvTranspose <strides = [3], auto_pad = \"SAME_UPPER\"> (x, w) }",
       17,
       Tensor{{1, 1, 2}, {1, 2}},
       {{2, 0, 0, 4}}},
      {"g (float[1, 1, 3] x) => (float[1, 1, M] y) <float[1, 1, 1] w = {2}> "
       "{ y = ConvTranspose <output_shape = [2]> (x, w) }",
       17,
       Tensor{{1, 1, 3}, {1, 2, 3}},
       {{4, 6}}},
  });
}

TEST(Windows, GiveThePlacesOfMaximaToo) {
  const auto both = run_text(
      "g (float[1, 1, 4] x) => (float[1, 1, M] y, int64[1, 1, M] i) "
      "{ y, i = MaxPool <kernel_shape = [2], strides = [2]> (x) }",
      17, Tensor{{1, 1, 4}, {1, 2, 4, 3}});
  EXPECT_THAT(both.at(0).data, testing::ElementsAre(2, 4));
  EXPECT_THAT(both.at(1).data, testing::ElementsAre(1, 2));
}

}  // namespace
}  // namespace tacit::graph::onnx
