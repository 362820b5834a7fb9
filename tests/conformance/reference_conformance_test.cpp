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
      {"onnx_node/node/test_batchnorm_epsilon_training_mode", "(BatchNormalization): training mode is not supported"},
      {"onnx_node/node/test_reshape_allowzero_reordered", "has extent 0"},
  };
  return cases;
}

enum class Private { kFirst, kAllReal };

/// Runs a case with its first input private, or all its real-valued ones; the rest are constants of the model.
std::vector<graph::Tensor> run_case(const NodeCase& node_case, Private which) {
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
  return graph::reference::run(graph, inputs);
}

/// Integers, truth values and texts must be the expected ones; reals, within what their format holds.
double checked_error(const NodeCase& node_case, const std::vector<graph::Tensor>& outputs) {
  EXPECT_EQ(outputs.size(), node_case.outputs.size());
  double worst = 0;
  for (std::size_t i = 0; i < std::min(outputs.size(), node_case.outputs.size()); ++i) {
    const graph::Tensor& expected = node_case.outputs[i];
    if (expected.integral || !expected.texts.empty()) {
      EXPECT_TRUE(identical(outputs[i], expected)) << "output " << i;
    } else {
      EXPECT_FALSE(outputs[i].integral) << "output " << i;
      const double error = relative_error(outputs[i], expected);
      EXPECT_LE(error, node_case.precision) << "output " << i;
      worst = std::max(worst, error);
    }
  }
  return worst;
}

void expect_conformance(const Suite& suite, std::size_t expected_matches) {
  const auto data = data_folder();
  if (!data) GTEST_SKIP() << "TACIT_DATA is not set: " << suite.cases << " ONNX node cases are not run";
  std::size_t matched = 0, refused = 0;
  double worst = 0;
  for (const NodeCase& node_case : read_cases(*data, suite)) {
    SCOPED_TRACE(node_case.name);
    const auto refusal = refused_cases().find(node_case.name);
    try {
      for (const Private which : {Private::kFirst, Private::kAllReal})
        worst = std::max(worst, checked_error(node_case, run_case(node_case, which)));
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
  EXPECT_EQ(matched, expected_matches);
  EXPECT_EQ(matched + refused, suite.cases);
  ::testing::Test::RecordProperty("worst_relative_error", std::to_string(worst));
}

TEST(ReferenceConformance, EveryCaseUpToOpset17MatchesOrIsRefusedByName) { expect_conformance(kSuites[0], 201); }
TEST(ReferenceConformance, EveryCaseOfOpsets18To28MatchesOrIsRefusedByName) { expect_conformance(kSuites[1], 150); }

}  // namespace
}  // namespace tacit::conformance
