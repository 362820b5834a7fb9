#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "app/command_line.h"
#include "tests/command/model_file.h"
#include "tests/command/run_command.h"
#include "tests/command/workspace.h"

namespace tacit::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// What plan and run say of the errors of every output.
class OutputErrorsCommand : public ::testing::Test {
 protected:
  static std::vector<double> uniform(std::size_t count) {
    std::mt19937_64 random(11);
    std::uniform_real_distribution<double> draw(-1, 1);
    std::vector<double> numbers(count);
    for (double& number : numbers) number = draw(random);
    return numbers;
  }
  std::vector<std::string> with(const std::string& command, const std::vector<std::string>& more) const {
    std::vector<std::string> all{command, model_, "--calibrate", samples_};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  Workspace workspace_;
  const std::string model_ = workspace_.bytes("m.onnx", model_bytes({.operators = {"Gemm", "Sigmoid", "Gemm"}}));
  const std::string samples_ = workspace_.array("c.npy", {100, 4}, uniform(400));
};

TEST_F(OutputErrorsCommand, ARowThatTheModelCannotTakeIsAMissOfThisRowAlone) {
  const std::string x = workspace_.array("x.npy", {3, 4}, {0.5, 0.5, 0, 0, 0, std::nan(""), 0, 0, -0.5, 0, 0.25, 0});
  for (const char* scheme : {"ckks", "tfhe"}) {
    const CommandResult result = succeed(with("run", {"--input", x, "--simulate", "--json", "--scheme", scheme}));
    const json report = json::parse(result.out);
    EXPECT_EQ(report.at("missed_inputs"), json::array({1})) << scheme;
    EXPECT_EQ(report.at("images"), 3);
    EXPECT_THAT(result.err, AllOf(HasSubstr("input 1 has no answer"), HasSubstr("NaN")));
  }
}

TEST_F(OutputErrorsCommand, ThePlanStatesThemAndTheRunMeasuresThem) {
  const std::string x = workspace_.array("x.npy", {40, 4}, uniform(160));
  for (const char* scheme : {"ckks", "tfhe"}) {
    const json plan = json::parse(succeed(with("plan", {"--json", "--scheme", scheme})).out);
    EXPECT_EQ(plan.at("expected_errors").at("samples"), 100);
    const json stated = plan.at("outputs").at(0);
    ASSERT_EQ(stated.at("targets").size(), 4u);
    const json report = json::parse(succeed(with("run", {"--input", x, "--simulate", "--json", "--scheme", scheme, "-o",
                                                         workspace_(std::string(scheme) + ".npy")}))
                                        .out);
    const json output = report.at("outputs").at(0);
    EXPECT_EQ(output.at("expected_error"), stated.at("expected_error"));
    EXPECT_EQ(output.at("measure"), "share of the range");
    EXPECT_EQ(output.at("nan"), 0);
    EXPECT_EQ(output.at("mismatches"), 0);
    EXPECT_EQ(output.at("shape"), json::array({40, 4}));
    EXPECT_GT(output.at("largest_error"), 0);
    EXPECT_LE(output.at("largest_error"), output.at("expected_error")) << scheme;
    for (const json& target : output.at("targets")) EXPECT_LE(target.at("largest_error"), target.at("expected_error"));
  }
  EXPECT_THAT(succeed(with("run", {"--input", x, "--simulate"})).out,
              AllOf(HasSubstr("Errors of outputs\n  output"), HasSubstr("  error         '")));
}

TEST_F(OutputErrorsCommand, LargeOnesAreWarnedOfOnceAndRefusedAboveTheBound) {
  const CommandResult warned = succeed(with("plan", {"--scheme", "tfhe", "--bits", "3"}));
  EXPECT_THAT(warned.err, AllOf(HasSubstr("is expected to be off by up to "), HasSubstr("--bits 5 or --scheme ckks")));
  EXPECT_THAT(warned.out, ::testing::Not(HasSubstr("warning:"))) << "it stands on standard error";
  const CommandResult refused = run_command(with("plan", {"--scheme", "tfhe", "--bits", "3", "--max-error", "1%"}));
  EXPECT_EQ(refused.status, app::kBadInput);
  EXPECT_THAT(refused.last_error_line(),
              AllOf(HasSubstr("above the 1 % that --max-error allows"), HasSubstr("--bits 5")));
  const std::string auto_plan = succeed(with("plan", {"--scheme", "auto", "--bits", "3", "--max-error", "0.1"})).out;
  EXPECT_THAT(auto_plan, HasSubstr("--scheme auto took CKKS")) << "the other one is not precise enough";
  const CommandResult unknown =
      run_command({"plan", model_, "--input-range", "-1,1", "--scheme", "tfhe", "--max-error", "5%"});
  EXPECT_EQ(unknown.status, app::kBadInput);
  EXPECT_THAT(unknown.last_error_line(), HasSubstr("there are no samples"));
  for (const char* wrong : {"-1", "1.5", "101%", "much"})
    EXPECT_EQ(run_command(with("plan", {"--max-error", wrong})).status, app::kBadInput) << wrong;
}

}  // namespace
}  // namespace tacit::test
