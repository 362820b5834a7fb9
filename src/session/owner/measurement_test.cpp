#include "session/owner/measurement.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tacit::session
