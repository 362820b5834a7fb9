#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "session/owner/npy.h"
#include "tests/command/model_file.h"
#include "tests/command/run_command.h"
#include "tests/command/workspace.h"

namespace tacit::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// Trees on slots through files, at secure parameters, without calibration data.
class TreesInSlots : public ::testing::Test {
 protected:
  Workspace workspace_;
  const std::string model_ = workspace_.bytes("trees.onnx", tree_model_bytes());
};

// The trees compare x0 <= 0.25, x2 < -0.5 and x1 > 0.1. A missing x0 is not at most 0.25.
TEST_F(TreesInSlots, AnswerThroughFiles) {
  const auto file = [&](const char* name) { return workspace_(name); };
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> numbers{-0.5, 0.5, 0.5, 0, 0.9, -0.9, 0, 0, -1, 0.9, -0.9, 1, kNaN, 1e9, -0.6, 0};
  const std::vector<double> expected{2 + 0.5, -3.5 + 0.25, 1 + 0.5, -3.5 + 0.5};
  const std::string x = workspace_.array("x.npy", {4, 4}, numbers);
  succeed({"compile", model_, "-o", file(".")});
  succeed({"keygen", file("client.tacit"), "--secret", file("s"), "--evaluation", file("e")});
  succeed({"encrypt", file("client.tacit"), "--key", file("s"), "--input", x, "-o", file("ct")});
  succeed({"evaluate", file("server.tacit"), "--keys", file("e"), "--input", file("ct"), "-o", file("y")});
  succeed({"decrypt", file("client.tacit"), "--key", file("s"), "--input", file("y"), "--question", file("ct"), "-o",
           file("y.npy")});
  const std::vector<double> y = session::read_npy(file("y.npy")).values();
  ASSERT_EQ(y.size(), expected.size());
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], expected[i], 1e-3) << i;
}

TEST_F(TreesInSlots, AreValidatedAgainstTheTreesOnTheGrid) {
  const std::string x = workspace_.array("x.npy", {1, 4}, {-0.5, 0.5, 0.5, 0});
  const json validated = json::parse(succeed({"validate", model_, "--input", x, "--json"}).out);
  EXPECT_EQ(validated["failed"], false);
}

TEST_F(TreesInSlots, ThePlanSaysWhatTheClientLearns) {
  const std::string plan = succeed({"plan", model_}).out;
  EXPECT_THAT(plan,
              HasSubstr("Thermometer; the client thereby learns 60 numbers of the model: the borders of a grid of "
                        "its features, which hold thresholds of trees among others"));
}

}  // namespace
}  // namespace tacit::test
