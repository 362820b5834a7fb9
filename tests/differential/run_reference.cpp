#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "base/error.h"
#include "graph/onnx/import.h"
#include "graph/reference/run.h"

using tacit::graph::Graph;
using tacit::graph::Tensor;

namespace {

std::string words(const Tensor& tensor) {
  if (tensor.texts.empty()) return fmt::format("{}", fmt::join(tensor.data, " "));
  std::vector<std::string> texts;
  for (const double element : tensor.data) texts.push_back(tensor.texts.at(static_cast<std::size_t>(element)));
  return fmt::format("{}", fmt::join(texts, " "));
}

/// model.onnx of a folder on its input_0.pb, input_1.pb, ...
void answer(const std::filesystem::path& folder) {
  const Graph graph = tacit::graph::onnx::import_model(folder / "model.onnx");
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < graph.inputs.size(); ++i)
    inputs.push_back(tacit::graph::onnx::read_tensor(folder / fmt::format("input_{}.pb", i)));
  const std::vector<Tensor> outputs = tacit::graph::reference::run(graph, inputs);
  fmt::print("outputs {}\n", outputs.size());
  for (const Tensor& output : outputs)
    fmt::print("{} [{}] {}\n",
               !output.texts.empty() ? "text"
               : output.integral     ? "integer"
                                     : "real",
               fmt::join(output.shape, ","), words(output));
}

}  // namespace

/// For every line of the input, the name of a folder: "outputs N" and a line an output, or "refused WHY", or
/// "failed WHY" where the fault is ours.
int main() {
  for (std::string folder; std::getline(std::cin, folder);) {
    try {
      answer(folder);
    } catch (const tacit::base::InputError& error) {
      fmt::print("refused {}\n", error.what());
    } catch (const std::exception& error) {
      fmt::print("failed {}\n", error.what());
    }
    std::fflush(stdout);
  }
  return 0;
}
