#include "compiled_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <span>
#include <string>

#include "base/error.h"
#include "graph/client_parts.h"
#include "graph/onnx/import.h"

namespace tacit::conformance {
namespace {
// A window takes several maxima, one behind the other, and each is a series for a kink.
constexpr double kSmooth = 1e-3, kKinked = 2e-2, kPooled = 4e-2;
}  // namespace

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
  options.client_before = reading.client_before;
  options.client_after = reading.client_after;
  graph::CompiledModel model = graph::compile(graph, options);
  CompiledCase compiled{std::move(graph), std::move(model), {}, {}};
  for (graph::Tensor& tensor : run_before(compiled.model.parts, inputs))
    compiled.inputs.push_back(std::move(tensor.data));
  compiled.kept = kept_tensors(compiled.model.parts, std::span<const graph::Tensor>(inputs));
  return compiled;
}

MostEncrypted compile_most_encrypted(const NodeCase& node_case, const std::optional<params::CkksLiteral>& parameters) {
  MostEncrypted result;
  for (const CaseReading& reading : kReadings) {
    try {
      result.compiled = compile_case(node_case, reading, parameters);
      result.reading = reading;
      return result;
    } catch (const base::InputError& error) {
      result.refusal = error.what();
    }
  }
  return result;
}

double worst_error(const CompiledCase& compiled, const NodeCase& node_case,
                   const std::vector<std::vector<double>>& decrypted) {
  std::vector<graph::Tensor> outputs;
  try {
    outputs = run_after(compiled.model.parts, decrypted, compiled.kept);
  } catch (const base::InputError& error) {  // a line of zeros has no direction that noise does not make
    EXPECT_NE(std::string(error.what()).find("it cannot be told from 0"), std::string::npos) << error.what();
    return 0;
  }
  EXPECT_EQ(outputs.size(), node_case.outputs.size());
  double worst = 0;
  for (std::size_t i = 0; i < std::min(outputs.size(), node_case.outputs.size()); ++i) {
    const bool exact = outputs[i].integral || !outputs[i].texts.empty();
    EXPECT_TRUE(!exact || identical(outputs[i], node_case.outputs[i])) << "output " << i;
    worst = std::max(worst, relative_error(outputs[i], node_case.outputs[i]));
  }
  return worst;
}

double tolerance(const NodeCase& node_case) {
  static const std::set<std::string> kinked{"Abs", "Clip",  "Elu",  "HardSigmoid", "HardSwish", "LeakyRelu",      "Max",
                                            "Min", "PRelu", "Relu", "Selu",        "Softsign",  "ThresholdedRelu"};
  static const std::set<std::string> pooled{"GlobalMaxPool", "MaxPool", "ReduceMax", "ReduceMin"};
  const auto has_one_of = [&](const std::set<std::string>& operators) {
    return std::ranges::any_of(node_case.operators, [&](const std::string& op) { return operators.contains(op); });
  };
  return has_one_of(pooled) ? kPooled : has_one_of(kinked) ? kKinked : kSmooth;
}

}  // namespace tacit::conformance
