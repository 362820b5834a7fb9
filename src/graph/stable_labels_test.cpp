#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/refusal_for_test.h"
#include "graph/labels.h"
#include "graph/passes/sketch.h"

// By which shifts of decrypted numbers a label is tried.
namespace tacit::graph {
namespace {

using passes::Sketch;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr double kNoise = 0x1p-10;

ClientParts behind(Sketch sketch, TensorId label) {
  ClientParts parts;
  parts.after = std::move(sketch.graph);
  parts.after.tensors[label].integral = true;
  parts.after.outputs = {label};
  return parts;
}

/// What is said of a label that is 1 where a number at 0 lies between these many noises.
std::string said_of_band(double lowest, double highest) {
  Sketch s;
  const TensorId x = s.input({1, 1});
  const TensorId above = s.node("Greater", {x, s.constant({1, 1}, {lowest * kNoise})}, {1, 1});
  const TensorId below = s.node("Less", {x, s.constant({1, 1}, {highest * kNoise})}, {1, 1});
  for (const TensorId id : {above, below}) s.graph.tensors[id].integral = true;
  const TensorId label = s.node("And", {above, below}, {1, 1});
  const ClientParts parts = behind(std::move(s), label);
  const std::vector<std::vector<double>> decrypted{{0.0}};
  const std::vector<double> noise{kNoise};
  return base::refusal(
      [&] { EXPECT_THAT(stable_labels(ClientRun(parts), decrypted, noise).at(0).data, ElementsAre(0)); });
}

TEST(StableLabels, AreTriedAtOneFourAndSixteenNoises) {
  for (const double side : {1.0, -1.0})
    for (const double noises : {1.0, 4.0, 16.0}) {
      const double middle = side * noises;
      EXPECT_THAT(said_of_band(middle - 0.5, middle + 0.5),
                  HasSubstr(fmt::format("the label is too close to another one: a shift of the numbers by {:g} times "
                                        "their noise would change it",
                                        noises)))
          << middle;
    }
  for (const double middle : {2.0, 3.0, 6.0, 8.0, 12.0, 15.0, 17.0, -2.0, -6.0, -20.0})
    EXPECT_EQ(said_of_band(middle - 0.5, middle + 0.5), base::kNotRefused) << middle;
}

/// A label that is 1 where the first of so many numbers is up and no other one is.
std::string said_of_first_alone(std::int64_t count) {
  Sketch s;
  const TensorId x = s.input({1, count});
  const TensorId limit = s.constant({1, 1}, {8 * kNoise});
  std::vector<double> others;
  for (std::int64_t i = 1; i < count; ++i) others.push_back(static_cast<double>(i));
  const std::map<std::string, Attribute> columns{{"axis", std::int64_t{1}}};
  const TensorId first = s.node("Gather", {x, s.constant({1}, {0})}, {1, 1}, columns);
  const TensorId rest = s.node("Gather", {x, s.constant({count - 1}, others)}, {1, count - 1}, columns);
  const TensorId largest =
      s.node("ReduceMax", {rest}, {1, 1}, {{"axes", std::vector<std::int64_t>{1}}, {"keepdims", std::int64_t{1}}});
  const TensorId up = s.node("Greater", {first, limit}, {1, 1}), down = s.node("Less", {largest, limit}, {1, 1});
  for (const TensorId id : {up, down}) s.graph.tensors[id].integral = true;
  const TensorId label = s.node("And", {up, down}, {1, 1});
  const ClientParts parts = behind(std::move(s), label);
  const std::vector<std::vector<double>> decrypted{std::vector<double>(static_cast<std::size_t>(count), 0.0)};
  const std::vector<double> noise{kNoise};
  return base::refusal(
      [&] { EXPECT_THAT(stable_labels(ClientRun(parts), decrypted, noise).at(0).data, ElementsAre(0)); });
}

/// A label that is 1 where all numbers are up or down by 16 noises as a pattern says, which has a seed.
std::string said_of_pattern(unsigned seed) {
  constexpr std::int64_t kCount = 24;
  std::mt19937 random(seed);
  std::vector<double> signs(kCount);
  for (double& sign : signs) sign = (random() & 1) != 0 ? 1 : -1;
  Sketch s;
  const TensorId x = s.input({1, kCount});
  const TensorId likeness = s.node("MatMul", {x, s.constant({kCount, 1}, signs)}, {1, 1});
  const TensorId label = s.node("Greater", {likeness, s.constant({1, 1}, {(kCount - 1) * 16 * kNoise})}, {1, 1});
  const ClientParts parts = behind(std::move(s), label);
  const std::vector<std::vector<double>> decrypted{std::vector<double>(kCount, 0.0)};
  const std::vector<double> noise{kNoise};
  return base::refusal(
      [&] { EXPECT_THAT(stable_labels(ClientRun(parts), decrypted, noise).at(0).data, ElementsAre(0)); });
}

TEST(StableLabels, AreTriedBySixtyFourPatterns) {
  for (const unsigned seed : {0U, 1U, 63U}) EXPECT_THAT(said_of_pattern(seed), HasSubstr("too close")) << seed;
  EXPECT_EQ(said_of_pattern(64), base::kNotRefused);
}

TEST(StableLabels, AreTriedByEveryNumberAloneUpTo256OfThem) {
  for (const std::int64_t count : {40, 256})
    EXPECT_THAT(said_of_first_alone(count), HasSubstr("a shift of the numbers by 16 times their noise")) << count;
  EXPECT_EQ(said_of_first_alone(257), base::kNotRefused) << "more numbers move together alone";
}

}  // namespace
}  // namespace tacit::graph
