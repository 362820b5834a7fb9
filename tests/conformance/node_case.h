#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace tacit::conformance {

/// One case of the ONNX project's node tests: a model of one or a few operators, inputs, and what must come out.
struct NodeCase {
  std::string name;  ///< "onnx_node/node/test_abs"
  std::vector<std::string> operators;
  std::filesystem::path model;
  std::vector<std::string> input_names;
  std::vector<graph::Tensor> inputs;  ///< in the model's order
  std::vector<graph::Tensor> outputs;
  /// Error of reals that their format explains, relative to the largest: of float32, or of float16.
  double precision = 0;
};

/// A folder of the data with cases: of opsets up to 17 and of 18 to 28.
struct Suite {
  std::string_view folder;
  std::size_t cases;  ///< that it holds; what a test that finds no data says it skipped
};
inline constexpr std::array<Suite, 2> kSuites{{{"onnx_node", 203}, {"onnx_node_18", 192}}};

/// Reads index.json of a suite and every case that it lists.
std::vector<NodeCase> read_cases(const std::filesystem::path& data, const Suite& suite);

/// Largest |got - expected| over the largest |expected| (over 1e-6 where all are smaller); infinite where the shapes
/// differ or a value is NaN and the other is not. Equal infinities agree.
double relative_error(const graph::Tensor& got, const graph::Tensor& expected);

/// True if two tensors are alike to the last bit, integers and texts alike; texts are compared as texts.
bool identical(const graph::Tensor& got, const graph::Tensor& expected);

}  // namespace tacit::conformance
