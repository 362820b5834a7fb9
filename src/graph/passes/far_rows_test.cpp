#include "graph/passes/far_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "graph/passes/linearise.h"
#include "graph/passes/sketch.h"

namespace tacit::graph::passes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<Range> rows_of(const std::vector<double>& numbers) {
  std::vector<Range> rows;
  for (const double x : numbers) rows.push_back({x, x});
  return rows;
}

std::vector<double> drawn_numbers(std::size_t count, unsigned seed, const std::function<double(double)>& of_normal) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(of_normal(normal(random)));
  return numbers;
}

std::vector<std::size_t> far_of(const std::vector<double>& numbers) { return far_group(rows_of(numbers)).rows; }

TEST(FarGroup, IsTheRowsThatLieFarFromAllOthers) {
  std::vector<double> numbers = drawn_numbers(800, 1, [](double x) { return x; });
  EXPECT_THAT(far_of(numbers), IsEmpty());
  numbers[417] = 1e4;
  const FarGroup one = far_group(rows_of(numbers));
  EXPECT_THAT(one.rows, ElementsAre(417));
  EXPECT_NEAR(one.others.lowest, -3.1, 0.6);
  EXPECT_NEAR(one.others.highest, 3.1, 0.6);
  numbers[20] = -2e4;
  EXPECT_THAT(far_of(numbers), ElementsAre(20, 417));
  numbers[417] = numbers[20] = 10;  // two ranges away, which costs a bit of precision
  EXPECT_THAT(far_of(numbers), IsEmpty());
}

TEST(FarGroup, LeavesHeavyTailsAlone) {
  std::size_t far = 0;
  for (const double deviation : {0.5, 1.0, 1.5, 2.0})
    for (unsigned seed = 0; seed < 100; ++seed)
      far += far_of(drawn_numbers(500, seed, [&](double x) { return std::exp(deviation * x); })).empty() ? 0 : 1;
  EXPECT_LE(far, 1U);
  far = 0;  // 1 / |x| has no mean
  for (unsigned seed = 0; seed < 100; ++seed)
    far += far_of(drawn_numbers(500, seed, [&](double x) { return 1 / x; })).empty() ? 0 : 1;
  EXPECT_LE(far, 2U);
}

TEST(FarGroup, LeavesElementsAloneThatAreZeroInMostRows) {
  std::vector<double> rare(500, 0.0);
  rare[77] = 1;
  EXPECT_THAT(far_of(rare), IsEmpty());
  for (std::size_t i = 0; i < 80; ++i) rare[6 * i] = 1;  // a category of 16 % of the rows, a count of 40 in one
  rare[77] = 40;
  EXPECT_THAT(far_of(rare), IsEmpty());
  rare[77] = 1e6;
  EXPECT_THAT(far_of(rare), ElementsAre(77));
  std::vector<double> rarest(500, 0.0);
  for (std::size_t i = 0; i < 4; ++i) rarest[i] = 1;
  rarest[77] = 1e6;
  EXPECT_THAT(far_of(rarest), IsEmpty());
  EXPECT_THAT(far_of(std::vector<double>(500, 3.5)), IsEmpty());
}

TEST(FarGroup, IsAtMostATwentiethOfTwentyRowsOrMore) {
  std::vector<double> numbers = drawn_numbers(100, 2, [](double x) { return x; });
  for (std::size_t i = 0; i < 5; ++i) numbers[i] = 1e5 + static_cast<double>(i);
  EXPECT_THAT(far_of(numbers), ElementsAre(4, 3, 2, 1, 0));
  numbers[5] = 1e5;
  EXPECT_THAT(far_of(numbers), IsEmpty());
  std::vector<double> few = drawn_numbers(19, 3, [](double x) { return x; });
  few[0] = 1e5;
  EXPECT_THAT(far_of(few), IsEmpty());
}

TEST(FarRows, AsManyMayBeSetAside) {
  EXPECT_EQ(most_set_aside({}, 20), 1U);
  EXPECT_EQ(most_set_aside({}, 40), 2U);
  EXPECT_EQ(most_set_aside({}, 1000), 10U);
  EXPECT_EQ(most_set_aside(0.0, 1000), 0U);
  EXPECT_EQ(most_set_aside(0.05, 1000), 50U);
  EXPECT_EQ(most_set_aside(7.0, 1000), 7U);
}

/// |x - y| of pairs, and 100 rows of them.
struct Pairs {
  Network network;
  std::vector<std::vector<Tensor>> samples;

