#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "session/owner/npy.h"
#include "tests/command/model_file.h"
#include "tests/command/run_command.h"
#include "tests/command/workspace.h"

namespace tacit::test {
namespace {

using nlohmann::json;

/// The whole way through files, as client and server would go it.
void compute_through_files(const Workspace& workspace, const std::vector<std::string>& compile,
                           const std::vector<std::string>& encrypt, const std::string& key,
                           const std::string& option = "--key") {
  std::vector<std::string> arguments{"compile"};
  arguments.insert(arguments.end(), compile.begin(), compile.end());
  arguments.insert(arguments.end(), {"-o", workspace(".")});
  succeed(arguments);
  succeed({"keygen", workspace("client.tacit"), "--secret", workspace("secret"), "--evaluation",
           workspace("evaluation"), "--public", workspace("public")});
  arguments = {"encrypt", workspace("client.tacit"), option, workspace(key), "-o", workspace("x.ct")};
  arguments.insert(arguments.end(), encrypt.begin(), encrypt.end());
  succeed(arguments);
  std::filesystem::rename(workspace("secret"), workspace("secret.elsewhere"));
  succeed({"evaluate", workspace("server.tacit"), "--keys", workspace("evaluation"), "--input", workspace("x.ct"), "-o",
           workspace("y.ct")});
  std::filesystem::rename(workspace("secret.elsewhere"), workspace("secret"));
  succeed({"decrypt", workspace("client.tacit"), "--key", workspace("secret"), "--input", workspace("y.ct"), "-o",
           workspace("y.npy")});
}

TEST(ClientServer, ASmallNetworkComputesTheSameThroughFiles) {
  const Workspace workspace;
  const std::string model = workspace.bytes("m.onnx", model_bytes({.operators = {"Gemm", "Mul", "Gemm"}}));
  const std::string x = workspace.array("x.npy", {2, 4}, {0.5, -0.5, 0.25, 0, 1, 0.75, -1, 0.1});
  // Public keys were given with --key once.
  for (const auto& [key, option] :
       {std::pair<std::string, std::string>("secret", "--key"), {"public", "--public-key"}, {"public", "--key"}}) {
    std::filesystem::remove(workspace("secret"));
    compute_through_files(workspace, {model, "--input-range", "-1,1"}, {"--input", x}, key, option);
    const session::NpyArray y = session::read_npy(workspace("y.npy"));
    ASSERT_EQ(y.shape(), (std::vector<std::int64_t>{2, 4}));
    const std::vector<double> values = session::read_npy(x).values(), results = y.values();
    const auto mix = [](const double* v, std::size_t i) {
      double sum = 0.1 + 0.75 * v[i];
      for (std::size_t j = 0; j < 4; ++j) sum += 0.25 * v[j];
      return sum;
    };
    for (std::size_t row = 0; row < 2; ++row) {
      double squares[4];
      for (std::size_t i = 0; i < 4; ++i) squares[i] = std::pow(mix(&values[4 * row], i), 2);
      for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(results[4 * row + i], mix(squares, i), 1e-3) << key;
    }
  }
}

TEST(ClientServer, QuestionsAreAsSmallAsThePlanSaysAndAnswersAreTheSame) {
  const Workspace workspace;
  const std::string model = workspace.bytes("m.onnx", model_bytes({.operators = {"Gemm", "Mul", "Gemm"}}));
  const std::string x = workspace.array("x.npy", {2, 4}, {0.5, -0.5, 0.25, 0, 1, 0.75, -1, 0.1});
  std::vector<double> results[2], questions, answers;
  for (const bool thin : {false, true}) {
    std::filesystem::remove(workspace("secret"));
    std::vector<std::string> options{model, "--input-range", "-1,1"};
    if (!thin) options.insert(options.end(), {"--passes", "no-small-questions"});
    std::vector<std::string> plan{"plan", "--json"};
    plan.insert(plan.end(), options.begin(), options.end());
    const double planned = json::parse(succeed(plan).out)["public_key"]["secret_input_bytes"];
    compute_through_files(workspace, options, {"--input", x}, "secret");
    results[thin ? 1 : 0] = session::read_npy(workspace("y.npy")).values();
    questions.push_back(static_cast<double>(std::filesystem::file_size(workspace("x.ct"))));
    answers.push_back(static_cast<double>(std::filesystem::file_size(workspace("y.ct"))));
    EXPECT_NEAR(questions.back(), 2 * planned, 2048) << "the head of the file, and of two ciphertexts";
  }
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(results[0][i], results[1][i], 1e-4);
  EXPECT_NEAR(questions[1] / questions[0], 0.25, 0.03);
  EXPECT_EQ(answers[1], answers[0]) << "answers need no trace";
}

// Five inputs in runs of two: the last run has a free place.
TEST(ClientServer, ABatchGivesEveryInputItsOwnAnswer) {
  const Workspace workspace;
  const std::string model = workspace.bytes("m.onnx", model_bytes({.operators = {"Gemm", "Mul", "Gemm"}}));
  std::vector<double> numbers;
  for (int i = 0; i < 20; ++i) numbers.push_back(std::sin(i));
  const std::string x = workspace.array("x.npy", {5, 4}, numbers);
  compute_through_files(workspace, {model, "--input-range", "-1,1", "--batch", "2"}, {"--input", x}, "secret");
  const session::NpyArray batched = session::read_npy(workspace("y.npy"));
  ASSERT_EQ(batched.shape(), (std::vector<std::int64_t>{5, 4}));
  std::filesystem::remove(workspace("secret"));
  compute_through_files(workspace, {model, "--input-range", "-1,1"}, {"--input", x}, "secret");
  const std::vector<double> found = batched.values(), expected = session::read_npy(workspace("y.npy")).values();
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-3) << i;

