#include <gtest/gtest.h>

#include "tests/command/model_file.h"
#include "tests/command/workspace.h"
#include "tests/error/refusal.h"

namespace tacit::test {
namespace {

/// Options that contradict each other, and names that nothing has.
class ContradictionRefusal : public ::testing::Test {
 protected:
  void expect_plan(const std::vector<std::string>& more, const std::string& sentence) const {
    std::vector<std::string> arguments{"plan", model_, "--input-range", "-1,1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_refusal(arguments, kBadInput, {sentence});
  }
  const Workspace workspace_;
  const std::string model_ = workspace_.bytes("m.onnx", model_bytes({.operators = {"Gemm"}}));
};

TEST_F(ContradictionRefusal, APlanIsOfANetworkOrOfTiles) {
  const std::string sentence = "plan needs either a network or --tiles with a computation";
  expect_refusal({"plan"}, kBadInput, {sentence});
  expect_plan({"--tiles", "pairs 10x4"}, sentence);
}

TEST_F(ContradictionRefusal, WhatChoosesAmongPackingsIsNotForNetworks) {
  for (const std::vector<std::string>& option : {std::vector<std::string>{"--items", "1"}, {"--latency", "1s"}})
    expect_plan(option, "--latency and --items choose among the packings of --tiles");
}

TEST_F(ContradictionRefusal, RegionsAreOfIntegers) {
  for (const char* scheme : {"ckks", "auto"})
    expect_plan({"--regions", "--scheme", scheme}, "--regions draws what becomes one lookup of integers");
}

TEST_F(ContradictionRefusal, APassThatDidNotRunIsNotExplained) {
  for (const char* passes : {"analyse-sharding", "parameters,analyse-sharding"}) {
    const CommandResult result = run_command({"plan", model_, "--input-range", "-1,1", "--explain", passes});
    EXPECT_EQ(result.status, kBadInput) << passes;
    EXPECT_EQ(result.last_error_line(),
              "tacit: no pass 'analyse-sharding' ran on this network; --explain all shows those that did");
  }
  for (const char* scheme : {"ckks", "tfhe", "auto"})
    expect_plan({"--scheme", scheme, "--explain", "parameters,nothing"},
                "there is no pass 'nothing' (--explain); possible names: import, write-out, ");
  expect_plan(
      {"--scheme", "tfhe", "--explain", "stretch"},
      "networks on integers have no pass 'stretch' (--explain), which belongs to --scheme ckks; possible names: ");
  expect_plan({"--explain", "measure"}, "pass 'measure' has nothing to show (--explain); possible names: import, ");
  for (const char* scheme : {"ckks", "tfhe", "auto"})
    for (const char* passes : {"all", "parameters"})
      EXPECT_EQ(run_command({"plan", model_, "--input-range", "-1,1", "--scheme", scheme, "--explain", passes}).status,
                0)
          << scheme << ' ' << passes;
}

TEST_F(ContradictionRefusal, APassThatALaterOneNeedsIsNotLeftOut) {
  for (const char* scheme : {"ckks", "tfhe"}) {
    expect_plan({"--scheme", scheme, "--passes", "no-linearise"},
                "pass 'linearise' cannot be left out (--passes), because 'calibrate' needs it; possible names: "
                "relu-behind-pools, fold, ");
    expect_plan({"--scheme", scheme, "--passes", "no-nothing"},
                "there is no pass 'nothing' (--passes); possible names: relu-behind-pools, fold, ");
  }
  expect_plan(
      {"--scheme", "tfhe", "--passes", "no-stretch"},
      "networks on integers have no pass 'stretch' (--passes), which belongs to --scheme ckks; possible names: ");
  expect_plan(
      {"--passes", "no-join-sums"},
      "networks on slots have no pass 'join-sums' (--passes), which belongs to --scheme tfhe; possible names: ");
  expect_plan({"--scheme", "auto", "--passes", "no-fold"},
              "--passes names passes of one compiler: give --scheme ckks or --scheme tfhe as well");
}

// Both schemes compute this network, so that a mistake could come back as the plan of the scheme that overlooks it.
TEST_F(ContradictionRefusal, AWrongOptionIsRefusedAsThatOptionWhateverTheScheme) {
  for (const char* scheme : {"ckks", "tfhe", "auto"}) {
    expect_plan({"--scheme", scheme, "--parameters", "nothing"}, "--parameters n");
    expect_plan({"--scheme", scheme, "--bits", "99"}, "--bits");
    expect_plan({"--scheme", scheme, "--calibrate", "missing-samples.npy"}, "missing-samples.npy");
    expect_plan({"--scheme", scheme, "--keep-private", "nothing"}, "nothing");
  }
  const std::string ranges = workspace_.bytes("part.json", R"({"format": "tacit ranges 1"})");
  for (const char* scheme : {"ckks", "tfhe", "auto"})
    expect_plan({"--scheme", scheme, "--ranges", ranges}, "part.json");
  for (const char* scheme : {"ckks", "auto"}) {
    expect_plan({"--scheme", scheme, "--batch", "5000"}, "--batch");
  }
  expect_plan({"--scheme", "auto", "--parameters", "N14-d7"},
              "--parameters names a set of one scheme: give --scheme ckks or --scheme tfhe as well");
}

TEST_F(ContradictionRefusal, ASearchIsExplainedAlsoIfItFindsNothing) {
  const std::vector<std::string> plan{"plan",         model_,    "--input-range", "-1,1",
                                      "--parameters", "N16-d32", "--explain",     "search"};
  const CommandResult found = run_command(plan);
  EXPECT_EQ(found.status, 0) << found.err;
  EXPECT_THAT(found.out, testing::HasSubstr("search:\nN16-d32 (N = 2^16, 32 levels): "));
  EXPECT_THAT(found.out, testing::HasSubstr(" GB: the cheapest so far\n"));
  std::vector<std::string> small = plan;
  small.insert(small.end(), {"--memory", "100MB"});
  const CommandResult refused = run_command(small);
  EXPECT_EQ(refused.status, kBadInput);
  EXPECT_THAT(refused.out, testing::HasSubstr(" GB: more than the memory budget\n"));
  EXPECT_THAT(refused.last_error_line(), testing::HasSubstr("keys, weights and ciphertexts of model 'small' need"));
}

TEST_F(ContradictionRefusal, BenchmarksHaveNamesAndSizes) {
  expect_refusal({"bench", "conv", "--case", "nothing"}, kBadInput, {"no convolution is called 'nothing'; there are "});
  expect_refusal({"bench", "merkle", "--smallest-group", "3"}, kBadInput, {"work-group sizes are powers of two"});
  expect_refusal({"bench", "merkle", "--largest-group", "48"}, kBadInput, {"work-group sizes are powers of two"});
  for (const std::vector<std::string>& bounds : {std::vector<std::string>{"--first", "13", "--last", "12"},
                                                 {"--smallest-group", "16", "--largest-group", "8"}}) {
    std::vector<std::string> arguments{"bench", "merkle"};
    arguments.insert(arguments.end(), bounds.begin(), bounds.end());
    expect_refusal(arguments, kBadInput, {"nothing is left to time"});
  }
}

TEST_F(ContradictionRefusal, ABudgetBelowWhatTheCommandHoldsIsTold) {
  expect_plan({"--memory", "1"}, "--memory 1 B is below the ");
}

}  // namespace
}  // namespace tacit::test
