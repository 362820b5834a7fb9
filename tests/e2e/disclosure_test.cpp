#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "app/command_line.h"
#include "session/owner/npy.h"
#include "tests/command/model_file.h"
#include "tests/command/run_command.h"
#include "tests/command/workspace.h"

namespace tacit::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Results of a small network on three rows, through files, with parameters that leave room to share 8 bits.
class Disclosure : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    workspace_ = std::make_unique<Workspace>();
    const Workspace& w = *workspace_;
    const std::string model = w.bytes("m.onnx", model_bytes({.operators = {"Gemm", "Mul", "Gemm"}}));
    std::vector<double> samples;
    for (int i = 0; i < 4 * 40; ++i) samples.push_back(std::sin(i * i));
    w.array("c.npy", {40, 4}, samples);
    w.array("x.npy", {3, 4}, {0.5, -0.5, 0.25, 0, 1, 0.75, -1, 0.1, 0.2, 0.2, 0.2, 0.2});
    succeed({"compile", model, "--calibrate", w("c.npy"), "--share", "8", "-o", w(".")});
    succeed({"keygen", w("client.tacit"), "--secret", w("secret"), "--evaluation", w("keys")});
    succeed({"encrypt", w("client.tacit"), "--key", w("secret"), "--input", w("x.npy"), "-o", w("x.ct")});
    succeed({"evaluate", w("server.tacit"), "--keys", w("keys"), "--input", w("x.ct"), "-o", w("y.ct")});
  }
  static void TearDownTestSuite() { workspace_.reset(); }

  static std::vector<std::string> decrypt(std::vector<std::string> more) {
    const Workspace& w = *workspace_;
    more.insert(more.begin(),
                {"decrypt", w("client.tacit"), "--key", w("secret"), "--input", w("y.ct"), "-o", w("y.npy")});
    return more;
  }
  static std::vector<double> shown(const std::vector<std::string>& more) {
    succeed(decrypt(more));
    return session::read_npy((*workspace_)("y.npy")).values();
  }
  static void refuse(const std::vector<std::string>& more, int status, const auto& words) {
    const CommandResult result = run_command(decrypt(more));
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_THAT(result.last_error_line(), words);
  }
  /// What the network makes of a row.
  static std::vector<double> expected(const std::vector<double>& row) {
    const auto mix = [](const std::vector<double>& v) {
      std::vector<double> mixed;
      double sum = 0.1;
      for (const double x : v) sum += 0.25 * x;
      for (const double x : v) mixed.push_back(sum + 0.75 * x);
      return mixed;
    };
    std::vector<double> squares = mix(row);
    for (double& x : squares) x *= x;
    return mix(squares);
  }
  static std::unique_ptr<Workspace> workspace_;
};
std::unique_ptr<Workspace> Disclosure::workspace_;

TEST_F(Disclosure, SharedNumbersAreMultiplesOfTheStepAndWithinTwoStepsOfTheResult) {
  for (const int bits : {8, 4, 0}) {
    const std::vector<double> values = shown({"--share", std::to_string(bits), "--question", (*workspace_)("x.ct")});
    const std::vector<double> inputs = session::read_npy((*workspace_)("x.npy")).values();
    ASSERT_EQ(values.size(), inputs.size());
    for (std::size_t row = 0; row < 3; ++row) {
      const std::vector<double> right = expected({inputs.begin() + static_cast<std::ptrdiff_t>(4 * row),
                                                  inputs.begin() + static_cast<std::ptrdiff_t>(4 * row + 4)});
      for (std::size_t i = 0; i < 4; ++i) {
        const double steps = std::ldexp(values[4 * row + i], bits);
        EXPECT_EQ(steps, std::nearbyint(steps));
        EXPECT_NEAR(steps, std::ldexp(right[i], bits), 2);
      }
    }
  }
  EXPECT_EQ(shown({"--share", "8"}), shown({"--share", "8"}));  // a second look shows the same
}

TEST_F(Disclosure, MoreBitsThanAreSafeAreRefusedWithTheMostThatAre) {
  refuse({"--share", "40"}, app::kBadInput, AllOf(HasSubstr("40 bits"), HasSubstr("can: its noise of 2^")));
  refuse({"--share", "8", "--share-statistical-bits", "80"}, app::kBadInput, HasSubstr("80 statistical bits"));
  refuse({"--share", "8", "--share-decryptions", "0"}, app::kBadInput, HasSubstr("number of decryptions"));
  refuse({"--share", "8", "--labels"}, app::kBadInput, HasSubstr("choose one"));
  const std::string model = (*workspace_)("m.onnx");
  for (const char* bits : {"60", "30"}) {
    const CommandResult result = run_command({"plan", model, "--calibrate", (*workspace_)("c.npy"), "--share", bits});
    EXPECT_EQ(result.status, app::kBadInput);
    EXPECT_THAT(result.last_error_line(), AllOf(HasSubstr("cannot be shared"), HasSubstr("labels alone")));
  }
  EXPECT_THAT(run_command({"plan", model, "--input-range", "-1,1", "--share", "8"}).last_error_line(),
              HasSubstr("calibration data"));
  EXPECT_THAT(run_command({"plan", model, "--calibrate", (*workspace_)("c.npy"), "--share", "8"}).out,
              HasSubstr("bits behind the binary point can be shared"));
}

