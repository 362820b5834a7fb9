#include "compiled_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "graph/onnx/import.h"

namespace tacit::conformance {
namespace {
constexpr double kSmooth = 1e-3, kKinked = 2e-2;
}

CompiledCase compile_case(const NodeCase& node_case, const CaseReading& reading,
                          std::optional<params::CkksLiteral> parameters) {
  graph::onnx::Bindings bindings;
  std::vector<graph::Tensor> inputs;
  for (std::size_t i = 0; i < node_case.inputs.size(); ++i) {
    if (i == 0 || (reading.all_private && !node_case.inputs[i].integral))
      inputs.push_back(node_case.inputs[i]);
    else
      bindings[node_case.input_names[i]] = node_case.inputs[i];
  }
  graph::Graph graph = graph::onnx::import_model(node_case.model, bindings);
  graph::CompileOptions options;
  options.parameters = std::move(parameters);
  options.calibration = {inputs};
  options.client_post_processing = reading.client_post_processing;
  graph::CompiledModel model = graph::compile(graph, options);
  CompiledCase compiled{std::move(graph), std::move(model), {}};
  for (const graph::Tensor& input : inputs) compiled.inputs.push_back(input.data);
  return compiled;
}

double worst_error(const CompiledCase& compiled, const NodeCase& node_case,
                   const std::vector<std::vector<double>>& program_outputs) {
  const auto& outputs = compiled.model.client.outputs;
  EXPECT_EQ(outputs.size(), node_case.outputs.size());
  double worst = 0;
  for (std::size_t i = 0; i < std::min(outputs.size(), node_case.outputs.size()); ++i) {
    const graph::Tensor got{outputs[i].final_shape,
                            post_process(outputs[i], program_outputs.at(outputs[i].program_output)), false};
    worst = std::max(worst, relative_error(got, node_case.outputs[i]));
  }
  return worst;
}

double tolerance(const NodeCase& node_case) {
  static const std::set<std::string> kinked{"Abs", "Clip", "Elu",   "HardSigmoid", "HardSwish", "LeakyRelu",
                                            "Max", "Min",  "PRelu", "Relu",        "Softsign",  "ThresholdedRelu"};
  return std::any_of(node_case.operators.begin(), node_case.operators.end(),
                     [](const std::string& op) { return kinked.contains(op); })
             ? kKinked
             : kSmooth;
}

}  // namespace tacit::conformance
