#include "node_case.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "graph/onnx/import.h"

namespace tacit::conformance {
namespace {

/// Of expected values in float32, 1e-5 of the largest is what they hold, far below the 1e-3 that is asked. Those in
/// float16 were computed in it, operation by operation: two units in the last place of eleven digits.
constexpr double kSingle = 1e-5, kHalf = 0x1p-9;

}  // namespace

std::vector<NodeCase> read_cases(const std::filesystem::path& data, const Suite& suite) {
  const std::filesystem::path root = data / suite.folder;
  std::ifstream stream(root / "index.json");
  std::vector<NodeCase> cases;
  for (const auto& entry : nlohmann::json::parse(stream)) {
    NodeCase node_case;
    const std::string name = entry.at("case");
    node_case.name = std::string(suite.folder) + "/" + name;
    node_case.operators = entry.at("ops");
    const auto& inputs = entry.at("inputs");
    const bool half =
        std::any_of(inputs.begin(), inputs.end(), [](const auto& input) { return input.at(2) == "FLOAT16"; });
    node_case.precision = half ? kHalf : kSingle;
    const std::filesystem::path folder = root / name;
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
    if (got.data[i] == expected.data[i] || (std::isnan(got.data[i]) && std::isnan(expected.data[i]))) continue;
    const double difference = std::abs(got.data[i] - expected.data[i]);
    if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
    worst = std::max(worst, difference);
  }
  return worst / largest;
}

bool identical(const graph::Tensor& got, const graph::Tensor& expected) {
  if (got.shape != expected.shape || got.data.size() != expected.data.size() || got.integral != expected.integral ||
      got.texts.empty() != expected.texts.empty())
    return false;
  for (std::size_t i = 0; i < got.data.size(); ++i) {
    const auto text = [i](const graph::Tensor& tensor) {
      return tensor.texts.at(static_cast<std::size_t>(tensor.data[i]));
    };
    if (got.texts.empty() ? got.data[i] != expected.data[i] : text(got) != text(expected)) return false;
  }
  return true;
}

}  // namespace tacit::conformance
