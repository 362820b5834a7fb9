#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/command/model_file.h"
#include "tests/command/run_command.h"
#include "tests/command/workspace.h"

namespace tacit::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using Arguments = std::vector<std::string>;

/// Under mpirun. `line` is what follows its own options.
CommandResult mpirun(const Arguments& line) {
  Arguments arguments{"--oversubscribe", "--allow-run-as-root"};
  arguments.insert(arguments.end(), line.begin(), line.end());
  return run_program(TACIT_MPIRUN, arguments);
}

CommandResult on_ranks(int ranks, const Arguments& arguments) {
  Arguments line{"-n", std::to_string(ranks), tacit_command()};
  line.insert(line.end(), arguments.begin(), arguments.end());
  return mpirun(line);
}

/// Files of one network, and what ranks make of them.
class EvaluatedOnRanks : public ::testing::Test {
 protected:
  Arguments evaluate(const std::string& input, const std::string& output) const {
    return {"evaluate",         server_,     "--keys", keys_,       "--input", workspace_(input), "-o",
            workspace_(output), "--threads", "1",      "--insecure"};
  }
  Arguments evaluate_kept(const std::string& input, const std::string& folder) const {
    Arguments arguments = evaluate(input, "y.ct");
    arguments.insert(arguments.end(), {"--checkpoint", folder});
    return arguments;
  }

  /// Any number of ranks writes the results and the receipt of one process.
  void expect_results_of_one_process(const std::string& input) const {
    succeed(evaluate(input, "alone.ct"));
    const std::string alone = read_bytes(workspace_("alone.ct")), receipt = read_bytes(workspace_("alone.ct.receipt"));
    for (const int ranks : {1, 2, 4}) {
      const CommandResult result = on_ranks(ranks, evaluate(input, "ranks.ct"));
      ASSERT_EQ(result.status, 0) << ranks << ": " << result.err;
      EXPECT_EQ(read_bytes(workspace_("ranks.ct")), alone) << ranks;
      EXPECT_EQ(read_bytes(workspace_("ranks.ct.receipt")), receipt) << ranks;
    }
  }

  /// Rank 1 of two dies when a layer was kept. The others stop, and the same command goes on.
  void expect_to_go_on_after_a_rank_died(const std::string& input) const {
    succeed(evaluate(input, "alone.ct"));
    const std::string folder = workspace_("kept");
    const Arguments arguments = evaluate_kept(input, folder);
    std::string words;
    for (const std::string& argument : arguments) words += " '" + argument + "'";
    const std::string dies = "(while ! ls " + folder + "/*.checkpoint; do sleep 0.002; done; kill -9 $$) >" +
                             workspace_("out") + " 2>&1 & exec " + tacit_command() + words;
    Arguments line{"-n", "1", tacit_command()};
    line.insert(line.end(), arguments.begin(), arguments.end());
    line.insert(line.end(), {":", "-n", "1", "/bin/sh", "-c", dies});
    const CommandResult killed = mpirun(line);
    EXPECT_NE(killed.status, 0);
    EXPECT_THAT(killed.err, HasSubstr("rank 1"));
    EXPECT_FALSE(std::filesystem::exists(workspace_("y.ct")));
    EXPECT_FALSE(std::filesystem::is_empty(folder));
    const CommandResult resumed = on_ranks(2, arguments);
    ASSERT_EQ(resumed.status, 0) << resumed.err;
    EXPECT_EQ(read_bytes(workspace_("y.ct")), read_bytes(workspace_("alone.ct")));
    EXPECT_TRUE(std::filesystem::is_empty(folder));
  }

  Workspace workspace_;
  const std::string server_ = workspace_("server.tacit"), client_ = workspace_("client.tacit");
  const std::string secret_ = workspace_("my.secret"), keys_ = workspace_("my.evaluation");
};

