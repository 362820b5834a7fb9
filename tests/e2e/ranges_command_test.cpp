#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/command/model_file.h"
#include "tests/command/run_command.h"
#include "tests/command/workspace.h"

namespace tacit::test {
namespace {

using nlohmann::json;
using Arguments = std::vector<std::string>;

Arguments joined(Arguments all, const Arguments& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// A .npy file of bytes, whose values are known to lie between 0 and 255.
std::string byte_array(const std::string& shape, std::size_t count) {
  std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': " + shape + ", }";
  header.resize(117, ' ');
  header += '\n';
  std::string file = std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header;
  for (std::size_t i = 0; i < count; ++i) file += static_cast<char>(i * i * 37 % 251);
  return file;
}

class RangesCommand : public ::testing::Test {
 protected:
  /// Expects that a model compiles to the same halves and the same plan with samples and with their ranges,
  /// but for the errors, which samples alone tell.
  void expect_same(const std::string& model, const std::string& samples, const Arguments& preprocessing,
                   const Arguments& options) const {
    const std::string ranges = workspace_("ranges.json");
    succeed(joined(joined({"calibrate", model, "--input", samples, "-o", ranges}, preprocessing), options));
    const Arguments by_samples = joined(joined({"--calibrate", samples}, preprocessing), options),
                    by_ranges = joined({"--ranges", ranges}, options);
    succeed(joined({"compile", model, "-o", workspace_("samples")}, by_samples));
    succeed(joined({"compile", model, "-o", workspace_("ranges")}, by_ranges));
    for (const char* half : {"/server.tacit", "/client.tacit"})
      EXPECT_TRUE(read_bytes(workspace_("samples") + half) == read_bytes(workspace_("ranges") + half)) << half;
    const auto plan = [&](const Arguments& choices) {
      json report = json::parse(succeed(joined({"plan", model, "--json"}, choices)).out);
      for (const char* of_samples : {"compile_seconds", "outputs", "expected_errors", "warnings"})
        report.erase(of_samples);
      return report;
    };
    EXPECT_EQ(plan(by_samples), plan(by_ranges));
  }
  const Workspace workspace_;
};

TEST_F(RangesCommand, TheFashionExampleCompilesToTheSameHalves) {
  const std::string samples = workspace_.bytes("images.npy", byte_array("(80, 28, 28)", std::size_t{80} * 28 * 28));
  expect_same(TACIT_SOURCE_DIR "/examples/fashion/model.onnx", samples,
              {"--scale", "255", "--mean", "0.286", "--std", "0.353"}, {});
}

TEST_F(RangesCommand, NetworksWithFunctionsRunByRangesAlone) {
  const std::string model = workspace_.bytes("m.onnx", model_bytes({.operators = {"Gemm", "Relu", "Gemm", "Sigmoid"}}));
  std::vector<double> numbers(400);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i * i * 37 % 201) / 100 - 1;
  const std::string samples = workspace_.array("train.npy", {100, 4}, numbers);
  expect_same(model, samples, {}, {"--max-degree", "15", "--client-before", "off", "--share", "4"});
  expect_same(model, samples, {}, {"--keep-private", "n3"});
  expect_same(model, samples, {}, {});

  const Arguments run{
      "run",      model,
      "--input",  workspace_.array("x.npy", {3, 4}, {0.9, 0.1, -0.3, 0.2, -0.5, 0.1, 0.8, 0, 0.1, 0.2, 0.3, 0.9}),
      "--ranges", workspace_("ranges.json"),
      "--json"};
  for (const Arguments& way : {Arguments{}, Arguments{"--simulate"}}) {
    const json report = json::parse(succeed(joined(run, way)).out);
    EXPECT_EQ(report.at("agreement"), 1.0);
    EXPECT_EQ(report.at("images"), 3);
  }
}

/// Sums with tables, and trees whose borders lie among decoys that samples place.
TEST_F(RangesCommand, ModelsOnIntegersCompileToTheSameHalves) {
  const std::string trees = TACIT_SOURCE_DIR "/examples/trees/";
  expect_same(trees + "perceptron.onnx", trees + "train.npy", {}, {"--scheme", "tfhe", "--bits", "5"});
  expect_same(trees + "boosted.onnx", trees + "train.npy", {},
              {"--scheme", "tfhe", "--bits", "3", "--rounding", "exact", "--failure", "2^-64"});
  const Arguments run{"run",        trees + "boosted.onnx",
                      "--input",    trees + "test.npy",
                      "--count",    "20",
                      "--ranges",   workspace_("ranges.json"),
                      "--scheme",   "tfhe",
                      "--bits",     "3",
                      "--rounding", "exact",
                      "--failure",  "2^-64",
                      "--simulate", "--json"};
  const json report = json::parse(succeed(run).out);
  EXPECT_EQ(report.at("images"), 20);
  EXPECT_GE(report.at("agreement"), 0.9);
}

TEST_F(RangesCommand, OneLineSaysWhatWasWritten) {
  const std::string model = workspace_.bytes("m.onnx", model_bytes({.operators = {"Gemm", "Relu"}}));
  const std::string samples = workspace_.array("train.npy", {2, 4}, {1, 2, 3, 4, -1, -2, -3, 0.5});
  const Arguments calibrate{"calibrate", model, "--input", samples, "--first", "1", "-o", workspace_("r.json")};
  EXPECT_THAT(succeed(calibrate).out, testing::HasSubstr("1 sample"));
  const json report = json::parse(succeed(joined(calibrate, {"--json"})).out);
  EXPECT_EQ(report.at("samples"), 1);
  EXPECT_EQ(report.at("bytes"), read_bytes(workspace_("r.json")).size());
  EXPECT_EQ(json::parse(read_bytes(workspace_("r.json"))).at("model"), report.at("model"));
}

}  // namespace
}  // namespace tacit::test
