#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/command_line.h"
#include "tests/command/model_file.h"
#include "tests/command/run_command.h"
#include "tests/command/workspace.h"

namespace tacit::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

/// Options of validate, each with a small network that tells whether it was heeded.
class ValidateWords : public ::testing::Test {
 protected:
  CommandResult validate(const std::vector<std::string>& operators, const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"validate", workspace_.bytes("m.onnx", model_bytes({.operators = operators})),
                                       "--input", x_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_command(arguments);
  }
  const Workspace workspace_;
  const std::string x_ = workspace_.array("x.npy", {3, 4}, {0.5, -0.5, 0.25, 0, 1, 0.75, -1, 0.1, 0.1, 0.2, 0.3, 0.4});
  const std::string samples_ = workspace_.array("c.npy", {3, 4}, {1, 1, 1, 1, -1, -1, -1, -1, 0.5, -0.5, 0.25, 0});
  const std::vector<std::string> chain_{"Gemm", "Mul", "Gemm"};
  const std::string warning_ =
      "tacit: validate holds the secret key and decrypts every value it looks at, exactly; never run it on a server, "
      "and do not share what it shows\n";
};

TEST_F(ValidateWords, TheFirstFailureIsASentenceOfItsOwnWhereItEndsTheRun) {
  const CommandResult sound = validate(chain_, {"--fail-fast"});
  EXPECT_EQ(sound.status, app::kSuccess);
  EXPECT_EQ(sound.signal, 0);
  EXPECT_EQ(sound.err, warning_);
  const CommandResult all = validate(chain_, {"--epsilon", "-14"});
  EXPECT_EQ(all.status, 3);
  EXPECT_EQ(all.err, warning_) << "the failures stand in the report";
  EXPECT_THAT(all.out, HasSubstr("\n  validate failed at n2["));
}

TEST_F(ValidateWords, ApproximatedFunctionsAreAllowedTheirErrorUnlessStrictly) {
  const CommandResult allowed = validate({"Gemm", "Sigmoid", "Gemm"}, {"--calibrate", samples_});
  EXPECT_EQ(allowed.status, app::kSuccess) << allowed.out;
  const CommandResult strict = validate({"Gemm", "Sigmoid", "Gemm"}, {"--calibrate", samples_, "--strict"});
  EXPECT_EQ(strict.status, 3);
  EXPECT_THAT(strict.out, HasSubstr("likely cause: approximation; Sigmoid 'n1'"));
}

// Bytes have a known range, which a network that is compiled for them takes: keys were made before there were inputs.
TEST_F(ValidateWords, KeysFitWhateverTheInputsAre) {
  const std::string model = workspace_.bytes("m.onnx", model_bytes({.operators = chain_}));
  std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 4), }";
  header.resize(117, ' ');
  header += '\n';
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size());
  file += '\0';
  file += header;
  for (const int value : {3, 1, 0, 2}) file += static_cast<char>(value);
  const std::string bytes = workspace_.bytes("bytes.npy", file);
  ASSERT_EQ(run_command({"compile", model, "-o", workspace_(".")}).status, 0);
  ASSERT_EQ(
      run_command({"keygen", workspace_("client.tacit"), "--secret", workspace_("s"), "--evaluation", workspace_("e")})
          .status,
      0);
  const CommandResult own = run_command({"validate", model, "--input", bytes, "--secret", workspace_("s"),
                                         "--evaluation", workspace_("e"), "--epsilon", "0"});
  EXPECT_EQ(own.status, app::kSuccess) << own.err;
  EXPECT_EQ(run_command({"validate", model, "--dry"}).status, app::kSuccess) << "without inputs";
}

TEST_F(ValidateWords, IntegersAreValidatedOnTheRowsThatAreAskedFor) {
  const std::vector<std::string> integers{"--scheme", "tfhe",        "--bits", "3",     "--failure",
                                          "2^-40",    "--calibrate", samples_, "--json"};
  const auto inputs = [&](const std::vector<std::string>& rows) {
    std::vector<std::string> more = integers;
    more.insert(more.end(), rows.begin(), rows.end());
    const CommandResult result = validate({"Gemm"}, more);
    EXPECT_EQ(result.status, app::kSuccess) << result.err;
    const json told = json::parse(result.out);
    EXPECT_EQ(told.at("operators")[0].at("compared"), 4 * told.at("inputs").get<int>());
    return told.at("inputs").get<int>();
  };
  EXPECT_EQ(inputs({}), 1);
  EXPECT_EQ(inputs({"--first", "2"}), 1);
  EXPECT_EQ(inputs({"--count", "2"}), 2);
  EXPECT_EQ(inputs({"--first", "1", "--count", "2"}), 2);
}

