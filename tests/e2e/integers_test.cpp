#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "session/owner/npy.h"
#include "tests/command/model_file.h"
#include "tests/command/run_command.h"
#include "tests/command/workspace.h"

namespace tacit::test {
namespace {

using nlohmann::json;

/// Networks on integers through files, at secure parameters.
class OnIntegers : public ::testing::Test {
 protected:
  /// What decrypt writes at the end of the whole way.
  std::vector<double> through_files(const std::string& model, const std::string& x) const {
    std::vector<std::string> compile{"compile", model, "-o", workspace_(".")};
    compile.insert(compile.end(), options_.begin(), options_.end());
    succeed(compile);
    succeed({"keygen", client_, "--secret", secret_, "--evaluation", evaluation_, "--force"});
    succeed({"encrypt", client_, "--key", secret_, "--input", x, "-o", ct_});
    std::filesystem::rename(secret_, secret_ + ".elsewhere");
    succeed({"evaluate", server_, "--keys", evaluation_, "--input", ct_, "-o", result_});
    std::filesystem::rename(secret_ + ".elsewhere", secret_);
    succeed({"decrypt", client_, "--key", secret_, "--input", result_, "--question", ct_, "-o", workspace_("y.npy")});
    succeed({"verify-receipt", result_ + ".receipt", "--client", client_, "--model", server_, "--keys", evaluation_,
             "--input", ct_, "--output", result_});
    return session::read_npy(workspace_("y.npy")).values();
  }
  /// Samples whose every element takes the ends -1 and 1, and others between.
  std::string calibration() const {
    std::vector<double> numbers{1, 1, 1, 1, -1, -1, -1, -1};
    for (int i = 0; i < 400; ++i) numbers.push_back(std::sin(i * i));
    return workspace_.array("c.npy", {102, 4}, numbers);
  }
  json run_plan(const std::string& model) const {
    std::vector<std::string> arguments{"plan", model, "--json"};
    arguments.insert(arguments.end(), options_.begin(), options_.end());
    return json::parse(succeed(arguments).out);
  }
  json run(const std::string& model, const std::string& x, std::initializer_list<std::string> more) const {
    std::vector<std::string> arguments{"run", model, "--input", x, "--json"};
    arguments.insert(arguments.end(), options_.begin(), options_.end());
    arguments.insert(arguments.end(), more);
    return json::parse(succeed(arguments).out);
  }

  Workspace workspace_;
  const std::string server_ = workspace_("server.tacit"), client_ = workspace_("client.tacit");
  const std::string secret_ = workspace_("my.secret"), evaluation_ = workspace_("my.evaluation");
  const std::string ct_ = workspace_("x.ct"), result_ = workspace_("y.ct");
  std::vector<std::string> options_{"--scheme",  "tfhe",  "--bits",      "4",
                                    "--failure", "2^-40", "--calibrate", calibration()};
};

TEST_F(OnIntegers, PlanDrawsTheRegions) {
  const std::string model = workspace_.bytes("trees.onnx", tree_model_bytes());
  std::vector<std::string> plan{"plan", model, "--regions"};
  plan.insert(plan.end(), options_.begin(), options_.end());
  const std::string drawing = succeed(plan).out;
  EXPECT_TRUE(drawing.starts_with("flowchart LR\n  v0([\"x, 4 inputs\"])\n")) << drawing;
  plan[2] = "--json";
  EXPECT_EQ(json::parse(succeed(plan).out).at("drawing"), drawing);
}

TEST_F(OnIntegers, TreesAnswerThroughFilesAsInOneProcess) {
  const std::string model = workspace_.bytes("trees.onnx", tree_model_bytes());
  const std::vector<double> numbers{-0.5, 0.5, 0.5, 0, 0.9, -0.9, 0, 0, -1, 0.9, -0.9, 1};
  const std::string x = workspace_.array("x.npy", {3, 4}, numbers);
  const std::vector<double> y = through_files(model, x);
  ASSERT_EQ(y.size(), 3u);
  // Leaves are rounded to 3.5 / 255.
  const std::vector<double> expected{2 + 0.5, -3.5 + 0.25, 1 + 0.5};
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], expected[i], 0.015) << i;
  for (const char* threads : {"1", "2"}) {
    const json report = run(model, x, {"--threads", threads, "-o", workspace_("r.npy")});
    EXPECT_EQ(report["scheme"], "tfhe");
    EXPECT_EQ(report["agreement"], 1.0);
    EXPECT_EQ(session::read_npy(workspace_("r.npy")).values(), y) << threads;
  }
  run(model, x, {"--simulate", "-o", workspace_("s.npy")});
  EXPECT_EQ(session::read_npy(workspace_("s.npy")).values(), y);
}

