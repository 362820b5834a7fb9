#include "check/result.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

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

TEST(JudgeElements, CountsWhatIsOffByMoreThanTheTolerance) {
  const std::vector<double> encrypted{1, 2.5, 3, 4.75, 99}, message{1, 2.25, 3, 4, 0};
  OperatorResult result;
  result.tolerance = 0.25;
  judge_elements(encrypted, message, 4, result);
  EXPECT_EQ(result.compared, 4);
  EXPECT_EQ(result.worst_error, 0.75);
  EXPECT_EQ(result.mean_error, 0.25);
  EXPECT_TRUE(result.failed);
  EXPECT_EQ(result.failures, 1) << "0.25 is allowed";
  EXPECT_EQ(result.index, 3);
  EXPECT_EQ(result.encrypted, 4.75);
  EXPECT_EQ(result.message, 4);

  OperatorResult strict;
  strict.tolerance = 0.125;
  judge_elements(encrypted, message, 4, strict);
  EXPECT_EQ(strict.failures, 2);
  EXPECT_EQ(strict.index, 1) << "the first that failed, and not the worst";
  EXPECT_EQ(strict.encrypted, 2.5);

  OperatorResult loose;
  loose.tolerance = 1;
  judge_elements(encrypted, message, 4, loose);
  EXPECT_FALSE(loose.failed);
}

TEST(JudgeElements, WhatIsNoNumberIsInfinitelyFarOff) {
  const std::vector<double> encrypted{1, std::nan("")}, message{1, 1};
  OperatorResult result;
  result.tolerance = 1e300;
  judge_elements(encrypted, message, 2, result);
  EXPECT_TRUE(result.failed);
  EXPECT_EQ(result.worst_error, HUGE_VAL);
  EXPECT_EQ(result.index, 1);
}

TEST(FailureText, SaysWhereAndWhatIsOutOfRange) {
  OperatorResult result;
  result.node = "fc";
  result.index = 17;
  result.encrypted = 0.5;
  result.message = 0.25;
  EXPECT_EQ(failure_text(result), "validate failed at fc[17]: 0.5 != 0.25");
  result.block = 3;
  result.blocks = 8;
  result.out_of_range = "relu reads 9 of 4";
  EXPECT_EQ(failure_text(result), "validate failed at fc[17] in block 3 of 8: 0.5 != 0.25; relu reads 9 of 4");
}

TEST(Bits, OfAnErrorEndAt99) {
  EXPECT_EQ(bits(0x1p-12), 12);
  EXPECT_EQ(bits(4), -2);
  EXPECT_EQ(bits(0x1p-99), 99);
  EXPECT_EQ(bits(0x1p-100), 99);
  EXPECT_EQ(bits(0), 99);
}

TEST(Causes, HaveNames) {
  EXPECT_STREQ(name(Cause::none), "none");
  EXPECT_STREQ(name(Cause::range), "range");
  EXPECT_STREQ(name(Cause::noise), "noise");
  EXPECT_STREQ(name(Cause::scale), "scale");
  EXPECT_STREQ(name(Cause::approximation), "approximation");
  EXPECT_STREQ(name(Cause::bug), "bug");
  EXPECT_STREQ(name(Cause::drift), "drift");
  EXPECT_STREQ(name(Cause::grid), "grid");
}

TEST(Report, OfNothingIsNothing) {
  Report all;
  all.add(Report{}, 0);
  EXPECT_TRUE(all.operators.empty());
  EXPECT_EQ(all.first_failure(), nullptr);
  EXPECT_EQ(all.run_seconds, 0);
  EXPECT_EQ(all.validate_seconds, 0);
  EXPECT_EQ(all.peak_bytes, 0u);
}

