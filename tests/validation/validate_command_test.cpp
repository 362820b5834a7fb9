#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "app/command_line.h"
#include "tests/command/model_file.h"
#include "tests/command/run_command.h"
#include "tests/command/workspace.h"

namespace tacit::test {
namespace {

using testing::HasSubstr;

class ValidateCommand : public ::testing::Test {
 protected:
  CommandResult validate(std::vector<std::string> more) const {
    std::vector<std::string> arguments{"validate", model_, "--input", x_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_command(arguments);
  }
  void expect_refusal(const std::vector<std::string>& more, int status, const std::string& part) const {
    const CommandResult result = validate(more);
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_THAT(result.last_error_line(), HasSubstr(part));
  }
  Workspace workspace_;
  const std::string model_ = workspace_.bytes("m.onnx", model_bytes({.operators = {"Gemm", "Mul", "Gemm"}}));
  const std::string x_ = workspace_.array("x.npy", {2, 4}, {1, 2, 3, 4, 0.5, 0.25, 0.125, -1});
};

TEST_F(ValidateCommand, ReportsEveryOperatorAndSaysThatItHoldsTheSecretKey) {
  const CommandResult result = validate({"--json", "--first", "1"});
  EXPECT_EQ(result.status, app::kSuccess) << result.err;
  EXPECT_THAT(result.err, HasSubstr("holds the secret key"));
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_FALSE(json["failed"].get<bool>());
  ASSERT_EQ(json["operators"].size(), 3u);
  EXPECT_THAT(json["operators"][1]["operators"].get<std::string>(), HasSubstr("Mul"));
  for (const auto& entry : json["operators"]) {
    EXPECT_GT(entry["worst_bits"].get<double>(), 13.2);  // 10^-4
    EXPECT_GE(entry["mean_bits"].get<double>(), entry["worst_bits"].get<double>());
    EXPECT_LT(entry["range_share"].get<double>(), 1);
  }
  // Errors add up end to end: values of 40 from a product are off by 1e-4 at the scale that this network is given.
  for (const char* detail : {"vector", "instruction"}) {
    const CommandResult drift = validate({"--validate", detail, "--end-to-end", "--epsilon", "-3"});
    EXPECT_EQ(drift.status, app::kSuccess) << drift.out << drift.err;
  }
  const CommandResult close = validate({"--validate", "instruction", "--end-to-end", "--epsilon", "-9"});
  EXPECT_EQ(close.status, 3);
  EXPECT_THAT(close.out, testing::Not(HasSubstr("bug")));
}

TEST_F(ValidateCommand, ReportsTheWorstOfSeveralInputs) {
  const auto errors = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"--validate", "vector", "--epsilon", "-3", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const CommandResult result = validate(arguments);
    EXPECT_EQ(result.status, app::kSuccess) << result.err;
    return nlohmann::json::parse(result.out)["operators"];
  };
  const auto both = errors({"--count", "2"}), one = errors({"--first", "1"});
  ASSERT_EQ(both.size(), one.size());
  EXPECT_EQ(both.size(), 3u);
  for (const auto& entry : both) EXPECT_GE(entry["worst_error"].get<double>(), entry["mean_error"].get<double>());
  expect_refusal({"--count", "3"}, 2, "--count 3 does not fit");
}

TEST_F(ValidateCommand, StopsAtTheFirstFailureWithStatusThree) {
  const CommandResult fast = validate({"--epsilon", "-14", "--fail-fast"});
  EXPECT_EQ(fast.status, 3);
  EXPECT_THAT(fast.last_error_line(), testing::MatchesRegex("validate failed at [A-Za-z0-9_]+\\[[0-9]+\\]: .* != .*"));
  EXPECT_THAT(validate({"--epsilon", "-14"}).out, HasSubstr("every failure is noise"));
  const CommandResult all = validate({"--epsilon", "-14", "--json"});
  EXPECT_EQ(all.status, 3);
  const auto json = nlohmann::json::parse(all.out);
  EXPECT_EQ(json["operators"].size(), 3u);
  EXPECT_EQ(json["operators"][0]["cause"], "noise");
}

// Over thousands of slots the worst errors of two runs are alike, and end to end the second operator's is the larger.
TEST_F(ValidateCommand, ReportsWhatCameBeforeTheFirstFailure) {
  const std::vector<std::string> closely{"--validate", "instruction", "--end-to-end", "--json"};
  const auto all = nlohmann::json::parse(validate(closely).out);
  const double first = all["operators"][0]["worst_error"], second = all["operators"][1]["worst_error"];
  ASSERT_LT(4 * first, second);
  std::vector<std::string> between = closely;
  between.insert(between.end(), {"--fail-fast", "--epsilon", std::to_string(0.5 * std::log10(first * second))});
  const CommandResult fast = validate(between);
  EXPECT_EQ(fast.status, 3);
  const auto json = nlohmann::json::parse(fast.out);
  EXPECT_TRUE(json["failed"].get<bool>());
  const auto& operators = json["operators"];
  ASSERT_EQ(operators.size(), 2u);
  for (std::size_t i = 0; i + 1 < operators.size(); ++i) EXPECT_FALSE(operators[i]["failed"].get<bool>()) << i;
  EXPECT_TRUE(operators.back()["failed"].get<bool>());
  EXPECT_EQ(json["first_failure"].get<std::string>(), fast.last_error_line());
  EXPECT_GT(json["seconds"]["run"].get<double>(), json["seconds"]["validate"].get<double>());
}

TEST_F(ValidateCommand, WritesAPage) {
  const std::string page = workspace_("page.html");
  EXPECT_EQ(validate({"--report", page}).status, 0);
  EXPECT_THAT(read_bytes(page), HasSubstr("\"validated\":3"));
  expect_refusal({"--report", workspace_("no/folder.html")}, 2, "cannot be written");
  expect_refusal({"--report", page, "--dry"}, 2, "leave one of them out");
}

TEST_F(ValidateCommand, RefusesWhatItCannotDo) {
  expect_refusal({"--validate", "tensor"}, 2, "must be nn, vector or instruction");
  expect_refusal({"--validate", "nn:nothing*"}, 2, "no node that is computed on ciphertexts matches 'nothing*'");
  expect_refusal({"--epsilon", "-99"}, 2, "--epsilon -99");
  expect_refusal({"--secret", x_}, 2, "go together");
  expect_refusal({"--first", "2"}, 2, "--first 2");
  EXPECT_THAT(run_command({"validate", model_}).last_error_line(), HasSubstr("--input is required"));
}

TEST_F(ValidateCommand, UsesOnlyKeysThatBelongToTheModel) {
  const std::string other = workspace_.bytes("o.onnx", model_bytes({.operators = {"Gemm", "Mul", "Mul", "Gemm"}}));
  for (const auto& [model, name] : {std::pair{model_, std::string("a")}, {other, "b"}}) {
    ASSERT_EQ(run_command({"compile", model, "-o", workspace_(name)}).status, 0);
    ASSERT_EQ(run_command({"keygen", workspace_(name + "/client.tacit"), "--secret", workspace_(name + ".secret"),
                           "--evaluation", workspace_(name + ".evaluation")})
                  .status,
              0);
  }
  const CommandResult own = validate({"--secret", workspace_("a.secret"), "--evaluation", workspace_("a.evaluation")});
  EXPECT_EQ(own.status, 0) << own.err;
  expect_refusal({"--secret", workspace_("b.secret"), "--evaluation", workspace_("b.evaluation")}, 3,
                 "do not belong together");
  expect_refusal({"--secret", workspace_("a.evaluation"), "--evaluation", workspace_("a.evaluation")}, 2,
                 "a.evaluation");
  expect_refusal({"--secret", workspace_("a.secret"), "--evaluation", workspace_("a.secret")}, 2, "secret key");
}

TEST_F(ValidateCommand, ADryRunNeedsNoKeysAndNoInput) {
  const CommandResult fresh = run_command({"validate", model_, "--dry"});
  EXPECT_EQ(fresh.status, 0) << fresh.err;
  EXPECT_THAT(fresh.out, HasSubstr("multiply"));
  ASSERT_EQ(run_command({"compile", model_, "-o", workspace_("a")}).status, 0);
  const CommandResult compiled = run_command({"validate", workspace_("a"), "--dry", "--json"});
  EXPECT_EQ(compiled.status, 0) << compiled.err;
  EXPECT_FALSE(nlohmann::json::parse(compiled.out)["failed"].get<bool>());
  EXPECT_THAT(run_command({"validate", workspace_("a"), "--input", x_}).last_error_line(), HasSubstr("--dry"));
}

}  // namespace
}  // namespace tacit::test
