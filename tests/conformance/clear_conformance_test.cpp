#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "base/error.h"
#include "compiled_case.h"
#include "data_folder.h"
#include "operator_table.h"
#include "program/clear.h"

namespace tacit::conformance {
namespace {

/// Runs a case through the importer, the compiler and the clear reading; returns the worst relative error.
double run_clear(const NodeCase& node_case, const CaseReading& reading) {
  const CompiledCase compiled = compile_case(node_case, reading);
  program::ClearEvaluator evaluator(compiled.model.program);
  return worst_error(compiled, node_case, program::run_clear(compiled.model.program, evaluator, compiled.inputs));
}

/// How a case ended: with which error, run where, or refused with which sentence.
Outcome outcome_of(const NodeCase& node_case) {
  std::string refusal;
  for (const CaseReading& reading : kReadings) {
    try {
      const double error = run_clear(node_case, reading);
      return {true, reading.client_post_processing, reading.all_private && node_case.inputs.size() > 1, error, ""};
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
