#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/command_line.h"
#include "session/owner/npy.h"
#include "tests/command/model_file.h"
#include "tests/command/run_command.h"
#include "tests/command/workspace.h"

namespace tacit::test {
namespace {

using nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// What run, plan and the commands on files say of small networks, where other tests read the numbers alone.
class RunWords : public ::testing::Test {
 protected:
  static std::vector<std::string> joined(std::vector<std::string> all, const std::vector<std::string>& more) {
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::string model(const std::vector<std::string>& operators) const {
    return workspace_.bytes("m.onnx", model_bytes({.operators = operators}));
  }
  /// Simulates the network on inputs whose values lie between -1 and 1.
  static std::vector<std::string> simulation(const std::string& model, const std::string& input) {
    return {"run", model, "--input", input, "--input-range", "-1,1", "--simulate"};
  }
  const Workspace workspace_;
};

// The mixed inputs are (0.5375, -0.2125, 0.35, 0.1625) and (1.0625, 0.875, -0.4375, 0.3875): the output adds their
// squares up.
TEST_F(RunWords, AnswersOfARegressionAreShownAsNumbers) {
  const std::string x = workspace_.array("x.npy", {2, 4}, {0.5, -0.5, 0.25, 0, 1, 0.75, -1, 0.1}),
                    labels = workspace_.array("l.npy", {2}, {0.5, 2.25});
  const std::vector<std::string> run =
      joined(simulation(model({"Gemm", "Mul", "Gemm1"}), x), {"--labels", labels, "--show"});
  const std::string seconds = "   [0-9]+\\.[0-9]{3} s\n";
  EXPECT_THAT(succeed(run).out,
              ContainsRegex("^input 0   label       0\\.5   simulated   0\\.48[0-9]+   plaintext   0\\.483" + seconds +
                            "input 1   label       2\\.25   simulated   2\\.2[0-9]*   plaintext   2\\.236" + seconds +
                            "Plan for m\\.onnx\n"));
  // For programs there is nothing beside the report.
  const json told = json::parse(succeed(joined(run, {"--json"})).out);
  EXPECT_EQ(told.at("answer"), "regression");
  EXPECT_EQ(told.at("simulated"), true);
}

// Of two lines beside four facts, and of as many lines as facts.
TEST_F(RunWords, FactsAreAllToldBesideASmallPicture) {
  const auto shown = [&](std::int64_t rows, std::int64_t columns, const std::vector<double>& pixels) {
    const std::string network =
        workspace_.bytes("p.onnx", model_bytes({.input_shape = {1, rows, columns}, .operators = {"Mul"}}));
    return succeed(joined(simulation(network, workspace_.array("p.npy", {1, rows, columns}, pixels)), {"--show"})).out;
  };
  EXPECT_THAT(shown(4, 3, {1, -1, 0.5, 1, -1, 0.5, 1, -1, 0.5, 1, -1, 0.5}),
              ContainsRegex("^  @ #   input 0\n  @ #   simulated   [0-9]+\n        plaintext   [0-9]+\n"
                            "        [0-9]\\.[0-9]{3} s\n\nPlan for p\\.onnx\n"));
  std::vector<double> pixels(16);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = i < 4 ? -1.0 : 1.0;
  EXPECT_THAT(shown(8, 2, pixels),
              ContainsRegex("^       input 0\n  @@   simulated   [0-9]+\n  @@   plaintext   [0-9]+\n"
                            "  @@   [0-9]\\.[0-9]{3} s\n\nPlan for p\\.onnx\n"));
}

TEST_F(RunWords, WhereNoInputHasAnAnswerTheReasonsStandAbove) {
  const std::string x = workspace_.array("x.npy", {2, 4}, {7, 0, 0, 0, 8, 0, 0, 0});
  const CommandResult none = run_command(simulation(model({"Gemm", "Mul", "Gemm"}), x));
  EXPECT_EQ(none.status, app::kBadInput);
  EXPECT_THAT(none.err, ContainsRegex("^tacit: input 0 drives [^\n]*\ntacit: input 1 drives [^\n]*\n"
                                      "tacit: none of the 2 inputs has an answer, each for the reason above\n$"));
  EXPECT_THAT(none.out, HasSubstr("agree with plaintext: 0 of 2\n"));
}

/// Twenty rows of four numbers between -1 and 1, with `odd_one` in row 7.
std::vector<double> cross_fit_rows(double odd_one) {
  std::vector<double> numbers(80);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i * i * 37 % 201) / 100 - 1;
  numbers[4 * 7 + 2] = odd_one;
  return numbers;
}

TEST_F(RunWords, CrossFittingTellsItsPartsItsProtocolAndItsTotal) {
  const std::string x = workspace_.array("x.npy", {20, 4}, cross_fit_rows(0.5));
  const std::vector<std::string> run{
      "run", model({"Gemm", "Sigmoid", "Gemm"}), "--input", x, "--simulate", "--cross-fit", "5"};
  const std::string protocol =
      "scored each of 5 parts (part p: inputs p, p + 5, p + 10, ..., counted from 0) by a network calibrated on 16 "
      "inputs of the other 4";
  const std::string text = succeed(run).out;
  EXPECT_THAT(text, StartsWith(fmt::format("Cross-fitting: {}\n\n  part  parameters  calibrated on  inputs  agree  "
                                           "without an answer\n  0 ",
                                           protocol)));
  for (int part = 0; part < 5; ++part)
    EXPECT_THAT(text, ContainsRegex(fmt::format("\n  {}  +N1[0-9]-d[0-9]+ +16 +4 +4 +0\n", part)));
  EXPECT_THAT(text, HasSubstr("\n\nSimulated answers that agree with plaintext: 20 of 20\n"));
  const json told = json::parse(succeed(joined(run, {"--json"})).out);
  EXPECT_EQ(told.at("cross_fit"), 5);
  EXPECT_EQ(told.at("protocol"), protocol);
  EXPECT_EQ(told.at("simulated"), true);
}

// Row 7 belongs to the part of rows 2, 7, 12 and 17: behind row 3 the parts differ by one row.
TEST_F(RunWords, CrossFittingNamesWhatLiesOutsideAGivenRangeAndFailsBelowTheExpectedShare) {
  const std::string x = workspace_.array("x.npy", {20, 4}, cross_fit_rows(40));
  const std::vector<std::string> run{
      "run", model({"Gemm", "Sigmoid", "Gemm"}), "--input", x, "--simulate", "--cross-fit", "5"};
  EXPECT_THAT(succeed(joined(run, {"--input-range", "-1,1"})).out,
              ContainsRegex("\n  x0 +input +\\[-1, 1\\] +input range +\\(--verbose\\) +7 +1\n"));
  const std::vector<std::string> later = joined(run, {"--first", "3", "--expect-agreement"});
  const CommandResult below = run_command(joined(later, {"1"}));
  EXPECT_EQ(below.status, app::kDisagreement);
  EXPECT_THAT(below.out, HasSubstr("p + 10, ..., counted from 3) by a network calibrated on 13 to 14 inputs of"));
  EXPECT_EQ(below.last_error_line(),
            "tacit: only 0.9412 of the answers agree with the plaintext network and --expect-agreement asks for 1");
  EXPECT_EQ(run_command(joined(later, {"0.94"})).status, app::kSuccess);
}

// Of two rows each part has one: a row that the other one's range holds has an answer, and one is enough.
TEST_F(RunWords, CrossFittingNeedsOneAnswer) {
  const std::string network = model({"Gemm", "Sigmoid", "Gemm"});
  const auto run = [&](const std::vector<double>& rows) {
    return run_command(
        {"run", network, "--input", workspace_.array("x.npy", {2, 4}, rows), "--simulate", "--cross-fit", "2"});
  };
  const CommandResult one = run({-1, 1, -1, 1, 0.1, -0.1, 0.1, 0.1});
  EXPECT_EQ(one.status, app::kSuccess) << one.err;
  EXPECT_THAT(one.out, HasSubstr("agree with plaintext: 1 of 2\n"));
  const CommandResult none = run({-1, 1, -1, 1, 20, 20, 20, 20});
  EXPECT_EQ(none.status, app::kBadInput);
  EXPECT_EQ(none.last_error_line(),
            "tacit: none of the 2 inputs has an answer: each drives a value outside the interval that the other parts "
            "show");
}

TEST_F(RunWords, APlanExplainsThePassesThatAreNamed) {
  const std::vector<std::string> plan{"plan", model({"Gemm", "Mul", "Gemm"}), "--input-range", "-1,1", "--explain"};
  const auto passes = [&](const std::string& asked) {
    std::vector<std::string> names;
    const json told = json::parse(succeed(joined(plan, {asked, "--json"})).out);
    for (const json& pass : told.at("passes")) names.push_back(pass.at("pass"));
    return names;
  };
  const std::vector<std::string> some = passes("parameters"), all = passes("all");
  EXPECT_THAT(some, ::testing::Each("parameters"));
  EXPECT_THAT(some, Not(::testing::IsEmpty()));
  for (const char* pass : {"import", "fold", "parameters", "layouts", "program"})
    EXPECT_THAT(all, ::testing::Contains(pass));
  EXPECT_THAT(succeed(joined(plan, {"parameters"})).out, StartsWith("parameters:\n"));
}

// What an option lists ends with its word: what follows is the network.
TEST_F(RunWords, TheNetworkMayStandBehindWhatIsListed) {
  const std::string network = model({"Gemm", "Mul", "Gemm"});
  for (const std::vector<std::string>& option :
       {std::vector<std::string>{"--passes", "no-fold"}, {"--explain", "fold,parameters"}, {"--max-degree", "7"}}) {
    const std::vector<std::string> plan = joined({"plan", "--json", "--input-range", "-1,1"}, option);
    EXPECT_EQ(json::parse(succeed(joined(plan, {network})).out).at("model"), "m.onnx") << option.front();
  }
  EXPECT_EQ(json::parse(succeed({"plan", "--json", "--input-range", "-1,1", network}).out).at("model"), "m.onnx");
  EXPECT_EQ(json::parse(succeed({"plan", "--json", "--input-range", "-1", "1", network}).out).at("model"), "m.onnx");
  // Time on so many ranks, by a network between them.
  EXPECT_EQ(
      json::parse(
          succeed({"plan", "--json", "--input-range", "-1,1", "--network", "1Gb,1ms", "--ranks", "4", network}).out)
          .at("ranks")
          .size(),
      1U);
}

TEST_F(RunWords, APackingIsTheBestForWhatIsAskedAndOfSoManyItems) {
  const std::vector<std::string> plan{"plan", "--tiles", "pairs 100x32", "--json"};
  const auto planned = [&](const std::vector<std::string>& more) {
    return json::parse(succeed(joined(plan, more)).out);
  };
  const auto best = [](const json& found, const char* field) { return found.at("best")[0].at(field).get<double>(); };
  const json latency = planned({}), throughput = planned({"--objective", "throughput"}),
             memory = planned({"--objective", "memory"});
  EXPECT_EQ(latency.at("objective"), "latency");
  EXPECT_EQ(throughput.at("objective"), "throughput");
  EXPECT_EQ(memory.at("objective"), "memory");
  EXPECT_LT(best(memory, "memory"), best(latency, "memory"));
  EXPECT_LT(best(latency, "latency"), best(memory, "latency"));
  EXPECT_EQ(latency.at("computation"), "pairs 100x32");
  EXPECT_EQ(planned({"--items", "50"}).at("computation"), "pairs 50x32");
}

TEST_F(RunWords, PagesSayWhatTheyShow) {
  const std::string network = model({"Gemm", "Mul", "Gemm"}), page = workspace_("page.html"),
                    x = workspace_.array("x.npy", {2, 4}, {0.5, -0.5, 0.25, 0, 1, 0.75, -1, 0.1});
  const auto headed = [&](const std::vector<std::string>& arguments) {
    succeed(joined(arguments, {"--report", page}));
    const std::string html = read_bytes(page), mark = "id=\"data\">";
    const std::size_t begin = html.find(mark) + mark.size();
    const json told = json::parse(html.substr(begin, html.find("</script>", begin) - begin));
    return told.at("title").get<std::string>() + "; " + told.at("subtitle").get<std::string>();
  };
  EXPECT_EQ(headed(joined(simulation(network, x), {"--threads", "1"})),
            "m.onnx, simulated; tacit run, 2 inputs, 1 threads");
  EXPECT_EQ(headed({"run", network, "--input", x, "--input-range", "-1,1", "--count", "1", "--threads", "2"}),
            "m.onnx, encrypted; tacit run, 1 inputs, 2 threads");
  EXPECT_EQ(headed({"plan", network, "--input-range", "-1,1"}), "Plan for m.onnx; before any key exists");
  EXPECT_EQ(headed({"plan", "--tiles", "pairs 100x32", "--requirement", "slots 8192, depth 3"}),
            "Packings of pairs 100x32; slots 8192, depth 3");
}

TEST_F(RunWords, ResultsAndNetworksAreNotOptional) {
  const auto refused = [](const std::vector<std::string>& arguments) {
    const CommandResult result = run_command(arguments);
    EXPECT_EQ(result.status, app::kBadInput);
    return result.last_error_line();
  };
  EXPECT_EQ(refused({"decrypt", "c", "--key", "k", "--input", "y"}), "tacit: --output is required; see --help");
  const std::string nothing = "tacit: evaluate: name the server's half of a network and --keys, or a --server";
  EXPECT_EQ(refused({"evaluate", "s", "--input", "x", "-o", "y"}), nothing);
  EXPECT_EQ(refused({"evaluate", "--keys", "k", "--input", "x", "-o", "y"}), nothing);
  EXPECT_EQ(refused({"evaluate", "--input", "x", "-o", "y"}), nothing);
  EXPECT_THAT(refused({"bench"}), HasSubstr("A subcommand is required"));
  EXPECT_THAT(refused({"merkle"}), HasSubstr("A subcommand is required"));
}

// From row 1 on, two rows a run: every row has its own answer, and no time is told for more than it took.
TEST_F(RunWords, RowsBehindTheFirstAreEncryptedInPairsAndTimesAreThoseOfAnInput) {
  constexpr std::size_t kRows = 41, kFirst = 1;
  std::vector<double> values;
  for (std::size_t i = 0; i < 4 * kRows; ++i) values.push_back(std::sin(static_cast<double>(3 * i)));
  const std::string x = workspace_.array("x.npy", {kRows, 4}, values), client = workspace_("client.tacit"),
                    key = workspace_("s"), y = workspace_("y.npy");
  succeed({"compile", model({"Gemm", "Mul"}), "--input-range", "-1,1", "--batch", "2", "-o", workspace_(".")});
  succeed({"keygen", client, "--secret", key, "--evaluation", workspace_("e")});
  // The seconds of an input, told by a command that works on all of them.
  const auto expect_time = [&](const std::vector<std::string>& command) {
    const auto begin = std::chrono::steady_clock::now();
    const json told = json::parse(succeed(joined(command, {"--json", "--threads", "1"})).out);
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    EXPECT_EQ(told.at("images"), kRows - kFirst);
    const double each = told.at("seconds").at(command.front());
    EXPECT_GT(each, 0) << command.front();
    EXPECT_LE(static_cast<double>(kRows - kFirst) * each, took) << command.front();
  };
  expect_time({"encrypt", client, "--key", key, "--input", x, "--first", "1", "-o", workspace_("x.ct")});
  expect_time({"evaluate", workspace_("server.tacit"), "--keys", workspace_("e"), "--input", workspace_("x.ct"), "-o",
               workspace_("y.ct")});
  expect_time(
      {"decrypt", client, "--key", key, "--input", workspace_("y.ct"), "--question", workspace_("x.ct"), "-o", y});
  const std::vector<double> found = session::read_npy(y).values();
  ASSERT_EQ(found.size(), 4 * (kRows - kFirst));
  for (std::size_t row = 0; row < kRows - kFirst; ++row) {
    const double* const of_row = &values[4 * (row + kFirst)];
    const double sum = of_row[0] + of_row[1] + of_row[2] + of_row[3];
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_NEAR(found[4 * row + i], std::pow(0.1 + 0.25 * sum + 0.75 * of_row[i], 2), 1e-3) << row << " " << i;
  }
}

}  // namespace
}  // namespace tacit::test
