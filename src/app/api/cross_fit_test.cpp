#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tacit/score.h>

#include <nlohmann/json.hpp>
#include <random>

namespace tacit {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

const std::string kPerceptron = TACIT_EXAMPLES "/trees/perceptron.onnx";

// Rows of ten numbers. The last one lies far from all others, so that no other calibrates it.
std::vector<Tensors> rows_with_a_far_one(int count) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> draw(-1, 1);
  std::vector<Tensors> rows;
  for (int i = 0; i < count; ++i) {
    std::vector<double> row(10);
    for (double& x : row) x = i + 1 < count ? draw(random) : 40 * draw(random);
    rows.push_back({row});
  }
  return rows;
}

TEST(CrossFitApi, ScoresEveryRowButTheOneThatNoOtherCalibrates) {
  const std::vector<Tensors> rows = rows_with_a_far_one(61);
  const Score score = cross_fit(kPerceptron, rows, {}, {.parts = 3});
  EXPECT_EQ(score.inputs, 61u);
  ASSERT_EQ(score.misses.size(), 1u);
  EXPECT_EQ(score.misses[0].input, 60u);
  EXPECT_THAT(score.misses[0].why, HasSubstr("input 60"));
  EXPECT_TRUE(score.answers[60].empty());
  EXPECT_FALSE(score.answers[59].empty());
  EXPECT_GE(score.agreement, 59.0 / 61);
  EXPECT_FALSE(score.accuracy);
  EXPECT_EQ(nlohmann::json::parse(score.json)["misses"], 1);
}

TEST(CrossFitApi, RefusesWhatCalibratesAndPartsWithoutInputs) {
  const std::vector<Tensors> rows = rows_with_a_far_one(4);
  const auto refuses = [&](const CompileOptions& compile, const CrossFitOptions& options, const char* why) {
    EXPECT_THAT([&] { cross_fit(kPerceptron, rows, compile, options); }, ThrowsMessage<InputError>(HasSubstr(why)));
  };
  refuses({}, {.parts = 5}, "4 inputs are divided into at least 2 parts");
  refuses({}, {.parts = 1}, "4 inputs are divided into at least 2 parts");
  refuses({}, {.labels = {1}, .parts = 2}, "there are 1 labels for 4 inputs");
  refuses({.calibration = rows}, {.parts = 2}, "leave out calibration and ranges");
  refuses({.scheme = Scheme::tfhe}, {.parts = 2}, "works on real numbers alone");
}

}  // namespace
}  // namespace tacit