  const auto report = [&](const std::string& batch) {
    return json::parse(succeed({"run", model, "--input", x, "--input-range", "-1,1", "--batch", batch, "--json"}).out);
  };
  const json pairs = report("2"), cheapest = report("auto");
  EXPECT_EQ(pairs["batch"], 2);
  EXPECT_EQ(pairs["images"], 5);
  EXPECT_EQ(pairs["agreement"], 1.0);
  EXPECT_EQ(pairs["estimate"]["run_seconds"], 2 * pairs["estimate"]["seconds"].get<double>());
  EXPECT_GT(cheapest["batch"], 2);
  EXPECT_LT(cheapest["estimate"]["seconds"], pairs["estimate"]["seconds"]);
  EXPECT_EQ(cheapest["agreement"], 1.0);
}

TEST(ClientServer, AnInputOutsideItsRangeLeavesTheOthersOfItsBatchTheirAnswers) {
  const Workspace workspace;
  const std::string model = workspace.bytes("m.onnx", model_bytes({.operators = {"Gemm", "Mul", "Gemm"}}));
  const std::string x = workspace.array("x.npy", {3, 4}, {0.5, -0.5, 0.25, 0, 7, 0.75, -1, 0.1, 0.1, 0.2, 0.3, 0.4});
  const json report =
      json::parse(succeed({"run", model, "--input", x, "--input-range", "-1,1", "--batch", "3", "--json"}).out);
  EXPECT_EQ(report["images"], 3);
  EXPECT_EQ(report["missed_inputs"], json::array({1}));
  EXPECT_LT(report["max_abs_error"], 1e-3);
}

TEST(ClientServer, TheJsonOfRunHasWhatScriptsReadFromIt) {
  const Workspace workspace;
  const std::string model = workspace.bytes("m.onnx", model_bytes({.operators = {"Gemm", "Mul", "Gemm"}}));
  const std::string x = workspace.array("x.npy", {2, 4}, {0.5, -0.5, 0.25, 0, 1, 0.75, -1, 0.1});
  const json report =
      json::parse(succeed({"run", model, "--input", x, "--labels", workspace.array("y.npy", {2}, {0, 1}),
                           "--input-range", "-1,1", "--json", "--threads", "1"})
                      .out);
  for (const char* field : {"model", "scheme", "security_bits", "log_n", "log_qp", "levels", "threads", "images",
                            "agreement", "accuracy_encrypted", "accuracy_plain", "max_abs_error", "seconds",
                            "rotations", "ciphertexts", "key_bytes", "peak_memory_bytes", "approximations"})
    EXPECT_TRUE(report.contains(field)) << field;
  for (const char* field : {"compile", "keygen", "encode", "encrypt", "evaluate", "decrypt"})
    EXPECT_GE(report.at("seconds").at(field), 0) << field;
  double planned = 0, measured = 0;
  for (const auto& [operation, seconds] : report.at("operation_seconds").items()) {
    planned += seconds.at("planned").get<double>();
    measured += seconds.at("measured").get<double>();
  }
  EXPECT_NEAR(planned, report.at("estimate").at("seconds").get<double>(), 1e-9);
  EXPECT_GT(measured, 0);
  EXPECT_LE(measured, report.at("seconds").at("evaluate").get<double>());
  EXPECT_EQ(report.at("model"), "m.onnx");
  EXPECT_EQ(report.at("scheme"), "ckks");
  EXPECT_EQ(report.at("images"), 2);
  EXPECT_EQ(report.at("threads"), 1);
  EXPECT_EQ(report.at("agreement"), 1.0);
  EXPECT_GE(report.at("security_bits"), 128);
  EXPECT_GT(report.at("key_bytes"), 10000);
}

TEST(ClientServer, AnInputThatIsAPictureIsShownWholeBesideItsAnswers) {
  const Workspace workspace;
  const std::string model = workspace.bytes("m.onnx", model_bytes({.input_shape = {1, 16, 2}, .operators = {"Mul"}}));
  std::vector<double> pixels(32, -1.0);
  pixels[0] = pixels[2] = pixels[29] = pixels[31] = 1;
  const std::string x = workspace.array("x.npy", {1, 16, 2}, pixels);
  const std::string out = succeed({"run", model, "--input", x, "--input-range", "-1,1", "--show"}).out;
  EXPECT_THAT(out, ::testing::StartsWith("  @ \n    \n       input 0\n       encrypted"));
  EXPECT_THAT(out, ::testing::ContainsRegex("       plaintext   [0-9]+\n       [0-9.]+ s\n    \n   @\n\n"));
}

TEST(ClientServer, TooLittleAgreementIsAFailure) {
  const Workspace workspace;
  const std::string model = workspace.bytes("m.onnx", model_bytes({.operators = {"Gemm"}}));
  const std::string x = workspace.array("x.npy", {1, 4}, {0.5, -0.5, 0.25, 0});
  succeed({"run", model, "--input", x, "--input-range", "-1,1", "--expect-agreement", "1"});
  EXPECT_EQ(run_command({"run", model, "--input", x, "--expect-agreement", "2"}).status, 2);
}

TEST(ClientServer, EveryCommandExplainsItselfWithAnExample) {
  for (const std::string command : {"run", "compile", "keygen", "encrypt", "evaluate", "decrypt", "plan"}) {
    const CommandResult help = succeed({command, "--help"});
    EXPECT_THAT(help.out, ::testing::HasSubstr("Example:\n  tacit " + command)) << command;
    EXPECT_THAT(help.out, ::testing::HasSubstr("--json")) << command;
  }
}

TEST(ClientServer, APlanNeedsNoKeys) {
  const Workspace workspace;
  const std::string model = workspace.bytes("m.onnx", model_bytes({.operators = {"Gemm", "Mul", "Gemm"}}));
  const json plan = json::parse(succeed({"plan", model, "--input-range", "-1,1", "--json"}).out);
  EXPECT_FALSE(plan.at("instructions").empty());
  for (const char* field : {"layout", "level", "diagonals", "rotations"})
    EXPECT_TRUE(plan.at("instructions")[0].contains(field)) << field;
  EXPECT_THAT(succeed({"plan", model, "--input-range", "-1,1"}).out, ::testing::HasSubstr("128-bit security"));
}

TEST(ClientServer, OptionsMayStandBeforeTheModel) {
  const Workspace workspace;
  const std::string model = workspace.bytes("m.onnx", model_bytes({.operators = {"Gemm"}}));
  const std::string x = workspace.array("x.npy", {1, 4}, {0.5, -0.5, 0.25, 0});
  succeed({"run", "--input", x, "--mean", "0,0,0,0", "--std", "1", "--calibrate",
           workspace.array("c.npy", {2, 4}, {1, 1, 1, 1, -1, -1, -1, -1}), model});
}

TEST(ClientServer, BenchmarksStateTheClockAndTheInstructionSet) {
  const json report = json::parse(succeed({"bench", "ckks", "--filter", "N 2^13, 50", "--seconds", "0", "--json"}).out);
  EXPECT_EQ(report.at("results").size(), 3u);
  EXPECT_EQ(report.at("results")[0].at("traffic_bytes"), 2.0 * 8 * 8192);
  EXPECT_GT(report.at("results")[0].at("share_of_bound"), 0.0);
  EXPECT_EQ(report.at("results")[0].at("memory_bound_seconds"), 0.0) << "it stays in the caches";
  EXPECT_GT(report.at("results")[0].at("seconds"), 0.0);
  for (const char* clock : {"clock_ghz", "clock_ghz_after"}) {
    EXPECT_GT(report.at(clock), 0.1) << clock;
    EXPECT_LT(report.at(clock), 100) << clock;
  }
  EXPECT_TRUE(report.contains("instruction_set"));
  EXPECT_EQ(run_command({"bench", "ckks", "--filter", "no such benchmark"}).status, 2);
}

TEST(ClientServer, ConvolutionsAreBenchmarkedWithTheirPlans) {
  EXPECT_EQ(succeed({"bench", "conv", "--list"}).out, "stem, stage1, stage2, stage3, stage4, pointwise\n");
  const json report = json::parse(succeed({"bench", "conv", "--case", "pointwise", "--plan", "--json"}).out);
  ASSERT_EQ(report.at("results").size(), 1u);
  const json& plan = report.at("results")[0].at("plan");
  EXPECT_EQ(plan.at("level"), 3);
  EXPECT_EQ(plan.at("terms")[0].at("input_ciphertexts"), 4);
  EXPECT_EQ(plan.at("terms")[0].at("output_ciphertexts"), 1);
  EXPECT_EQ(plan.at("terms")[0].at("products"), 4 * 1023);
  EXPECT_LT(plan.at("rotations"), 768);
  const CommandResult table = succeed({"bench", "conv", "--case", "pointwise", "--plan"});
  EXPECT_NE(table.out.find("4 -> 1"), std::string::npos) << table.out;
}

TEST(ClientServer, ARealNetworkGivesTheGoldenOutputsThroughFiles) {
  const auto data = external_data();
  if (!data) GTEST_SKIP() << "TACIT_DATA is unset";
  const Workspace workspace;
  const std::string images = (*data / "mnist/images_public.npy").string();
  compute_through_files(workspace,
                        {(*data / "models/mnist/lola_small_mnist.onnx").string(), "--scale", "256", "--calibrate",
                         images, "--calibrate-first", "400"},
                        {"--input", images, "--scale", "256", "--first", "5", "--count", "2"}, "secret");
  const session::NpyArray golden = session::read_npy(*data / "golden/lola_small_mnist_public.npy");
  const session::NpyArray y = session::read_npy(workspace("y.npy"));
  ASSERT_EQ(y.shape(), (std::vector<std::int64_t>{2, 10}));
  for (std::int64_t i = 0; i < 2; ++i) {
    const std::vector<double> expected = golden.row(5 + i), actual = y.row(i);
    EXPECT_EQ(std::max_element(actual.begin(), actual.end()) - actual.begin(),
              std::max_element(expected.begin(), expected.end()) - expected.begin());
    for (std::size_t k = 0; k < 10; ++k) EXPECT_NEAR(actual[k], expected[k], 20);
  }
  // The client's half holds no weights.
  EXPECT_LT(std::filesystem::file_size(workspace("client.tacit")), 100000u);
}

}  // namespace
}  // namespace tacit::test
