#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "base/error.h"
#include "data_folder.h"
#include "graph/onnx/import.h"
#include "graph/reference/run.h"
#include "node_case.h"

namespace tacit::conformance {
namespace {

/// Cases that are refused, by the beginning of their names, and what the refusal must say. Everything else must match.
struct Refused {
  std::string_view cases, sentence;
};
constexpr Refused kRefused[] = {
    {"onnx_node/node/test_batchnorm_epsilon_training_mode", "(BatchNormalization): training mode is not supported"},
    {"onnx_node/node/test_reshape_allowzero_reordered", "has extent 0: there is nothing to encrypt"},
    {"onnx_node_18/node/test_constantofshape",
     "(ConstantOfShape): the shape of its output 'y' depends on private data"},
    {"onnx_node_18/node/test_dequantizelinear_blocked", "(DequantizeLinear): scales of blocks (block_size) are not"},
    {"onnx_node_18/node/test_quantizelinear_blocked", "(QuantizeLinear): scales of blocks (block_size) are not"},
    {"onnx_node_18/node/test_reduce_l1_empty_set", "has extent 0: there is nothing to encrypt"},
    {"onnx_node_18/node/test_reduce_max_empty_set", "has extent 0: there is nothing to encrypt"},
    {"onnx_node_18/node/test_reduce_sum_square_empty_set", "has extent 0: there is nothing to encrypt"},
    {"onnx_node_18/node/test_reshape_allowzero_reordered", "has extent 0: there is nothing to encrypt"},
};

const Refused* refusal_of(const NodeCase& node_case) {
  const auto found = std::find_if(std::begin(kRefused), std::end(kRefused),
                                  [&](const Refused& refused) { return node_case.name.starts_with(refused.cases); });
  return found == std::end(kRefused) ? nullptr : found;
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
    const Refused* refusal = refusal_of(node_case);
    // The scales of a Resize set its shape.
    const bool constants_only = std::ranges::find(node_case.operators, "Resize") != node_case.operators.end();
    try {
      worst = std::max(worst, checked_error(node_case, run_case(node_case, Private::kFirst)));
      if (!constants_only) worst = std::max(worst, checked_error(node_case, run_case(node_case, Private::kAllReal)));
      EXPECT_EQ(refusal, nullptr) << "is no longer refused";
      ++matched;
    } catch (const base::InputError& error) {
      ++refused;
      if (refusal == nullptr)
        ADD_FAILURE() << error.what();
      else
        EXPECT_THAT(error.what(), testing::HasSubstr(std::string(refusal->sentence)));
    }
  }
  EXPECT_EQ(matched, expected_matches);
  EXPECT_EQ(matched + refused, suite.cases);
  ::testing::Test::RecordProperty("worst_relative_error", std::to_string(worst));
}

TEST(ReferenceConformance, EveryCaseUpToOpset17MatchesOrIsRefusedByName) { expect_conformance(kSuites[0], 201); }
TEST(ReferenceConformance, EveryCaseOfOpsets18To28MatchesOrIsRefusedByName) { expect_conformance(kSuites[1], 181); }

}  // namespace
}  // namespace tacit::conformance
