#include "node_case.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "graph/onnx/import.h"

namespace tacit::conformance {

std::vector<NodeCase> read_cases(const std::filesystem::path& data) {
  const std::filesystem::path root = data / "onnx_node";
  std::ifstream stream(root / "index.json");
  std::vector<NodeCase> cases;
  for (const auto& entry : nlohmann::json::parse(stream)) {
    NodeCase node_case;
    node_case.name = entry.at("case");
    node_case.operators = entry.at("ops");
    const std::filesystem::path folder = root / node_case.name;
    node_case.model = folder / "model.onnx";
    for (const auto& input : entry.at("inputs")) {
      const std::string file = "input_" + std::to_string(node_case.inputs.size()) + ".pb";
      const std::filesystem::path path = folder / "test_data_set_0" / file;
      if (!std::filesystem::exists(path)) break;  // the inputs that follow have values inside the model
      node_case.input_names.push_back(input.at(0));
      node_case.inputs.push_back(graph::onnx::read_tensor(path));
    }
    for (std::size_t i = 0; i < entry.at("outputs").size(); ++i) {
      const std::string file = "output_" + std::to_string(i) + ".pb";
      node_case.outputs.push_back(graph::onnx::read_tensor(folder / "test_data_set_0" / file));
    }
    cases.push_back(std::move(node_case));
  }
  return cases;
}

double relative_error(const graph::Tensor& got, const graph::Tensor& expected) {
  if (got.shape != expected.shape || got.data.size() != expected.data.size())
    return std::numeric_limits<double>::infinity();
  double largest = 1e-6, worst = 0;
  for (std::size_t i = 0; i < got.data.size(); ++i) {
    if (std::isfinite(expected.data[i])) largest = std::max(largest, std::abs(expected.data[i]));
    if (got.data[i] == expected.data[i]) continue;
    const double difference = std::abs(got.data[i] - expected.data[i]);
    if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
    worst = std::max(worst, difference);
  }
  return worst / largest;
}

}  // namespace tacit::conformance