/// Whoever has inputs encrypts them for the owner of the secret key, and needs the client's half and the public key.
TEST_F(OnIntegers, InputsUnderAPublicKeyGiveTheSameAnswers) {
  const std::string model = workspace_.bytes("trees.onnx", tree_model_bytes());
  const std::string x = workspace_.array("x.npy", {3, 4}, {-0.5, 0.5, 0.5, 0, 0.9, -0.9, 0, 0, -1, 0.9, -0.9, 1});
  const std::string open = workspace_("my.public");
  const std::vector<double> expected = through_files(model, x);
  succeed({"keygen", client_, "--secret", secret_, "--evaluation", evaluation_, "--public", open, "--force"});
  std::filesystem::rename(secret_, secret_ + ".elsewhere");
  const CommandResult encrypted = succeed({"encrypt", client_, "--public-key", open, "--input", x, "-o", ct_});
  EXPECT_EQ(encrypted.err, "");
  succeed({"evaluate", server_, "--keys", evaluation_, "--input", ct_, "-o", result_});
  std::filesystem::rename(secret_ + ".elsewhere", secret_);
  succeed({"decrypt", client_, "--key", secret_, "--input", result_, "--question", ct_, "-o", workspace_("y.npy")});
  EXPECT_EQ(session::read_npy(workspace_("y.npy")).values(), expected);
  const json plan = run_plan(model);
  const double bytes = plan["public_key"]["public_input_bytes"];
  EXPECT_TRUE(plan["public_key"]["refused"].is_null());
  EXPECT_GT(bytes, plan["public_key"]["secret_input_bytes"].get<double>());
  EXPECT_NEAR(static_cast<double>(std::filesystem::file_size(ct_)), 3 * bytes, 4096);
  // The noise of inputs is far below that of bootstraps: the stated probability stays.
  EXPECT_NEAR(plan["public_key"]["log2_failure_of_run"], plan["log2_failure_of_run"], 1e-6);
}

/// A feature of trees lies between two borders, or beyond all of them: nothing is outside.
TEST_F(OnIntegers, FeaturesOfTreesMayBeAsFarAsTheyLike) {
  const std::string model = workspace_.bytes("trees.onnx", tree_model_bytes());
  std::vector<std::string> compile{"compile", model, "-o", workspace_(".")};
  compile.insert(compile.end(), options_.begin(), options_.end());
  succeed(compile);
  succeed({"keygen", client_, "--secret", secret_, "--evaluation", evaluation_, "--force"});
  const std::string x = workspace_.array("x.npy", {3, 4}, {0, 0, 0, 0, 5, 0, 0, 0, -3, 0, 0, 7});
  const CommandResult result = succeed({"encrypt", client_, "--key", secret_, "--input", x, "-o", ct_});
  EXPECT_EQ(result.err, "");
}

TEST_F(OnIntegers, APerceptronComputesThroughFiles) {
  const std::string model = workspace_.bytes("m.onnx", model_bytes({.operators = {"Gemm", "Relu", "Gemm"}}));
  const std::vector<double> numbers{0.5, -0.5, 0.25, 0, 0.9, 0.75, -0.9, 0.1};
  const std::vector<double> y = through_files(model, workspace_.array("x.npy", {2, 4}, numbers));
  ASSERT_EQ(y.size(), 8u);
  const auto mix = [](const double* v, std::size_t i) {
    double sum = 0.1 + 0.75 * v[i];
    for (std::size_t j = 0; j < 4; ++j) sum += 0.25 * v[j];
    return sum;
  };
  // Weights of one output sum up to 1.75. Inputs of [-1, 1] are rounded to 15 steps; what the Relu gives and the output
  // are rounded to 15 steps of their ranges, and noise may move each to the next step.
  constexpr double kSteps = 15, kSum = 1.75, kHidden = 0.1 + kSum, kOutput = 0.1 + kSum * kHidden;
  constexpr double kHiddenError = kSum * (1 / kSteps) + 1.5 * kHidden / kSteps;
  constexpr double kOutputError = kSum * kHiddenError + 1.5 * kOutput / kSteps;
  double squares = 0;
  for (std::size_t row = 0; row < 2; ++row) {
    double hidden[4];
    for (std::size_t i = 0; i < 4; ++i) hidden[i] = std::max(0.0, mix(&numbers[4 * row], i));
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(y[4 * row + i], mix(hidden, i), kOutputError) << row << " " << i;
      squares += std::pow(y[4 * row + i] - mix(hidden, i), 2);
    }
  }
  EXPECT_LT(std::sqrt(squares / 8), kOutputError / 3);  // not all are at their worst
}

