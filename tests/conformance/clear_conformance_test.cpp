#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "compiled_case.h"
#include "data_folder.h"
#include "operator_table.h"
#include "program/slots/clear_program.h"

namespace tacit::conformance {
namespace {

/// How a case ended: with which error, run where, or refused with which sentence.
Outcome outcome_of(const NodeCase& node_case) {
  const MostEncrypted most = compile_most_encrypted(node_case);
  if (!most.compiled) return {false, false, false, 0, most.refusal};
  const slots::Program& program = most.compiled->model.program;
  const slots::ClearProgram evaluator(program);
  const double error = worst_error(*most.compiled, node_case,
                                   from_units(most.compiled->model.client, evaluator.run(most.compiled->inputs)));
  return {true, !most.compiled->model.parts.nodes.empty(), most.reading.all_private && node_case.inputs.size() > 1,
          error, ""};
}

/// Runs the cases of a suite and adds them to the table of operators; returns how many matched.
std::size_t run_suite(const std::filesystem::path& data, const Suite& suite, OperatorTable& table) {
  std::size_t matched = 0;
  for (const NodeCase& node_case : read_cases(data, suite)) {
    SCOPED_TRACE(node_case.name);
    const Outcome outcome = outcome_of(node_case);
    table.add(node_case, outcome);
    if (outcome.matched) {
      ++matched;
      EXPECT_LE(outcome.error, tolerance(node_case));
    } else {
      // Nothing is to be encrypted: no operator is to blame.
      const bool nothing = outcome.refusal.find("there is nothing to encrypt") != std::string::npos;
      EXPECT_TRUE(nothing ||
                  std::any_of(node_case.operators.begin(), node_case.operators.end(),
                              [&](const std::string& op) { return outcome.refusal.find(op) != std::string::npos; }))
          << "the refusal does not name the operator: " << outcome.refusal;
    }
  }
  return matched;
}

std::string committed_page() {
  std::ifstream file(std::string(TACIT_SOURCE_DIR) + "/docs/operators.md");
  std::stringstream buffer;
  buffer << file.rdbuf();
  return buffer.str();
}

TEST(ClearConformance, ThePageShowsTheDeclarations) {
  const std::string text = declared_operators(), page = committed_page();
  std::ofstream(std::string(TACIT_BINARY_DIR) + "/declared_operators.md") << text;
  EXPECT_EQ(page.substr(0, text.size()), text)
      << "docs/operators.md is out of date: copy its first part from declared_operators.md in the build folder";
}

TEST(ClearConformance, EveryNodeCaseMatchesOrIsRefusedAndTheTableOfOperatorsIsTrue) {
  const auto data = data_folder();
  if (!data)
    GTEST_SKIP() << "TACIT_DATA is not set: " << kSuites[0].cases + kSuites[1].cases
                 << " ONNX node cases are not compiled";
  OperatorTable table;
  EXPECT_EQ(run_suite(*data, kSuites[0], table), 200U);
  EXPECT_EQ(run_suite(*data, kSuites[1], table), 172U);
  const std::string text = table.to_markdown();
  std::ofstream(std::string(TACIT_BINARY_DIR) + "/operators.md") << text;
  EXPECT_EQ(committed_page(), text) << "docs/operators.md is out of date: copy operators.md from the build folder";
}

/// Any folder of cases: no count is known beforehand. TACIT_NODE_CASES names one; without it a known one is taken.
TEST(ClearConformance, CasesOfAnyFolderMatchOrAreRefused) {
  const char* const given = std::getenv("TACIT_NODE_CASES");
  const auto data = data_folder();
  if (given == nullptr && !data)
    GTEST_SKIP() << "neither TACIT_NODE_CASES nor TACIT_DATA is set: no folder of ONNX node cases is at hand";
  std::filesystem::path folder = (given ? std::filesystem::path(given) : *data / kSuites[1].folder).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();  // a slash at the end
  const std::string name = folder.filename().string();
  std::size_t passed = 0, refused = 0;
  std::vector<std::string> wrong;
  for (const NodeCase& node_case : read_cases(folder.parent_path(), {name, 0})) {
    const Outcome outcome = outcome_of(node_case);
    if (!outcome.matched)
      ++refused;
    else if (outcome.error <= tolerance(node_case))
      ++passed;
    else
      wrong.push_back(node_case.name + " is off by " + std::to_string(outcome.error));
  }
  std::cout << name << ": " << passed << " passed, " << refused << " refused, " << wrong.size() << " wrong\n";
  EXPECT_GT(passed + refused, 0u);
  EXPECT_THAT(wrong, testing::IsEmpty());
}

}  // namespace
}  // namespace tacit::conformance