/// A network whose values take several ciphertexts each, in a ring of 32 slots, with keys and encrypted inputs.
class OnRanks : public EvaluatedOnRanks {
 protected:
  OnRanks() {
    const std::string model = workspace_.bytes("wide.onnx", wide_model_bytes(kWidth));
    succeed({"compile", model, "--input-range", "-1,1", "--parameters", set_, "-o", workspace_(".")});
    succeed({"keygen", client_, "--secret", secret_, "--evaluation", keys_, "--insecure"});
    encrypt(1, "one.ct");
    encrypt(5, "five.ct");
  }
  void encrypt(std::int64_t count, const std::string& name) const {
    succeed({"encrypt", client_, "--key", secret_, "--input", inputs(count), "-o", workspace_(name), "--insecure"});
  }
  std::string inputs(std::int64_t count) const {
    std::vector<double> numbers;
    for (std::int64_t i = 0; i < count * kWidth; ++i) numbers.push_back(std::sin(static_cast<double>(i)));
    return workspace_.array("x.npy", {count, kWidth}, numbers);
  }

  static constexpr std::int64_t kWidth = 96;
  const std::string set_ = workspace_.bytes(
      "set.json",
      R"({"name": "small", "log_n": 6, "q_bits": [50, 40, 40, 40, 40], "p_bits": [50, 50], "log_scale": 40, "insecure": true})");
};

/// Trees on integers, at secure parameters, with keys and encrypted inputs.
class IntegersOnRanks : public EvaluatedOnRanks {
 protected:
  IntegersOnRanks() {
    Arguments compile{"compile", model_, "-o", workspace_(".")};
    compile.insert(compile.end(), options_.begin(), options_.end());
    succeed(compile);
    succeed({"keygen", client_, "--secret", secret_, "--evaluation", keys_});
  }
  std::string inputs(std::int64_t count) const {
    std::vector<double> numbers;
    for (std::int64_t i = 0; i < count * 4; ++i) numbers.push_back(std::sin(static_cast<double>(i)));
    return workspace_.array("x.npy", {count, 4}, numbers);
  }
  void encrypt(std::int64_t count, const std::string& name) const {
    succeed({"encrypt", client_, "--key", secret_, "--input", inputs(count), "-o", workspace_(name)});
  }
  std::string calibration() const {
    std::vector<double> numbers;
    for (int i = 0; i < 400; ++i) numbers.push_back(std::sin(i * i));
    return workspace_.array("c.npy", {100, 4}, numbers);
  }

  const std::string model_ = workspace_.bytes("trees.onnx", tree_model_bytes());
  const Arguments options_{"--scheme", "tfhe", "--bits", "4", "--failure", "2^-40", "--calibrate", calibration()};
};

TEST_F(OnRanks, AnyNumberOfRanksWritesTheSameResultsAndReceipts) {
  const json plan = json::parse(
      succeed({"plan", workspace_("wide.onnx"), "--input-range", "-1,1", "--parameters", set_, "--json"}).out);
  EXPECT_GE(plan["ciphertexts"], 3);
  for (const std::string input : {"one.ct", "five.ct"}) expect_results_of_one_process(input);
}

TEST_F(OnRanks, RunAnswersAsOneProcessDoes) {
  for (const std::int64_t count : {1, 3}) {
    const CommandResult result = on_ranks(2, {"run", workspace_("wide.onnx"), "--input", inputs(count), "--input-range",
                                              "-1,1", "--parameters", set_, "--threads", "1", "--json"});
    ASSERT_EQ(result.status, 0) << result.err;
    const json report = json::parse(result.out);
    EXPECT_EQ(report["images"], count);
    EXPECT_EQ(report["agreement"], 1.0);
    EXPECT_LT(report["max_abs_error"], 1e-3);
    EXPECT_GT(report["seconds"]["evaluate"], 0);
  }
}