TEST_F(OnIntegers, ANetworkWithoutLookupsHasNoEvaluationKeys) {
  const std::string model = workspace_.bytes("m.onnx", model_bytes({.operators = {"Gemm"}}));
  const std::vector<double> numbers{0.5, -0.5, 0.25, 0};
  const std::string x = workspace_.array("x.npy", {1, 4}, numbers);
  const std::vector<double> y = through_files(model, x);
  ASSERT_EQ(y.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(y[i], 0.1 + 0.25 * 0.25 + 0.75 * numbers[i], 2e-3) << i;
  constexpr std::uintmax_t kMostBytes = 8192;
  EXPECT_LT(std::filesystem::file_size(evaluation_), kMostBytes);
  EXPECT_LT(std::filesystem::file_size(secret_), kMostBytes);
  const json report = run(model, x, {"-o", workspace_("r.npy")});
  EXPECT_EQ(report["key_bytes"], 0);
  EXPECT_EQ(session::read_npy(workspace_("r.npy")).values(), y);
  // A set with lookups serves as well: so did models before there were sets without.
  options_.insert(options_.end(), {"--parameters", "T4"});
  const std::vector<double> older = through_files(model, x);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(older[i], y[i], 1e-3) << i;
  EXPECT_GT(std::filesystem::file_size(evaluation_), 1000 * kMostBytes);
}

/// 8,000 lookups: the share that noise moves to the next box lies within five deviations of the plan's.
TEST_F(OnIntegers, ASimulationTakesTheNextBoxAsOftenAsPlanned) {
  const std::string model = workspace_.bytes("m.onnx", model_bytes({.operators = {"Gemm", "Relu", "Gemm"}}));
  constexpr int kRows = 2000;
  std::vector<double> numbers;
  for (int i = 0; i < 4 * kRows; ++i) numbers.push_back(0.999 * std::sin(1.7 * i * i + i));
  const std::string x = workspace_.array("many.npy", {kRows, 4}, numbers);
  const json report = run(model, x, {"--simulate"});
  ASSERT_EQ(report["neighbouring_boxes"].size(), 1u);
  const json& layer = report["neighbouring_boxes"][0];
  EXPECT_EQ(layer["lookups"], 4);
  EXPECT_EQ(layer["predicted"], report["neighbour_rate"]);
  const double predicted = layer["predicted"], lookups = 4.0 * kRows;
  EXPECT_GT(predicted, 0.01);
  EXPECT_LT(predicted, 0.3);
  EXPECT_NEAR(layer["measured"].get<double>(), predicted, 5 * std::sqrt(predicted * (1 - predicted) / lookups));
}

/// Of results and not only of labels: to the last bit, for every row, through files and in one process.
TEST_F(OnIntegers, ExactRoundingGivesTheNumbersOfTheSimulation) {
  const std::string model = workspace_.bytes("m.onnx", model_bytes({.operators = {"Gemm", "Relu", "Gemm"}}));
  const std::string x = workspace_.array("x.npy", {2, 4}, {0.5, -0.5, 0.25, 0, 0.9, 0.75, -0.9, 0.1});
  options_.insert(options_.end(), {"--rounding", "exact"});
  const json simulated = run(model, x, {"--simulate", "-o", workspace_("s.npy")});
  EXPECT_EQ(simulated["exact"], true);
  EXPECT_EQ(simulated["rounded_lookups"], 0);
  EXPECT_EQ(simulated["bootstraps"], simulated["lookups"].get<int>() + simulated["rounding_bootstraps"].get<int>());
  EXPECT_GT(simulated["rounding_bootstraps"], 0);
  EXPECT_TRUE(simulated["neighbouring_boxes"].empty());
  EXPECT_EQ(through_files(model, x), session::read_npy(workspace_("s.npy")).values());
  std::vector<std::string> validate{"validate", model, "--input", x, "--count", "1", "--json"};
  validate.insert(validate.end(), options_.begin(), options_.end());
  const json validated = json::parse(succeed(validate).out);
  EXPECT_EQ(validated["failed"], false);
  ASSERT_EQ(validated["operators"].size(), 4u);  // a sum, its rounding, tables, a sum
  EXPECT_EQ(validated["operators"][1]["operation"], "round");
  EXPECT_EQ(validated["operators"][2]["moved"], 0);
}

/// Tables of one argument come out of one bootstrap, up to four of them: through files, in one process, and validated.
TEST_F(OnIntegers, TablesThatShareBootstrapsAnswerThroughFiles) {
  const std::string folder = TACIT_SOURCE_DIR "/examples/trees/";
  const session::NpyArray rows = session::read_npy(folder + "test.npy");
  std::vector<double> two = rows.row(0);
  const std::vector<double> second = rows.row(1);
  two.insert(two.end(), second.begin(), second.end());
  const std::string x = workspace_.array("x.npy", {2, static_cast<std::int64_t>(second.size())}, two);
  const std::string model = folder + "boosted.onnx";
  options_ = {"--scheme", "tfhe", "--bits", "2", "--failure", "2^-40", "--calibrate", folder + "train.npy"};
  const json simulated = run(model, x, {"--simulate", "-o", workspace_("s.npy"), "--output-format", "json"});
  EXPECT_EQ(simulated["exact"], true);
  EXPECT_EQ(simulated["tables_together"], 4);
  EXPECT_LT(simulated["bootstraps"].get<int>(), simulated["lookups"].get<int>());
  std::vector<std::string> compile{"compile", model, "-o", workspace_(".")};
  compile.insert(compile.end(), options_.begin(), options_.end());
  succeed(compile);
  succeed({"keygen", client_, "--secret", secret_, "--evaluation", evaluation_});
  succeed({"encrypt", client_, "--key", secret_, "--input", x, "-o", ct_});
  succeed({"evaluate", server_, "--keys", evaluation_, "--input", ct_, "-o", result_});
  succeed({"decrypt", client_, "--key", secret_, "--input", result_, "--question", ct_, "-o", workspace_("y.json"),
           "--output-format", "json"});
  EXPECT_EQ(read_bytes(workspace_("y.json")), read_bytes(workspace_("s.npy")));
  std::vector<std::string> validate{"validate", model, "--input", x, "--json"};
  validate.insert(validate.end(), options_.begin(), options_.end());
  const json validated = json::parse(succeed(validate).out);
  EXPECT_EQ(validated["failed"], false);
  const json& scores = validated["operators"].back();
  EXPECT_THAT(scores["operators"].get<std::string>(), ::testing::HasSubstr("TreeEnsemble"));
  EXPECT_LT(scores["boxes"].get<double>(), 0.5);
  EXPECT_EQ(scores["cause"], "none");
}

TEST_F(OnIntegers, APlanCountsLookupsAndFailures) {
  const std::string model = workspace_.bytes("trees.onnx", tree_model_bytes());
  std::vector<std::string> arguments{"plan", model, "--json"};
  arguments.insert(arguments.end(), options_.begin(), options_.end());
  const json plan = json::parse(succeed(arguments).out);
  EXPECT_EQ(plan["scheme"], "tfhe");
  EXPECT_EQ(plan["bits"], 4);
  EXPECT_EQ(plan["lookups"], 5);  // three comparisons, a table a tree
  EXPECT_EQ(plan["rounded_lookups"], 0);
  EXPECT_EQ(plan["ciphertexts"], 4);
  EXPECT_LE(plan["log2_failure_of_run"], -37);
  EXPECT_GE(plan["security_bits"], 128);
}

/// Two questions of the same row differ in every coefficient, and their shared numbers in none.
TEST_F(OnIntegers, SharedNumbersDoNotDependOnNoise) {
  options_ = {"--scheme", "tfhe", "--bits", "3", "--rounding", "exact", "--calibrate", calibration()};
  options_.insert(options_.end(), {"--share", "5"});
  const std::string model = workspace_.bytes("m.onnx", model_bytes({.operators = {"Gemm", "Relu", "Gemm"}}));
  const std::string x = workspace_.array("x.npy", {2, 4}, {0.5, -0.25, 0.125, 0.75, 0.5, -0.25, 0.125, 0.75});
  const std::vector<double> own = through_files(model, x);
  const auto shared = [&](const char* bits) {
    succeed({"decrypt", client_, "--key", secret_, "--input", result_, "--question", ct_, "-o", workspace_("y.npy"),
             "--share", bits});
    return session::read_npy(workspace_("y.npy")).values();
  };
  for (const int bits : {5, 0, -1}) {
    const std::vector<double> shown = shared(std::to_string(bits).c_str());
    ASSERT_EQ(shown.size(), own.size());
    for (std::size_t e = 0; e < shown.size(); ++e) {
      EXPECT_EQ(std::ldexp(shown[e], bits), std::nearbyint(std::ldexp(own[e], bits))) << "no flood moves it";
      EXPECT_EQ(shown[e], shown[(e + shown.size() / 2) % shown.size()]) << "the other question";
    }
  }
  const json plan = run_plan(model);
  EXPECT_EQ(plan.at("exact"), true);
  EXPECT_LT(plan.at("shared_numbers").at("log2_failure_of_run"), -120);
  EXPECT_TRUE(plan.at("shared_numbers").at("refused").is_null());
  // Six results are counted. The least number that any call promises holds for all.
  const CommandResult more = run_command({"decrypt", client_, "--key", secret_, "--input", result_, "-o",
                                          workspace_("y.npy"), "--share", "5", "--share-decryptions", "7"});
  EXPECT_NE(more.status, 0);
  EXPECT_THAT(more.last_error_line(), ::testing::HasSubstr("were shared under this key"));
}

}  // namespace
}  // namespace tacit::test
