#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "base/error.h"
#include "data_folder.h"
#include "graph/compile.h"
#include "graph/onnx/import.h"
#include "node_case.h"
#include "operator_table.h"
#include "program/clear.h"

namespace tacit::conformance {
namespace {

constexpr double kSmooth = 1e-3, kKinked = 2e-2;

double tolerance(const NodeCase& node_case) {
  static const std::set<std::string> kinked{"Abs", "Clip", "Elu",   "HardSigmoid", "HardSwish", "LeakyRelu",
                                            "Max", "Min",  "PRelu", "Relu",        "Softsign",  "ThresholdedRelu"};
  return std::any_of(node_case.operators.begin(), node_case.operators.end(),
                     [](const std::string& op) { return kinked.contains(op); })
             ? kKinked
             : kSmooth;
}

/// Runs a case through the importer, the compiler and the clear reading; returns the worst relative error.
/// Element-wise and joining operators get all their real inputs encrypted, the others the first.
double run_clear(const NodeCase& node_case, bool all_private, bool client_post_processing) {
  graph::onnx::Bindings bindings;
  std::vector<graph::Tensor> inputs;
  for (std::size_t i = 0; i < node_case.inputs.size(); ++i) {
    if (i == 0 || (all_private && !node_case.inputs[i].integral))
      inputs.push_back(node_case.inputs[i]);
    else
      bindings[node_case.input_names[i]] = node_case.inputs[i];
  }
  const graph::Graph graph = graph::onnx::import_model(node_case.model, bindings);
  graph::CompileOptions options;
  options.calibration = {inputs};
  options.client_post_processing = client_post_processing;
  const graph::CompiledModel model = graph::compile(graph, options);
  program::ClearEvaluator evaluator(model.program);
  std::vector<std::vector<double>> values;
  for (const graph::Tensor& input : inputs) values.push_back(input.data);
  const std::vector<std::vector<double>> results = program::run_clear(model.program, evaluator, std::move(values));
  EXPECT_EQ(model.client.outputs.size(), node_case.outputs.size());
  double worst = 0;
  for (std::size_t i = 0; i < std::min(model.client.outputs.size(), node_case.outputs.size()); ++i) {
    const program::ClientOutput& output = model.client.outputs[i];
    const graph::Tensor got{output.final_shape, post_process(output, results.at(output.program_output)), false};
    worst = std::max(worst, relative_error(got, node_case.outputs[i]));
  }
  return worst;
}

/// How a case ended: with which error, run where, or refused with which sentence.
Outcome outcome_of(const NodeCase& node_case) {
  std::string refusal;
  for (const auto& [all_private, on_client] : {std::pair{true, false}, {false, false}, {true, true}, {false, true}}) {
    try {
      const double error = run_clear(node_case, all_private, on_client);
      return {true, on_client, all_private && node_case.inputs.size() > 1, error, ""};
    } catch (const base::InputError& error) {
      refusal = error.what();
    }
  }
  return {false, false, false, 0, refusal};
}

TEST(ClearConformance, EveryNodeCaseMatchesOrIsRefusedAndTheTableOfOperatorsIsTrue) {
  const auto data = data_folder();
  if (!data) GTEST_SKIP() << "TACIT_DATA is not set: " << kCaseCount << " ONNX node cases are not compiled";
  std::size_t matched = 0, refused = 0;
  OperatorTable table;
  for (const NodeCase& node_case : read_cases(*data)) {
    SCOPED_TRACE(node_case.name);
    const Outcome outcome = outcome_of(node_case);
    table.add(node_case, outcome);
    if (outcome.matched) {
      ++matched;
      EXPECT_LE(outcome.error, tolerance(node_case));
    } else {
      ++refused;
      const bool empty = outcome.refusal.find("has extent 0") != std::string::npos;  // no operator is to blame
      EXPECT_TRUE(empty ||
                  std::any_of(node_case.operators.begin(), node_case.operators.end(),
                              [&](const std::string& op) { return outcome.refusal.find(op) != std::string::npos; }))
          << "the refusal does not name the operator: " << outcome.refusal;
    }
  }
  EXPECT_EQ(matched, 165U);
  EXPECT_EQ(refused, 38U);
  const std::string text = table.to_markdown();
  std::ofstream(std::string(TACIT_BINARY_DIR) + "/operators.md") << text;
  std::ifstream committed(std::string(TACIT_SOURCE_DIR) + "/docs/operators.md");
  std::stringstream buffer;
  buffer << committed.rdbuf();
  EXPECT_EQ(buffer.str(), text) << "docs/operators.md is out of date: copy operators.md from the build folder";
}

}  // namespace
}  // namespace tacit::conformance