  Pairs() {
    Sketch s;
    const TensorId difference = s.node("MatMul", {s.input({1, 2}), s.constant({2, 1}, {1, -1})}, {1, 1});
    s.output(s.node("Abs", {difference}, {1, 1}));
    network = linearise(recognise(s.graph));
    const std::vector<double> x = drawn_numbers(100, 4, [](double z) { return z; }),
                              off = drawn_numbers(100, 5, [](double z) { return z / 100; });
    for (std::size_t i = 0; i < 100; ++i) add(x[i], x[i] + off[i]);
  }
  void add(double x, double y) { samples.push_back({Tensor{{1, 2}, {x, y}, false}}); }

  OrdinaryCalibration calibrated(const CalibrationTrim& trim = {},
                                 const std::optional<std::pair<double, double>>& known = {}) {
    return calibrate_on_ordinary(network, samples, trim, 1000, known, base::Progress::silent());
  }
};

TEST(FarRows, AreSetAsideAndNamed) {
  Pairs clean, broken;
  const OrdinaryCalibration without = clean.calibrated();
  EXPECT_THAT(without.far.rows, IsEmpty());
  broken.samples.insert(broken.samples.begin() + 30, {Tensor{{1, 2}, {-2e4, -2e4}, false}});
  const OrdinaryCalibration found = broken.calibrated();
  ASSERT_EQ(found.far.rows.size(), 1U);
  const FarRow& row = found.far.rows[0];
  EXPECT_TRUE(row.set_aside);
  EXPECT_EQ(row.row, 1030);
  EXPECT_EQ(row.node, "x");
  EXPECT_EQ(row.value, -2e4);
  EXPECT_GT(row.factor, 1000);
  EXPECT_EQ(broken.samples.size(), 100U);
  EXPECT_EQ(broken.network.values[0].range, clean.network.values[0].range);
  EXPECT_EQ(broken.network.values[1].element_ranges, clean.network.values[1].element_ranges);
  EXPECT_EQ(found.calibrated.outputs, without.calibrated.outputs);
  ASSERT_EQ(found.far.ranges.size(), 1U);
  EXPECT_EQ(found.far.ranges[0].without, clean.network.values[0].range);
  EXPECT_EQ(found.far.ranges[0].with.lowest, -2e4);
  const std::vector<std::string> warnings = warnings_of(found.far);
  ASSERT_EQ(warnings.size(), 1U);
  for (const char* part : {"1 calibration row is set aside", "row 1030 reaches -2e+04", "'x'", "--calibrate-trim off"})
    EXPECT_THAT(warnings[0], HasSubstr(part));
}

TEST(FarRows, AreFoundInValuesBehindTheInputs) {
  Pairs pairs;
  pairs.add(1.5, -1.5);  // ordinary numbers, and a difference that no other row has
  const OrdinaryCalibration found = pairs.calibrated();
  ASSERT_EQ(found.far.rows.size(), 1U);
  EXPECT_EQ(found.far.rows[0].row, 1100);
  EXPECT_EQ(found.far.rows[0].value, 3);
  EXPECT_NE(found.far.rows[0].node, "x");
  EXPECT_LT(pairs.network.values[1].range.bound(), 0.05);
}

TEST(FarRows, ThatStayAreNamed) {
  Pairs pairs;
  pairs.add(2e4, 2e4);
  const OrdinaryCalibration found = pairs.calibrated(0.0);
  ASSERT_EQ(found.far.rows.size(), 1U);
  EXPECT_FALSE(found.far.rows[0].set_aside);
  EXPECT_EQ(pairs.samples.size(), 101U);
  EXPECT_EQ(pairs.network.values[0].range.highest, 2e4);
  ASSERT_EQ(found.stays_far.size(), 101U);
  EXPECT_EQ(found.stays_far[0], 0);
  EXPECT_EQ(found.stays_far[100], 1);
  EXPECT_THAT(warnings_of(found.far).at(0), HasSubstr("--calibrate-trim 1"));
}

TEST(FarRows, MoreThanAHandfulStayTogether) {
  Pairs pairs;
  for (int i = 0; i < 4; ++i) pairs.add(2e4 + i, 2e4 + i);
  const OrdinaryCalibration found = pairs.calibrated();
  EXPECT_EQ(found.far.rows.size(), 4U);
  EXPECT_EQ(pairs.samples.size(), 104U);
  Pairs again;
  for (int i = 0; i < 4; ++i) again.add(2e4 + i, 2e4 + i);
  again.calibrated(4.0);
  EXPECT_EQ(again.samples.size(), 100U);
}

TEST(FarRows, WithinWhatIsKnownOfTheInputsAreNone) {
  Pairs pairs;
  pairs.add(2e4, 2e4);
  EXPECT_THAT(pairs.calibrated({}, std::pair(-1e5, 1e5)).far.rows, IsEmpty());
}

}  // namespace
}  // namespace tacit::graph::passes
