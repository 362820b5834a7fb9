#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/command/model_file.h"
#include "tests/command/workspace.h"
#include "tests/error/refusal.h"

namespace tacit::test {
namespace {

class InputRefusal : public ::testing::Test {
 protected:
  void expect(const std::string& input, const std::vector<std::string>& parts,
              const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"run", model_, "--input", input};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_refusal(arguments, kBadInput, parts);
  }
  /// One of two inputs leaves an interval: it has no answer and is named, the other one has its own.
  static void expect_miss(const std::vector<std::string>& arguments, const std::vector<std::string>& parts) {
    const CommandResult result = run_command(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_THAT(result.out, ::testing::HasSubstr("Inputs without an answer: 1"));
    EXPECT_THAT(result.out, ::testing::HasSubstr(" of 2\n"));
    for (const std::string& part : parts) EXPECT_THAT(result.last_error_line(), ::testing::HasSubstr(part));
  }

  Workspace workspace_;
  const std::string model_ = workspace_.bytes("m.onnx", model_bytes({.operators = {"Gemm", "Mul", "Gemm"}}));
  const std::string relu_ = workspace_.bytes("r.onnx", model_bytes({.operators = {"Gemm", "Relu", "Gemm"}}));
};

TEST_F(InputRefusal, WrongShape) {
  expect(workspace_.array("x.npy", {1, 5}, {1, 2, 3, 4, 5}), {"x.npy", "[5]", "[1, 4]"});
  expect(workspace_.array("x.npy", {4}, {1, 2, 3, 4}), {"batch"});
  expect(workspace_.array("x.npy", {0, 4}, {}), {"no inputs"});
}

TEST_F(InputRefusal, WrongType) {
  std::string header("\x93NUMPY\x01\x00\x3a\x00", 10);
  header += "{'descr': '<c8', 'fortran_order': False, 'shape': (1, 4)} ";
  expect(workspace_.bytes("x.npy", header + std::string(32, '\0')), {"x.npy", "<c8"});
  expect(workspace_.bytes("x.npy", "no array"), {"not a .npy file"});
  expect(workspace_("none.npy"), {"none.npy", "does not exist"});
}

TEST_F(InputRefusal, NanAndInfinity) {
  expect(workspace_.array("x.npy", {1, 4}, {1, 2, std::nan(""), 4}), {"NaN", "[0, 2]"});
  expect(workspace_.array("x.npy", {1, 4}, {1, 2, 3, std::numeric_limits<double>::infinity()}), {"infinity", "[0, 3]"});
}

TEST_F(InputRefusal, RowsAndLabelsThatAreNotThere) {
  const std::string x = workspace_.array("x.npy", {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  expect(x, {"--first 2"}, {"--first", "2"});
  expect(x, {"--count 3"}, {"--count", "3"});
  expect(x, {"3 labels for 2 inputs"}, {"--labels", workspace_.array("y.npy", {3}, {1, 2, 3})});
}

TEST_F(InputRefusal, PreprocessingThatDoesNotApply) {
  const std::string x = workspace_.array("x.npy", {1, 4}, {1, 2, 3, 4});
  expect(x, {"--scale"}, {"--scale", "0"});
  expect(x, {"--mean", "4 channels"}, {"--mean", "1,2,3"});
  expect(x, {"--pad"}, {"--pad", "2"});
  expect(x, {"--input-range"}, {"--input-range", "1,0"});
  expect(x, {"--input-range", "finite"}, {"--input-range=-inf,inf"});
}

TEST_F(InputRefusal, UnknownOptionsAndMissingArguments) {
  expect_refusal({"run"}, kBadInput, {"--help"});
  expect_refusal({"run", model_, "--no-such-option"}, kBadInput, {"--help"});
  expect_refusal({"no-such-command"}, kBadInput, {"--help"});
  expect_refusal({"run", model_, "--input", "x.npy", "--threads", "-1"}, kBadInput, {"--threads"});
}

TEST_F(InputRefusal, PolynomialNetworksRefuseInputsOutsideTheCalibratedRangeToo) {
  const std::string calibration = workspace_.array("c.npy", {2, 4}, {1, 1, 1, 1, -1, -1, -1, -1});
  const std::string client = workspace_("client.tacit");
  ASSERT_EQ(run_command({"compile", model_, "--calibrate", calibration, "-o", workspace_(".")}).status, 0);
  ASSERT_EQ(run_command({"keygen", client, "--secret", workspace_("s"), "--evaluation", workspace_("e")}).status, 0);
  expect_refusal({"encrypt", client, "--key", workspace_("s"), "--input",
                  workspace_.array("x.npy", {1, 4}, {0.5, 0.5, 3.5, 0.5}), "-o", workspace_("c")},
                 kBadInput, {"element 2 is a private value", "[-3, 3]"});
}

TEST_F(InputRefusal, ValuesOutsideTheCalibratedRangeAreReportedByLayer) {
  const std::string calibration = workspace_.array("c.npy", {3, 4}, {1, 1, 1, 1, -1, -1, -1, -1, 0.5, 0.5, -0.5, 0});
  const std::string x = workspace_.array("x.npy", {2, 4}, {0.5, 0.5, 0.5, 0.5, 40, 40, 40, 40});
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--simulate"}}) {
    std::vector<std::string> arguments{"run", relu_, "--input", x, "--calibrate", calibration};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_miss(arguments, {"input 1", "calibrat"});
    EXPECT_THAT(run_command(arguments).out, ::testing::HasSubstr("Relu"));
    arguments.insert(arguments.end(), {"--first", "1"});
    expect_refusal(arguments, kBadInput, {"input 1", "calibrat"});
  }
}

TEST_F(InputRefusal, ValuesBeyondTheParametersAreNotCalledUncalibrated) {
  const std::string x = workspace_.array("x.npy", {2, 4}, {0.5, 0.5, 0.5, 0.5, 0, 1e30, 0, 0});
  expect_miss({"run", model_, "--input", x},
              {"input 1", "to a private value (--verbose shows it)", "parameters carry", "or give --input-range"});
  expect_miss({"run", model_, "--input", x, "--verbose"}, {"input 1", "to 1e+60", "parameters carry"});
  const CommandResult report = run_command({"run", model_, "--input", x});
  EXPECT_THAT(report.out, ::testing::Not(::testing::HasSubstr("calibrated")));
  expect_miss({"run", model_, "--input", x, "--input-range", "-1,1"},
              {"input 1", "'x0'", "range of the inputs", "widen --input-range"});

  const std::string client = workspace_("client.tacit");
  ASSERT_EQ(run_command({"compile", model_, "-o", workspace_(".")}).status, 0);
  ASSERT_EQ(run_command({"keygen", client, "--secret", workspace_("s"), "--evaluation", workspace_("e")}).status, 0);
  const std::string far = workspace_.array("x.npy", {2, 4}, {0.5, 0.5, 0.5, 0.5, 0, 1e60, 0, 0});
  expect_refusal({"encrypt", client, "--key", workspace_("s"), "--input", far, "-o", workspace_("c")}, kBadInput,
                 {"x.npy, row 1: input 'x0': element 1 is a private value (--verbose shows it)", "--calibrate"});
  expect_refusal({"encrypt", client, "--key", workspace_("s"), "--input", far, "-o", workspace_("c"), "--verbose"},
                 kBadInput, {"x.npy, row 1: input 'x0': element 1 is 1e+60", "--calibrate"});
  EXPECT_FALSE(std::filesystem::exists(workspace_("c")));
}

TEST_F(InputRefusal, CalibrationIsNeverTakenFromThePrivateInput) {
  const std::string x = workspace_.array("x.npy", {3, 4}, std::vector<double>(12, 0.5));
  expect_refusal({"run", relu_, "--input", x, "--calibrate", x}, kBadInput, {"private inputs", "--calibrate-first"});
}

}  // namespace
}  // namespace tacit::test
