#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tacit::test {

/// What a small ONNX file is made of: a chain of operators on one input.
struct ModelText {
  std::vector<std::int64_t> input_shape{1, 4};  ///< -1 = a symbolic dimension
  std::vector<std::string> operators;           ///< "Gemm" (4 to 4), "Mul" (by itself), "Gemm1" (4 to 1), or any name
  int opset = 13;
  std::string mark{};  ///< behind the name of every node and every tensor between nodes
};

/// The bytes of the model. Weights are fixed: "Gemm" multiplies by a matrix with 1 on and 0.25 beside its diagonal and
/// adds 0.1; "Gemm1" adds the four values up.
std::string model_bytes(const ModelText& text);

/// A Gemm from `width` to width / 2 values, a square and a Gemm to 4. Weights are fixed; values of size 1 stay near it.
std::string wide_model_bytes(std::int64_t width);

/// A network of two decision trees on four features: of x0 <= 0.25, x2 < -0.5 and x1 > 0.1. Its score is 1, 2 or -3.5
/// of the first tree and 0.5 or 0.25 of the second.
std::string tree_model_bytes();

}  // namespace tacit::test