TEST(Report, OfSeveralInputsAddsSecondsAndNamesTheFirstThatFailed) {
  Report one = of(2, 1, false), other = of(5, 1, false);
  one.validate_seconds = 0.25;
  other.validate_seconds = 0.5;
  one.operators.push_back(of(1, 4, true).operators[0]);
  other.operators.push_back(of(7, 8, true).operators[0]);
  one.operators.push_back(of(3, 1, true).operators[0]);
  other.operators.push_back(of(2, 1, true).operators[0]);
  Report all;
  all.add(one, 0);
  all.add(other, 1);
  EXPECT_EQ(all.validate_seconds, 0.75);
  EXPECT_EQ(all.run_seconds, 2);
  ASSERT_EQ(all.operators.size(), 3u);
  EXPECT_EQ(all.operators[0].worst_error, 5);
  EXPECT_EQ(all.operators[0].input, 1u);
  EXPECT_EQ(all.operators[1].worst_error, 7);
  EXPECT_EQ(all.operators[1].mean_error, 6);
  EXPECT_EQ(all.operators[2].worst_error, 3);
  EXPECT_EQ(all.operators[2].input, 0u);
  EXPECT_EQ(all.first_failure(), &all.operators[1]);
}

TEST(JudgeElements, TheFirstElementCounts) {
  const std::vector<double> encrypted{3, 1}, message{1, 1};
  OperatorResult result;
  result.tolerance = 0.5;
  judge_elements(encrypted, message, 2, result);
  EXPECT_EQ(result.worst_error, 2);
  EXPECT_EQ(result.mean_error, 1);
  EXPECT_EQ(result.failures, 1);
  EXPECT_EQ(result.index, 0);
  EXPECT_EQ(result.encrypted, 3);
}

TEST(Report, OfEquallyBadInputsKeepsTheFirst) {
  for (const bool failed : {false, true}) {
    Report all;
    for (std::size_t input = 0; input < 4; ++input) all.add(of(2, static_cast<double>(input), failed), input);
    ASSERT_EQ(all.operators.size(), 1u);
    EXPECT_EQ(all.operators[0].input, 0u);
    EXPECT_EQ(all.operators[0].failed, failed);
    EXPECT_EQ(all.operators[0].mean_error, 1.5) << "of all inputs";
  }
}

TEST(Report, PrefersTheWorseOfTwoFailures) {
  Report all;
  all.add(of(3, 1, true), 0);
  all.add(of(5, 1, true), 1);
  all.add(of(4, 1, true), 2);
  EXPECT_EQ(all.operators.at(0).worst_error, 5);
  EXPECT_EQ(all.operators.at(0).input, 1u);
}

TEST(FailureText, NamesTheBlockOfSeveral) {
  OperatorResult result;
  result.node = "fc";
  EXPECT_EQ(result.blocks, 1);
  EXPECT_EQ(failure_text(result), "validate failed at fc[0]: 0 != 0");
  result.blocks = 2;
  EXPECT_EQ(failure_text(result), "validate failed at fc[0] in block 0 of 2: 0 != 0");
  result.encrypted = 1.0 / 3;
  EXPECT_EQ(failure_text(result), "validate failed at fc[0] in block 0 of 2: 0.333333333 != 0") << "nine digits";
  EXPECT_STREQ(ValidationFailed(result).what(), failure_text(result).c_str());
  EXPECT_EQ(ValidationFailed(result).result().blocks, 2);
}

TEST(OperatorResult, OfNothingYetIsZero) {
  const OperatorResult result;
  EXPECT_EQ(result.detail, program::Detail::network);
  EXPECT_EQ(result.value, 0u);
  EXPECT_EQ(result.compared, 0);
  EXPECT_EQ(result.tolerance, 0);
  EXPECT_EQ(result.worst_error, 0);
  EXPECT_EQ(result.mean_error, 0);
  EXPECT_EQ(result.level, 0);
  EXPECT_EQ(result.scale, 0);
  EXPECT_EQ(result.range_share, 0);
  EXPECT_EQ(result.input, 0u);
  EXPECT_FALSE(result.failed);
  EXPECT_EQ(result.failures, 0);
  EXPECT_EQ(result.index, 0);
  EXPECT_EQ(result.cause, Cause::none);
}

TEST(JudgeElements, EveryElementIsFarOffInEitherDirection) {
  const std::vector<double> encrypted{-1, 0, 2}, message{1, 3, -2};
  OperatorResult result;
  result.tolerance = 1;
  judge_elements(encrypted, message, 3, result);
  EXPECT_EQ(result.worst_error, 4);
  EXPECT_EQ(result.mean_error, 3);
  EXPECT_EQ(result.failures, 3);
  EXPECT_EQ(result.compared, 3);
}

}  // namespace
}  // namespace tacit::check
