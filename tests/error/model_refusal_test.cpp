#include <gtest/gtest.h>

#include "tests/command/model_file.h"
#include "tests/command/workspace.h"
#include "tests/error/refusal.h"

namespace tacit::test {
namespace {

class ModelRefusal : public ::testing::Test {
 protected:
  void expect(const std::string& model, const std::vector<std::string>& parts,
              const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"run", model, "--input",
                                       workspace_.array("x.npy", {1, 4}, {0.1, 0.2, 0.3, 0.4})};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_refusal(arguments, kBadInput, parts);
  }
  Workspace workspace_;
  const std::string good_ = model_bytes({.operators = {"Gemm", "Mul", "Gemm"}});
};

TEST_F(ModelRefusal, MissingFile) { expect(workspace_("none.onnx"), {"none.onnx"}); }

TEST_F(ModelRefusal, FolderInsteadOfAFile) { expect(workspace_("."), {}); }

TEST_F(ModelRefusal, TruncatedFile) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{5}, good_.size() / 3, good_.size() / 2, good_.size() - 1})
    expect(workspace_.bytes("cut.onnx", good_.substr(0, bytes)), {"cut.onnx"});
}

TEST_F(ModelRefusal, FileThatIsNoModel) {
  expect(workspace_.bytes("text.onnx", "This is a text and no network.\n"), {"text.onnx"});
  expect(workspace_.bytes("noise.onnx", std::string(5000, '\xA7')), {"noise.onnx"});
}

TEST_F(ModelRefusal, UnsupportedOperatorIsNamedWithItsNode) {
  expect(workspace_.bytes("sin.onnx", model_bytes({.operators = {"Gemm", "NoSuchOperator"}})), {"NoSuchOperator"});
  expect(workspace_.bytes("unique.onnx", model_bytes({.operators = {"Gemm", "NonZero"}})), {"NonZero", "n1"});
}

TEST_F(ModelRefusal, UnsupportedOpset) {
  expect(workspace_.bytes("future.onnx", model_bytes({.operators = {"Gemm"}, .opset = 999})), {"999"});
}

TEST_F(ModelRefusal, DynamicShapeOtherThanTheBatch) {
  expect(workspace_.bytes("dynamic.onnx", model_bytes({.input_shape = {1, -1, -1}, .operators = {"Mul"}})), {"x0"});
}

TEST_F(ModelRefusal, MissingCalibrationForAFunctionThatIsNoPolynomial) {
  expect(workspace_.bytes("relu.onnx", model_bytes({.operators = {"Gemm", "Relu", "Gemm"}})), {"calibrat"});
}

TEST_F(ModelRefusal, RangesThatOverflowOrDrownInNoise) {
  const std::string model = workspace_.bytes("good.onnx", good_);
  expect(model, {"n1", "interval arithmetic", "--calibrate"}, {"--input-range", "-1e20,1e20"});
  expect(model, {"input 'x0'", "noise"}, {"--input-range", "-1e-6,1e-6"});
}

TEST_F(ModelRefusal, BatchesThatAreNone) {
  const std::string model = workspace_.bytes("m.onnx", model_bytes({}));
  for (const char* batch : {"0", "-3", "5000"})
    expect_refusal({"plan", model, "--input-range", "-1,1", "--batch", batch}, kBadInput, {batch, "1 to 4096"});
  for (const char* batch : {"many", "2.5", "", "9999999999999999999999"})
    EXPECT_NE(run_command({"plan", model, "--batch", batch}).status, 0) << batch;
}

TEST_F(ModelRefusal, MemoryBudgetThatCannotBeMet) {
  const std::string model = workspace_.bytes("good.onnx", good_);
  expect(model, {"--memory 977 KiB", "allow more"}, {"--memory", "1MB"});
  // More than the process holds, less than the keys of a deep network take.
  const std::string deep =
      workspace_.bytes("deep.onnx", model_bytes({.operators = std::vector<std::string>(14, "Mul")}));
  expect(deep,
         {"budget is 72.0 MiB", "keys, weights and ciphertexts of model", "the program itself", "allow", "(--memory)"},
         {"--memory", "72MiB", "--input-range", "-1,1"});
  expect(model, {"potatoes"}, {"--memory", "16potatoes"});
}

TEST_F(ModelRefusal, ParametersAboveTheSecurityTable) {
  const std::string model = workspace_.bytes("good.onnx", good_);
  const std::string weak = workspace_.bytes(
      "weak.json",
      R"({"name": "weak", "log_n": 13, "q_bits": [50, 40, 40, 40, 40], "p_bits": [50], "log_scale": 40, "insecure": false})");
  expect(model, {"214"}, {"--parameters", weak});
  expect(model, {"no-such-set"}, {"--parameters", "no-such-set"});
  expect(model, {"broken.json", "not JSON"}, {"--parameters", workspace_.bytes("broken.json", "{x")});
  expect(model, {}, {"--parameters", workspace_.bytes("broken.json", "{\"log_n\": ")});
}

}  // namespace
}  // namespace tacit::test
