#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "base/error.h"
#include "data_folder.h"
#include "graph/onnx/import.h"
#include "graph/reference/run.h"
#include "node_case.h"

namespace tacit::conformance {
namespace {

/// Cases that are refused, and what the refusal must say. Everything else must match.
const std::map<std::string, std::string>& refused_cases() {
  static const std::map<std::string, std::string> cases{
      {"node/test_batchnorm_epsilon_training_mode", "(BatchNormalization): training mode is not supported"},
      {"node/test_reshape_allowzero_reordered", "has extent 0"},
  };
  return cases;
}

enum class Private { kFirst, kAllReal };

/// Runs a case with its first input private, or all its real-valued ones; the rest are constants of the model.
double worst_error(const NodeCase& node_case, Private which) {
  graph::onnx::Bindings bindings;
  std::vector<graph::Tensor> inputs;
  for (std::size_t i = 0; i < node_case.inputs.size(); ++i) {
    const bool open = i == 0 || (which == Private::kAllReal && !node_case.inputs[i].integral);
    if (open) {
      inputs.push_back(node_case.inputs[i]);
    } else {
      bindings[node_case.input_names[i]] = node_case.inputs[i];
    }
  }
  const graph::Graph graph = graph::onnx::import_model(node_case.model, bindings);
  const std::vector<graph::Tensor> outputs = graph::reference::run(graph, inputs);
  EXPECT_EQ(outputs.size(), node_case.outputs.size());
  double worst = 0;
  for (std::size_t i = 0; i < std::min(outputs.size(), node_case.outputs.size()); ++i)
    worst = std::max(worst, relative_error(outputs[i], node_case.outputs[i]));
  return worst;
}

/// Expected values are float32: 1e-5 of the largest is what they hold, far below the 1e-3 that is asked.
constexpr double kTolerance = 1e-5;

TEST(ReferenceConformance, EveryNodeCaseMatchesOrIsRefusedByName) {
  const auto data = data_folder();
  if (!data) GTEST_SKIP() << "TACIT_DATA is not set: " << kCaseCount << " ONNX node cases are not run";
  std::size_t matched = 0, refused = 0;
  double worst = 0;
  for (const NodeCase& node_case : read_cases(*data)) {
    SCOPED_TRACE(node_case.name);
    const auto refusal = refused_cases().find(node_case.name);
    try {
      for (const Private which : {Private::kFirst, Private::kAllReal}) {
        const double error = worst_error(node_case, which);
        EXPECT_LE(error, kTolerance);
        worst = std::max(worst, error);
      }
      EXPECT_EQ(refusal, refused_cases().end()) << "is no longer refused";
      ++matched;
    } catch (const base::InputError& error) {
      ++refused;
      if (refusal == refused_cases().end()) {
        ADD_FAILURE() << error.what();
      } else {
        EXPECT_NE(std::string(error.what()).find(refusal->second), std::string::npos) << error.what();
      }
    }
  }
  EXPECT_EQ(matched, 201U);
  EXPECT_EQ(refused, 2U);
  RecordProperty("worst_relative_error", std::to_string(worst));
}

}  // namespace
}  // namespace tacit::conformance