// A script that reads what both schemes state needs one set of names.
TEST_F(ValidateWords, BothSchemesStateTheSameFieldsInJson) {
  const json slots = json::parse(validate(chain_, {"--json"}).out);
  const json integers = json::parse(
      validate(chain_, {"--scheme", "tfhe", "--bits", "3", "--failure", "2^-40", "--calibrate", samples_, "--json"})
          .out);
  EXPECT_EQ(slots.at("scheme"), "ckks");
  EXPECT_EQ(integers.at("scheme"), "tfhe");
  for (const json* each : {&slots, &integers}) {
    SCOPED_TRACE(each->at("scheme"));
    EXPECT_EQ(each->at("inputs"), 1);
    EXPECT_EQ(each->at("failed"), false);
    EXPECT_TRUE(each->at("first_failure").is_null());
    EXPECT_EQ(each->at("validated"), each->at("operators").size());
    EXPECT_LE(each->at("seconds").at("validate"), each->at("seconds").at("run"));
    ASSERT_FALSE(each->at("operators").empty());
    for (const json& one : each->at("operators")) {
      EXPECT_TRUE(one.at("node").is_string());
      EXPECT_TRUE(one.at("operators").is_string());
      EXPECT_TRUE(one.at("value").is_number_unsigned());
      EXPECT_GT(one.at("compared"), 0);
      EXPECT_EQ(one.at("failed"), false);
      EXPECT_EQ(one.at("failures"), 0);
      EXPECT_TRUE(one.at("index").is_null());
      EXPECT_EQ(one.at("cause"), "none");
    }
  }
  const json failed = json::parse(validate(chain_, {"--json", "--epsilon", "-14"}).out);
  EXPECT_TRUE(failed.at("first_failure").is_string());
  EXPECT_TRUE(failed.at("operators")[0].at("index").is_number_unsigned());
  EXPECT_GT(failed.at("operators")[0].at("failures"), 0);
}

TEST_F(ValidateWords, WhatComparesOtherMessagesIsNotForIntegers) {
  const std::string evaluation = workspace_("e");
  for (const std::vector<std::string>& option : {std::vector<std::string>{"--dry"},
                                                 {"--end-to-end"},
                                                 {"--strict"},
                                                 {"--report", workspace_("r.html")},
                                                 {"--secret", workspace_("s"), "--evaluation", evaluation}}) {
    std::vector<std::string> more{"--scheme", "tfhe", "--calibrate", samples_};
    more.insert(more.end(), option.begin(), option.end());
    const CommandResult result = validate({"Gemm"}, more);
    EXPECT_EQ(result.status, app::kBadInput) << option.front();
    EXPECT_EQ(result.err, "tacit: " + option.front() +
                              " belongs to --scheme ckks: on integers (--scheme tfhe) sums and lookups are compared "
                              "exactly, with fresh keys\n");
  }
  EXPECT_EQ(validate(chain_, {"--scheme", "auto"}).err,
            "tacit: validate compares in one scheme: --scheme ckks or --scheme tfhe\n");
}

TEST_F(ValidateWords, HalvesOfOneKeyGenerationGoTogether) {
  for (const char* one : {"--secret", "--evaluation"}) {
    const CommandResult result = validate(chain_, {one, workspace_("k")});
    EXPECT_EQ(result.status, app::kBadInput) << one;
    EXPECT_THAT(result.err, HasSubstr("--secret and --evaluation go together")) << one;
    EXPECT_THAT(result.err, Not(HasSubstr("holds the secret key"))) << one;
  }
}

// The server's half is a network that a dry run can follow, by its name or by its folder's.
TEST_F(ValidateWords, ADryRunTakesAHalfByItsFile) {
  const std::string model = workspace_.bytes("m.onnx", model_bytes({.operators = chain_}));
  ASSERT_EQ(run_command({"compile", model, "--input-range", "-1,1", "-o", workspace_("a")}).status, 0);
  const CommandResult by_folder = run_command({"validate", workspace_("a"), "--dry"}),
                      by_file = run_command({"validate", workspace_("a/server.tacit"), "--dry"});
  EXPECT_EQ(by_file.status, app::kSuccess) << by_file.err;
  EXPECT_EQ(by_file.out, by_folder.out);
  EXPECT_THAT(run_command({"validate", workspace_("a/server.tacit"), "--input", x_}).last_error_line(),
              HasSubstr("server.tacit is a compiled network, which --dry can follow"));
}

}  // namespace
}  // namespace tacit::test
