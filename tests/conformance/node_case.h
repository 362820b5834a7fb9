#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace tacit::conformance {

/// One case of the ONNX project's node tests: a model of one or a few operators, inputs, and what must come out.
struct NodeCase {
  std::string name;  ///< "node/test_abs"
  std::vector<std::string> operators;
  std::filesystem::path model;
  std::vector<std::string> input_names;
  std::vector<graph::Tensor> inputs;  ///< in the model's order
  std::vector<graph::Tensor> outputs;
};

/// The number of cases that the data holds; what a test that finds no data says it skipped.
inline constexpr std::size_t kCaseCount = 203;

/// Reads index.json and every case that it lists.
std::vector<NodeCase> read_cases(const std::filesystem::path& data);

/// Largest |got - expected| over the largest |expected| (over 1e-6 where all are smaller); infinite where the shapes
/// differ or a value is NaN. Equal infinities agree.
double relative_error(const graph::Tensor& got, const graph::Tensor& expected);

}  // namespace tacit::conformance
