#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "base/error.h"
#include "data_folder.h"
#include "exported_model.h"
#include "exporter_table.h"
#include "program/slots/clear_program.h"
#include "program/slots/cost.h"
#include "session/owner/engine.h"
#include "session/owner/slots/range_monitor.h"

namespace tacit::conformance {
namespace {

/// What must run right; the rest must be refused by name.
const std::map<std::string, std::size_t>& working() {
  static const std::map<std::string, std::size_t> all{{"keras", 8}, {"sklearn", 36}, {"torch", 59}};
  return all;
}

constexpr double kValues = 1e-3, kScores = 2e-2, kEqualLabels = 0.995;

/// Scores of networks whose answer is the largest one are as precise as that asks for; estimators state values.
double tolerance(const ExportedModel& model) { return model.family == "sklearn" ? kValues : kScores; }

ExportedOutcome outcome_of(const ExportedModel& model) {
  ExportedOutcome outcome{model, {}, {}, {}};
  try {
    const session::Compilation compilation = compile(model);
    const slots::ClearProgram reading(compilation.model.program);
    session::RangeMonitor monitor(compilation, reading);
    const auto engine = session::make_simulated_engine(compilation, reading);
    std::vector<std::vector<graph::Tensor>> outputs;
    const auto rows = rows_of(model, compilation.graph, "rows.npy");
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool miss = monitor.check(static_cast<std::int64_t>(i), {&rows[i], 1}).front().has_value();
      EXPECT_FALSE(miss) << "row " << i << " leaves the interval of " << monitor.excesses().front().node;
      outputs.push_back(miss ? std::vector<graph::Tensor>{} : engine->infer({&rows[i], 1}).outputs.at(0));
    }
    outcome.comparison = compare(outputs, expected_outputs(model));
    outcome.client = compilation.model.parts.nodes;
    outcome.levels = slots::total_depth(compilation.model.program);
    outcome.log_n = compilation.model.parameters.log_n;
  } catch (const base::InputError& error) {
    outcome.refusal = error.what();
  }
  return outcome;
}

TEST(ExportedModels, RunRightOrAreRefusedByNameAndThePageIsTrue) {
  const auto data = data_folder();
  if (!data) GTEST_SKIP() << "TACIT_DATA is not set: 103 exported models are not run";
  std::vector<ExportedOutcome> outcomes;
  for (const auto& [family, count] : working()) {
    std::size_t right = 0;
    for (const ExportedModel& model : exported_models(*data, family)) {
      SCOPED_TRACE(family + "/" + model.name);
      const ExportedOutcome outcome = outcome_of(model);
      if (outcome.refusal.empty()) {
        const Comparison& comparison = outcome.comparison;
        EXPECT_LE(comparison.worst, tolerance(model));
        EXPECT_GE(static_cast<double>(comparison.equal_labels), kEqualLabels * static_cast<double>(comparison.labels));
        ++right;
      } else {
        EXPECT_NE(outcome.refusal.find("node '"), std::string::npos) << outcome.refusal;
      }
      outcomes.push_back(outcome);
    }
    EXPECT_EQ(right, count) << family;
  }
  const std::string text = exporter_page(outcomes);
  std::ofstream(std::string(TACIT_BINARY_DIR) + "/exporters.md") << text;
  std::ifstream committed(std::string(TACIT_SOURCE_DIR) + "/docs/exporters.md");
  std::stringstream buffer;
  buffer << committed.rdbuf();
  EXPECT_EQ(buffer.str(), text) << "docs/exporters.md is out of date: copy exporters.md from the build folder";
}

class EncryptedExportedModels : public testing::TestWithParam<const char*> {};

TEST_P(EncryptedExportedModels, AFirstRowIsRightOnCiphertexts) {
  constexpr double kLongest = 0.1;  // seconds an input by the prices of the default table
  const auto data = data_folder();
  if (!data) GTEST_SKIP() << "TACIT_DATA is not set: exported models are not run encrypted";
  std::size_t run = 0;
  for (const ExportedModel& model : exported_models(*data, GetParam())) {
    SCOPED_TRACE(model.name);
    try {
      const session::Compilation compilation = compile(model);
      if (slots::price(compilation.model.program, compilation.model.parameters, {}).seconds > kLongest) continue;
      const auto engine = session::make_encrypted_engine(compilation, {}, base::Progress::silent());
      std::vector<std::vector<graph::Tensor>> rows = rows_of(model, compilation.graph, "rows.npy");
      const Comparison comparison = compare(engine->infer({rows.data(), 1}).outputs, expected_outputs(model));
      EXPECT_LE(comparison.worst, tolerance(model));
      EXPECT_EQ(comparison.equal_labels, comparison.labels);
      ++run;
    } catch (const base::InputError& error) {
      EXPECT_NE(std::string(error.what()).find("node '"), std::string::npos) << error.what();
    }
  }
  EXPECT_GE(run, 4U);
}

INSTANTIATE_TEST_SUITE_P(Families, EncryptedExportedModels, testing::Values("keras", "sklearn", "torch"),
                         [](const auto& family) { return std::string(family.param); });

}  // namespace
}  // namespace tacit::conformance
