#include "session/owner/measurement.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

#include "session/stopwatch.h"

namespace tacit::session {
namespace {

TEST(Measurement, SummarisesByMedianAndDeciles) {
  const Measurement m = summarise({9, 1, 2, 3, 4, 5, 6, 7, 8, 0, 10});
  EXPECT_EQ(m.median, 5);
  EXPECT_EQ(m.lower, 1);
  EXPECT_EQ(m.upper, 9);
  EXPECT_EQ(m.samples, 11);
}

TEST(Measurement, RunsAtLeastFiveSamples) {
  int calls = 0;
  EXPECT_GE(measure([&] { ++calls; }, 0).samples, 5);
  EXPECT_GE(calls, 7);
}

TEST(Measurement, TheClockIsThatOfARealProcessor) {
  const double hertz = measured_clock_hertz();
  EXPECT_GT(hertz, 1e8);
  EXPECT_LT(hertz, 2e10);
}

TEST(Measurement, SummarisesFewTimes) {
  const Measurement one = summarise({7});
  EXPECT_EQ(one.median, 7);
  EXPECT_EQ(one.lower, 7);
  EXPECT_EQ(one.upper, 7);
  EXPECT_EQ(one.samples, 1);
  const Measurement two = summarise({4, 2});
  EXPECT_EQ(two.median, 4) << "a half is rounded up";
  EXPECT_EQ(two.lower, 2);
  EXPECT_EQ(two.upper, 4);
}

TEST(Measurement, WhatTakesLongerThanASampleRunsOnceASample) {
  int calls = 0;
  const Measurement m = measure(
      [&] {
        ++calls;
        const Stopwatch watch;
        while (watch.seconds() < 300e-6) continue;
      },
      0);
  EXPECT_EQ(m.samples, 5);
  EXPECT_EQ(calls, 7) << "two of them before the samples";
  EXPECT_GE(m.lower, 300e-6);
}

TEST(Measurement, EverySampleRunsTheOperationAsOften) {
  int calls = 0;
  EXPECT_EQ(measure([&] { ++calls; }, 0).samples, 5);
  EXPECT_EQ((calls - 2) % 5, 0);
}

/// Of what takes less than the clock tells; a pause of the machine may end the first attempts.
TEST(Measurement, WhatTakesNoTimeRunsOftenASample) {
  bool often = false;
  for (int attempt = 0; attempt < 20 && !often; ++attempt) {
    int calls = 0;
    const Stopwatch watch;
    const Measurement m = measure([&] { ++calls; }, 0);
    const double whole = watch.seconds();
    EXPECT_LE(m.lower * (calls - 2), whole) << "seconds of one call";
    often = calls > 2 + 10 * m.samples;
  }
  EXPECT_TRUE(often);
  const Measurement none;
  EXPECT_EQ(none.median, 0);
  EXPECT_EQ(none.lower, 0);
  EXPECT_EQ(none.upper, 0);
  EXPECT_EQ(none.samples, 0);
}

/// Which changes every five seconds.
TEST(Measurement, TheLoadIsThatOfTheLastMinute) {
  std::array<double, 3> before{}, after{};
  ASSERT_EQ(getloadavg(before.data(), 3), 3);
  const double load = load_average();
  ASSERT_EQ(getloadavg(after.data(), 3), 3);
  EXPECT_TRUE(load == before[0] || load == after[0]) << load;
}

}  // namespace
}  // namespace tacit::session
