#include "check/result.h"

#include <gtest/gtest.h>

namespace tacit::check {
namespace {

Report of(double worst, double mean, bool failed) {
  Report report;
  OperatorResult& one = report.operators.emplace_back();
  one.worst_error = worst;
  one.mean_error = mean;
  one.failed = failed;
  report.run_seconds = 1;
  report.peak_bytes = static_cast<std::uint64_t>(worst);
  return report;
}

TEST(Report, OfSeveralInputsKeepsTheWorst) {
  Report all;
  all.add(of(4, 1, false), 0);
  all.add(of(3, 2, true), 1);  // a failure is worse than any error that is allowed
  all.add(of(9, 6, false), 2);
  ASSERT_EQ(all.operators.size(), 1u);
  EXPECT_TRUE(all.operators[0].failed);
  EXPECT_EQ(all.operators[0].input, 1u);
  EXPECT_EQ(all.operators[0].worst_error, 3);
  EXPECT_EQ(all.operators[0].mean_error, 3);
  EXPECT_EQ(all.run_seconds, 3);
  EXPECT_EQ(all.peak_bytes, 9u);
}

}  // namespace
}  // namespace tacit::check