TEST_F(Disclosure, APrecisionIsKeptOrRefusedWithTheBitsThatWouldDo) {
  const auto plan = [](const std::vector<std::string>& more) {
    std::vector<std::string> words{"plan", (*workspace_)("m.onnx")};
    words.insert(words.end(), more.begin(), more.end());
    return run_command(words);
  };
  const std::string samples = (*workspace_)("c.npy");
  const CommandResult refused = plan({"--calibrate", samples, "--precision", "40"});
  EXPECT_EQ(refused.status, app::kBadInput);
  const std::string sentence = refused.last_error_line();
  ASSERT_THAT(sentence, AllOf(HasSubstr("cannot have 40 bits of precision"), HasSubstr("ask for ")));
  const std::string bits = sentence.substr(sentence.rfind(' ') + 1);
  EXPECT_EQ(plan({"--calibrate", samples, "--precision", bits}).status, 0) << bits;
  EXPECT_THAT(plan({"--input-range", "-1,1", "--precision", "8"}).last_error_line(), HasSubstr("calibration data"));
}

TEST_F(Disclosure, LabelsAreShownWhereTheirMarginRulesNoiseOut) {
  // Parameters as they are chosen where nothing is shared: noise is far above the rounding of the model's outputs.
  const Workspace& w = *workspace_;
  const std::string folder = w("plain");
  std::filesystem::create_directory(folder);
  const std::string client = folder + "/client.tacit", x = folder + "/x.ct", y = folder + "/y.ct",
                    labels = folder + "/labels.npy";
  succeed({"compile", w("m.onnx"), "--calibrate", w("c.npy"), "-o", folder});
  succeed({"keygen", client, "--secret", folder + "/secret", "--evaluation", folder + "/keys"});
  const auto labels_of = [&](const char* rows) {
    succeed({"encrypt", client, "--key", folder + "/secret", "--input", w("x.npy"), "--count", rows, "-o", x});
    succeed({"evaluate", folder + "/server.tacit", "--keys", folder + "/keys", "--input", x, "-o", y});
    return run_command(
        {"decrypt", client, "--key", folder + "/secret", "--input", y, "--question", x, "-o", labels, "--labels"});
  };
  EXPECT_EQ(labels_of("2").status, 0);
  const session::NpyArray shown = session::read_npy(labels);
  EXPECT_EQ(shown.shape(), (std::vector<std::int64_t>{2}));
  EXPECT_EQ(shown.values(), (std::vector<double>{0, 0}));
  // The third row has four equal results.
  const CommandResult close = labels_of("3");
  EXPECT_EQ(close.status, app::kBadInput);
  EXPECT_THAT(close.last_error_line(), AllOf(HasSubstr("result 2"), HasSubstr("too close to another")));
}

TEST_F(Disclosure, AnswersAreHeldToTheirQuestions) {
  const Workspace& w = *workspace_;
  EXPECT_THAT(succeed(decrypt({})).err, HasSubstr("was not checked"));
  EXPECT_THAT(succeed(decrypt({"--question", w("x.ct")})).err, ::testing::Not(HasSubstr("was not checked")));
  succeed({"encrypt", w("client.tacit"), "--key", w("secret"), "--input", w("x.npy"), "-o", w("again.ct")});
  refuse({"--question", w("again.ct")}, app::kKeyMismatch, HasSubstr("answers no input of"));
  succeed(
      {"encrypt", w("client.tacit"), "--key", w("secret"), "--input", w("x.npy"), "--count", "2", "-o", w("two.ct")});
  refuse({"--question", w("two.ct")}, app::kKeyMismatch, HasSubstr("3 results for the 2 inputs"));
  refuse({"--question", w("y.ct")}, app::kBadInput, HasSubstr("have been evaluated already"));
}

TEST_F(Disclosure, TheReportSaysWhoMaySeeTheResults) {
  const auto report = [](std::vector<std::string> more) {
    more.emplace_back("--json");
    return nlohmann::json::parse(succeed(decrypt(more)).out);
  };
  const nlohmann::json own = report({"--question", (*workspace_)("x.ct")});
  EXPECT_EQ(own.at("shown_to"), "the owner of the key");
  EXPECT_EQ(own.at("question_checked"), true);
  EXPECT_EQ(own.at("images"), 3);
  EXPECT_EQ(own.at("outputs").size(), 1U);
  const nlohmann::json shared = report({"--share", "8"});
  EXPECT_EQ(shared.at("shown_to"), "others");
  EXPECT_EQ(shared.at("question_checked"), false);
}

}  // namespace
}  // namespace tacit::test