// All operators pass, and nothing does at an epsilon of 10^-12; then the first element that is off is named.
TEST_F(OnRanks, ValidationSaysTheSameOnRanksAndNamesTheBlock) {
  Arguments arguments{"validate", workspace_("wide.onnx"), "--input", inputs(1),   "--input-range",
                      "-1,1",     "--parameters",          set_,      "--threads", "1",
                      "--json"};
  const auto nodes_of = [](const CommandResult& result) {
    std::vector<std::string> nodes;
    const json report = json::parse(result.out);
    for (const json& one : report["operators"]) nodes.push_back(one["node"]);
    return nodes;
  };
  const CommandResult alone = succeed(arguments), shared = on_ranks(2, arguments);
  EXPECT_EQ(shared.status, 0) << shared.err;
  EXPECT_EQ(nodes_of(shared), nodes_of(alone));
  EXPECT_EQ(nodes_of(shared).size(), 3U);
  arguments.insert(arguments.end(), {"--epsilon", "-12", "--fail-fast"});
  const CommandResult failed = on_ranks(2, arguments);
  EXPECT_EQ(failed.status, 3) << failed.err;
  EXPECT_THAT(failed.err, testing::ContainsRegex("validate failed at make h\\[[0-9]+\\] in block [0-9]+ of [0-9]+:"));
}

TEST_F(OnRanks, APlanSaysWhatRanksTake) {
  const Arguments arguments{
      "plan",     workspace_("wide.onnx"), "--input-range", "-1,1", "--parameters", set_, "--ranks", "3,1", "--network",
      "10Gb,20us"};
  Arguments with_json = arguments;
  with_json.emplace_back("--json");
  const json plan = json::parse(succeed(with_json).out), all = plan["ranks"], ranks = all[0];
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1]["ranks"], 1);
  EXPECT_EQ(all[1]["sent_bytes"], 0);
  EXPECT_EQ(ranks["ranks"], 3);
  EXPECT_EQ(ranks["bits_per_second"], 1e10);
  EXPECT_GT(ranks["sent_bytes"], ranks["received_bytes"]);
  EXPECT_GE(ranks["exchanges"], 2);
  EXPECT_LT(ranks["rank_bytes"], plan["estimate"]["memory_bytes"]);
  EXPECT_NEAR(ranks["efficiency"], plan["estimate"]["run_seconds"].get<double>() / (3 * ranks["seconds"].get<double>()),
              1e-9);
  EXPECT_THAT(succeed(arguments).out, HasSubstr("ranks         3, one run together"));
  Arguments wrong = arguments;
  wrong.back() = "10Gb";
  EXPECT_THAT(run_command(wrong).err, HasSubstr("as in 10Gb,20us"));
}

TEST_F(OnRanks, AnErrorIsSaidOnce) {
  const CommandResult result = on_ranks(3, evaluate("missing.ct", "y.ct"));
  EXPECT_EQ(result.status, 2);
  const std::string sentence = workspace_("missing.ct") + ": cannot open the file";
  const std::size_t first = result.err.find(sentence);
  ASSERT_NE(first, std::string::npos) << result.err;
  EXPECT_EQ(result.err.find(sentence, first + 1), std::string::npos) << result.err;
}

TEST_F(OnRanks, RanksThatWereStartedWithOtherFilesAreRefused) {
  Arguments line{"-n", "1", tacit_command()};
  const Arguments one = evaluate("one.ct", "y.ct"), other = evaluate("five.ct", "y.ct");
  line.insert(line.end(), one.begin(), one.end());
  line.insert(line.end(), {":", "-n", "1", tacit_command()});
  line.insert(line.end(), other.begin(), other.end());
  const CommandResult result = mpirun(line);
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.err, HasSubstr("tacit: rank 1 was started with other arguments than rank 0"));
  EXPECT_FALSE(std::filesystem::exists(workspace_("y.ct")));
}

TEST_F(OnRanks, WhereARankDiesTheOthersStopAndAnotherEvaluationGoesOn) {
  encrypt(40, "many.ct");  // enough to be in the middle of when a layer of the first was kept
  expect_to_go_on_after_a_rank_died("many.ct");
}

TEST_F(IntegersOnRanks, AnyNumberOfRanksWritesTheSameResultsAndReceipts) {
  for (const std::int64_t count : {1, 3}) {
    encrypt(count, "x.ct");
    expect_results_of_one_process("x.ct");
  }
}

