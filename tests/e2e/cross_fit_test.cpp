#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/command/model_file.h"
#include "tests/command/run_command.h"
#include "tests/command/workspace.h"

namespace tacit::test {
namespace {

using nlohmann::json;

class CrossFit : public ::testing::Test {
 protected:
  /// Twenty rows of four numbers between -1 and 1, with one in row 7 that no other row comes near to.
  std::string rows(double odd_one) const {
    std::vector<double> numbers(80);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i * i * 37 % 201) / 100 - 1;
    numbers[4 * 7 + 2] = odd_one;
    return workspace_.array("x.npy", {20, 4}, numbers);
  }
  std::vector<std::string> command(const std::string& input) const {
    return {"run", model_, "--input", input, "--simulate", "--cross-fit", "5"};
  }
  json report(const std::string& input) const {
    std::vector<std::string> arguments = command(input);
    arguments.push_back("--json");
    const CommandResult result = run_command(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    return json::parse(result.out);
  }
  const Workspace workspace_;
  const std::string model_ = workspace_.bytes("m.onnx", model_bytes({.operators = {"Gemm", "Sigmoid", "Gemm"}}));
};

TEST_F(CrossFit, EveryInputIsScoredOnceByANetworkOfTheOtherParts) {
  const json found = report(rows(0.5));
  ASSERT_EQ(found.at("parts").size(), 5U);
  for (const json& part : found.at("parts")) {
    EXPECT_EQ(part.at("inputs"), 4);
    EXPECT_EQ(part.at("samples"), 16);
  }
  EXPECT_EQ(found.at("images"), 20);
  EXPECT_EQ(found.at("misses"), 0);
  EXPECT_GE(found.at("agreement"), 0.95);
  EXPECT_THAT(found.at("protocol").get<std::string>(),
              testing::AllOf(testing::HasSubstr("each of 5 parts"), testing::HasSubstr("on 16 inputs of the other 4")));
}

// A network that had seen row 7 would answer it.
TEST_F(CrossFit, WhatOnlyOnePartShowsIsOutsideOfItsNetwork) {
  const json found = report(rows(40));
  EXPECT_EQ(found.at("missed_inputs"), json::array({7}));
  for (std::size_t part = 0; part < 5; ++part) EXPECT_EQ(found.at("parts")[part].at("misses"), part == 2 ? 1 : 0);
}

// From row 3 on: the parts are of those rows, and rows keep their numbers and labels.
TEST_F(CrossFit, RowsInFrontOfTheFirstAreNeitherSeenNorScored) {
  std::vector<double> labels(20);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = i < 3 ? 9 : static_cast<double>(i % 4);
  const std::string input = rows(40);
  std::vector<std::string> arguments = command(input);
  arguments.insert(arguments.end(), {"--first", "3", "--labels", workspace_.array("l.npy", {20}, labels), "--json"});
  const CommandResult result = run_command(arguments);
  ASSERT_EQ(result.status, 0) << result.err;
  const json found = json::parse(result.out);
  EXPECT_EQ(found.at("images"), 17);
  EXPECT_EQ(found.at("missed_inputs"), json::array({7}));
  ASSERT_EQ(found.at("parts").size(), 5U);
  for (std::size_t part = 0; part < 5; ++part) {
    EXPECT_EQ(found.at("parts")[part].at("inputs"), part < 2 ? 4 : 3);
    EXPECT_EQ(found.at("parts")[part].at("samples"), part < 2 ? 13 : 14);
    EXPECT_EQ(found.at("parts")[part].at("misses"), part == 4 ? 1 : 0);  // row 7 is the fifth
  }
}

TEST_F(CrossFit, PeopleReadTheProtocolAndTheTotal) {
  const CommandResult result = run_command(command(rows(0.5)));
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, testing::HasSubstr("Cross-fitting: scored each of 5 parts"));
  EXPECT_THAT(result.out, testing::HasSubstr("of 20\n"));
}

TEST_F(CrossFit, WhatContradictsItIsRefusedByName) {
  const std::string input = rows(0.5);
  const auto refusal = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = command(input);
    arguments.insert(arguments.end(), more.begin(), more.end());
    const CommandResult result = run_command(arguments);
    EXPECT_EQ(result.status, 2) << result.out;
    return result.last_error_line();
  };
  EXPECT_THAT(refusal({"--calibrate", input}), testing::HasSubstr("--calibrate"));
  EXPECT_THAT(refusal({"--ranges", "r.json"}), testing::HasSubstr("--ranges"));
  EXPECT_THAT(refusal({"--output", "y.npy"}), testing::HasSubstr("--output"));
  EXPECT_THAT(refusal({"--count", "3"}), testing::HasSubstr("--cross-fit 5: 3 inputs"));
  const CommandResult encrypted = run_command({"run", model_, "--input", input, "--cross-fit", "5"});
  EXPECT_EQ(encrypted.status, 2);
  EXPECT_THAT(encrypted.err, testing::HasSubstr("--simulate"));
}

}  // namespace
}  // namespace tacit::test
