#include <gtest/gtest.h>

#include "tests/command/model_file.h"
#include "tests/command/workspace.h"
#include "tests/error/refusal.h"

namespace tacit::test {
namespace {

class RangesCommandRefusal : public ::testing::Test {
 protected:
  RangesCommandRefusal() {
    const CommandResult result = run_command({"calibrate", model_, "--input", samples_, "-o", ranges_});
    EXPECT_EQ(result.status, 0) << result.err;
  }
  void expect(const std::string& ranges, const std::vector<std::string>& parts,
              const std::vector<std::string>& more = {}, const std::string& model = {}) const {
    std::vector<std::string> command{"plan", model.empty() ? model_ : model, "--ranges", ranges};
    command.insert(command.end(), more.begin(), more.end());
    expect_refusal(command, kBadInput, parts);
  }
  const Workspace workspace_;
  const std::string model_ = workspace_.bytes("m.onnx", model_bytes({.operators = {"Gemm", "Relu", "Gemm"}}));
  const std::string samples_ = workspace_.array("train.npy", {3, 4}, {1, 2, 3, 4, -1, -2, -3, 0.5, 0, 1, 0, 1});
  const std::string ranges_ = workspace_("ranges.json");
};

TEST_F(RangesCommandRefusal, EveryCommandThatCompilesReadsTheFile) {
  for (const std::vector<std::string>& command : {std::vector<std::string>{"plan", model_},
                                                  {"compile", model_, "-o", workspace_("compiled")},
                                                  {"run", model_, "--input", samples_},
                                                  {"validate", model_, "--input", samples_}}) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--ranges", workspace_("none.json")});
    expect_refusal(arguments, kBadInput, {"none.json", "no file", "tacit calibrate"});
  }
}

TEST_F(RangesCommandRefusal, NoRanges) {
  expect(workspace_("."), {"no file"});
  expect(workspace_.bytes("text.json", "ranges"), {"text.json", "not JSON"});
  expect(workspace_.bytes("cut.json", read_bytes(ranges_).substr(0, 500)), {"cut.json", "not JSON"});
  expect(workspace_.bytes("large.json", std::string((std::size_t{64} << 20) + 1, ' ')),
         {"large.json", "67108864 bytes"});
  expect(workspace_.bytes("part.json", R"({"format": "tacit ranges 1"})"), {"part.json", "\"model\" is missing"});
  std::string beyond = read_bytes(ranges_);
  beyond.replace(beyond.find("\"range\":["), 9, "\"range\":[1e999,");
  expect(workspace_.bytes("beyond.json", beyond), {"beyond.json"});
}

TEST_F(RangesCommandRefusal, OtherModelsAndOptionsByName) {
  expect(ranges_, {"another model", "tacit calibrate"}, {},
         workspace_.bytes("n.onnx", model_bytes({.operators = {"Gemm", "Relu"}})));
  expect(ranges_, {"--max-degree 59", "15"}, {"--max-degree", "15"});
  expect(ranges_, {"--max-polynomial-error"}, {"--max-polynomial-error", "0.2"});
  expect(ranges_, {"--parameters", "N15-d15"}, {"--parameters", "N15-d15"});
  expect(ranges_, {"--share"}, {"--share", "2"});
  expect(ranges_, {"--keep-private", "n2"}, {"--keep-private", "n2"});
  expect(ranges_, {"--client-before on", "off"}, {"--client-before", "off"});
}

TEST_F(RangesCommandRefusal, OfTheOtherSchemeSayWhatIsMissingAndHowToWriteIt) {
  expect(ranges_, {"ranges.json: they were measured for --scheme ckks", "'tacit calibrate' with --scheme tfhe"},
         {"--scheme", "tfhe"});
  const std::string integers = workspace_("integers.json");
  const CommandResult result =
      run_command({"calibrate", model_, "--input", samples_, "-o", integers, "--scheme", "tfhe", "--bits", "4"});
  ASSERT_EQ(result.status, 0) << result.err;
  expect(integers, {"integers.json: they were measured for --scheme tfhe", "'tacit calibrate' with --scheme ckks"});
  expect(integers, {"measured for --bits 4, and this compilation has 6"}, {"--scheme", "tfhe"});
  expect(integers, {"--rounding approximate, and this compilation has exact"},
         {"--scheme", "tfhe", "--bits", "4", "--rounding", "exact"});
  expect(integers, {"--failure 2^-128, and this compilation has 2^-40"},
         {"--scheme", "tfhe", "--bits", "4", "--failure", "2^-40"});
  expect(integers, {"leave out no pass"}, {"--scheme", "tfhe", "--bits", "4", "--passes", "no-fold"});
  expect(integers, {"--max-error", "samples"}, {"--scheme", "tfhe", "--bits", "4", "--max-error", "5%"});
  expect(integers, {"another model"}, {"--scheme", "tfhe", "--bits", "4"},
         workspace_.bytes("n.onnx", model_bytes({.operators = {"Gemm", "Relu"}})));
  std::string later = read_bytes(integers);
  later.replace(later.find("ranges 1"), 8, "ranges 9");
  expect(workspace_.bytes("later.json", later), {"later.json: 'format' is not \"tacit integer ranges 1\""},
         {"--scheme", "tfhe", "--bits", "4"});
  std::string damaged = read_bytes(integers);
  damaged.replace(damaged.find("\"means\":["), 9, "\"means\":[7,");
  expect(workspace_.bytes("damaged.json", damaged), {"the ranges do not fit the network: value 0"},
         {"--scheme", "tfhe", "--bits", "4"});
  expect_refusal({"calibrate", model_, "--input", samples_, "-o", integers, "--scheme", "auto"}, kBadInput,
                 {"give --scheme ckks or --scheme tfhe"});
}

TEST_F(RangesCommandRefusal, RangesBesideSamples) {
  expect(ranges_, {"--ranges", "--calibrate", "one of them"}, {"--calibrate", samples_});
  expect(ranges_, {"--ranges", "--calibrate-first"}, {"--calibrate-first", "1"});
  expect(ranges_, {"--ranges", "--calibrate-count"}, {"--calibrate-count", "1"});
}

TEST_F(RangesCommandRefusal, CalibrationsThatCannotBe) {
  expect_refusal({"calibrate", model_, "--input", samples_}, kBadInput, {"--output"});
  expect_refusal({"calibrate", model_, "-o", ranges_}, kBadInput, {"--input"});
  expect_refusal({"calibrate", model_, "--input", samples_, "-o", samples_}, kBadInput, {"train.npy"});
  expect_refusal({"calibrate", model_, "--input", samples_, "-o", model_}, kBadInput, {"m.onnx"});
  expect_refusal({"calibrate", model_, "--input", samples_, "-o", workspace_("none/r.json")}, kBadInput, {"none"});
  expect_refusal({"calibrate", model_, "--input", samples_, "-o", ranges_, "--first", "3"}, kBadInput,
                 {"--first 3", "3 samples"});
  expect_refusal({"calibrate", model_, "--input", samples_, "-o", ranges_, "--count", "0"}, kBadInput,
                 {"--count 0", "at least 1"});
}

}  // namespace
}  // namespace tacit::test
