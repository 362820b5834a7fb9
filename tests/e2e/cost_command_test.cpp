#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/command/model_file.h"
#include "tests/command/run_command.h"
#include "tests/command/workspace.h"

namespace tacit::test {
namespace {

using nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class CostCommand : public ::testing::Test {
 protected:
  /// The default table but for prices that are so many times as high.
  std::string table(const std::string& name, double factor) const {
    const json costs{{"machine", "a machine of this test"},
                     {"ntt_ns", 0.1 * factor},
                     {"mac_ns", 0.2 * factor},
                     {"key_ns", 0.5 * factor},
                     {"product_ns", factor},
                     {"far_ns", factor},
                     {"embed_ns", factor},
                     {"touch_ns", factor},
                     {"threads", 1},
                     {"cache_mib", 32}};
    return workspace_.bytes(name, costs.dump());
  }
  json plan(const std::string& costs) const {
    return json::parse(succeed({"plan", model_, "--input-range", "-1,1", "--costs", costs, "--json"}).out);
  }
  /// Gives the table that a command keeps for its user in this folder another name, and a thousand times the price of
  /// transforms.
  void rename_kept(const std::string& cache, const std::string& name) const {
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(cache) / "tacit")) {
      json costs = json::parse(read_bytes(entry.path()));
      EXPECT_THAT(costs.at("machine").get<std::string>(), HasSubstr("this machine ("));
      costs["machine"] = name;
      costs["ntt_ns"] = 1000 * costs.at("ntt_ns").get<double>();
      std::ofstream(entry.path()) << costs;
      ++files;
    }
    EXPECT_EQ(files, 1);
  }
  Workspace workspace_;
  const std::string model_ = workspace_.bytes("m.onnx", model_bytes({.operators = {"Gemm", "Mul", "Gemm"}}));
};

TEST_F(CostCommand, AMeasuredTableCompilesANetwork) {
  const std::string file = workspace_("costs.json");
  const json report =
      json::parse(succeed({"bench", "cost", "--sets", "N13-d4", "--seconds", "0", "--output", file, "--json"}).out);
  const json costs = json::parse(read_bytes(file));
  EXPECT_EQ(costs, report.at("costs"));
  EXPECT_EQ(report.at("operations").size(), 7u);
  for (const json& operation : report.at("operations")) EXPECT_GT(operation.at("predicted"), 0.0);
  for (const char* field : {"ntt_ns", "mac_ns", "key_ns", "product_ns", "far_ns", "embed_ns", "touch_ns", "cache_mib"})
    EXPECT_GT(costs.at(field), 0.0) << field;
  const CommandResult compiled =
      succeed({"compile", model_, "--input-range", "-1,1", "-o", workspace_("m"), "--costs", file});
  EXPECT_THAT(compiled.out, HasSubstr(costs.at("machine").get<std::string>()));
}

TEST_F(CostCommand, PredictionsFollowThePrices) {
  const json once = plan(table("once.json", 1)), thrice = plan(table("thrice.json", 3));
  EXPECT_EQ(once.at("estimate").at("machine"), "a machine of this test");
  // What a rotation key costs besides has a price of its own, so that the plans need not split alike.
  EXPECT_NEAR(thrice.at("estimate").at("seconds").get<double>() / once.at("estimate").at("seconds").get<double>(), 3,
              0.3);
  const auto tiles = [&](const std::string& costs) {
    return json::parse(succeed({"plan", "--tiles", "pairs 100x32", "--costs", costs, "--json"}).out)
        .at("best")[0]
        .at("latency")
        .get<double>();
  };
  EXPECT_NEAR(tiles(table("thrice.json", 3)) / tiles(table("once.json", 1)), 3, 1e-6);
  // Operations are predicted by the same prices.
  const auto transform = [&](const std::string& costs) {
    return json::parse(succeed({"bench", "ckks", "--filter", "NTT forward, N 2^13, 50", "--seconds", "0", "--costs",
                                costs, "--json"})
                           .out)
        .at("results")[0]
        .at("predicted_seconds")
        .get<double>();
  };
  EXPECT_NEAR(transform(table("once.json", 1)), 0.1e-9 * 8192 * 13, 1e-12);
}

TEST_F(CostCommand, ShownTimesAreOfThisMachineAndHalvesOfNone) {
  const std::string cache = workspace_("cache");
  const auto in_cache = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin() + 1, {model_, "--input-range", "-1,1", "--json"});
    const CommandResult result = run_command(arguments, {}, cache);
    EXPECT_EQ(result.status, 0) << result.err;
    return json::parse(result.out).at("estimate");
  };
  const json measured = in_cache({"compile", "-o", workspace_("a")});
  EXPECT_THAT(measured.at("machine").get<std::string>(), HasSubstr("this machine ("));
  EXPECT_EQ(in_cache({"plan"}), measured);
  rename_kept(cache, "an odd machine");
  const std::string input = workspace_.array("x.npy", {1, 4}, {0.5, -0.5, 0.25, 0});
  for (const json& shown : {in_cache({"compile", "-o", workspace_("b")}), in_cache({"plan"}),
                            in_cache({"run", "--input", input, "--simulate"})}) {
    EXPECT_EQ(shown.at("machine"), "an odd machine");
    EXPECT_GT(shown.at("seconds"), 10 * measured.at("seconds").get<double>());
    EXPECT_EQ(shown.at("memory_bytes"), measured.at("memory_bytes"));
  }
  EXPECT_EQ(in_cache({"plan", "--costs", table("own.json", 1)}).at("machine"), "a machine of this test");
  for (const char* half : {"/server.tacit", "/client.tacit"})
    EXPECT_EQ(read_bytes(workspace_("a") + half), read_bytes(workspace_("b") + half)) << half;
}

TEST_F(CostCommand, RunsShowStagesBesideTheirPlan) {
  const std::string input = workspace_.array("x.npy", {1, 4}, {0.5, -0.5, 0.25, 0});
  const std::vector<std::string> run{"run", model_, "--input-range", "-1,1", "--input", input};
  const std::string encrypted = succeed(run).out;
  for (const char* stage : {"generate keys", "encode weights", "evaluate, per input"})
    EXPECT_THAT(encrypted, ContainsRegex(stage + std::string(" +[0-9.]+ m?s +[0-9.]+ m?s\n")));
  EXPECT_THAT(encrypted, ContainsRegex("before a run +[0-9.e-]+ s to make keys, [0-9.e-]+ s to encode weights"));
  std::vector<std::string> simulate = run;
  simulate.push_back("--simulate");
  EXPECT_THAT(succeed(simulate).out, Not(HasSubstr("planned")));
}

}  // namespace
}  // namespace tacit::test