TEST_F(IntegersOnRanks, WhereARankDiesTheOthersStopAndAnotherEvaluationGoesOn) {
  encrypt(8, "many.ct");
  expect_to_go_on_after_a_rank_died("many.ct");
}

TEST_F(IntegersOnRanks, AKilledProcessGoesOnAndACheckpointOfSomethingElseIsRefused) {
  encrypt(8, "x.ct");
  succeed(evaluate("x.ct", "alone.ct"));
  const std::string folder = workspace_("kept");
  std::string words;
  for (const std::string& argument : evaluate_kept("x.ct", folder)) words += " '" + argument + "'";
  const CommandResult killed =
      run_program("/bin/sh", {"-c", tacit_command() + words + " & while ! ls " + folder +
                                        "/*.checkpoint; do sleep 0.002; done; kill -9 $!; wait $!"});
  EXPECT_EQ(killed.status, 128 + 9) << killed.err;
  EXPECT_FALSE(std::filesystem::exists(workspace_("y.ct")));
  encrypt(8, "other.ct");
  const CommandResult other = run_command(evaluate_kept("other.ct", folder));
  EXPECT_EQ(other.status, 3);
  EXPECT_THAT(other.err, HasSubstr(".checkpoint is a checkpoint of another run, on other inputs; name another folder"));
  succeed(evaluate_kept("x.ct", folder));
  EXPECT_EQ(read_bytes(workspace_("y.ct")), read_bytes(workspace_("alone.ct")));
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST_F(IntegersOnRanks, RunAnswersAsOneProcessDoesAndAPlanSaysWhatItTakes) {
  Arguments run{"run", model_, "--input", inputs(3), "--threads", "1", "--json"};
  run.insert(run.end(), options_.begin(), options_.end());
  const CommandResult result = on_ranks(2, run);
  ASSERT_EQ(result.status, 0) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(report["images"], 3);
  EXPECT_EQ(report["agreement"], 1.0);
  Arguments plan{"plan", model_, "--json", "--ranks", "2", "--network", "10Gb,20us"};
  plan.insert(plan.end(), options_.begin(), options_.end());
  const json planned = json::parse(succeed(plan).out), ranks = planned["ranks"][0];
  EXPECT_EQ(ranks["ranks"], 2);
  EXPECT_GT(ranks["sent_bytes"], 0);
  EXPECT_GT(ranks["bootstrap_rounds"], 0);
  EXPECT_LT(ranks["seconds"].get<double>(), planned["estimate"]["run_seconds"].get<double>());
}

TEST(OnRanksAtSecureParameters, ResultsAreTheSame) {
  const Workspace workspace;
  const std::string model = workspace.bytes("m.onnx", model_bytes({.operators = {"Gemm", "Mul", "Gemm"}}));
  succeed({"compile", model, "--input-range", "-1,1", "-o", workspace(".")});
  succeed({"keygen", workspace("client.tacit"), "--secret", workspace("secret"), "--evaluation", workspace("keys")});
  succeed({"encrypt", workspace("client.tacit"), "--key", workspace("secret"), "--input",
           workspace.array("x.npy", {3, 4}, {0.5, -0.5, 0.25, 0, 1, 0.75, -1, 0.1, 0.3, 0.2, 0.1, 0}), "-o",
           workspace("x.ct")});
  const auto evaluate = [&](const std::string& output) -> Arguments {
    return {"evaluate",  workspace("server.tacit"),
            "--keys",    workspace("keys"),
            "--input",   workspace("x.ct"),
            "-o",        workspace(output),
            "--threads", "1"};
  };
  succeed(evaluate("alone.ct"));
  const CommandResult result = on_ranks(2, evaluate("ranks.ct"));
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(read_bytes(workspace("ranks.ct")), read_bytes(workspace("alone.ct")));
  EXPECT_EQ(read_bytes(workspace("ranks.ct.receipt")), read_bytes(workspace("alone.ct.receipt")));
}

}  // namespace
}  // namespace tacit::test
