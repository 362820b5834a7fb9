#include "params/lookup_schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <complex>
#include <numbers>

#include "base/error.h"
#include "params/account.h"
#include "params/lookup_noise.h"

namespace tacit::params {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(LookupSchedule, TheBootstrapEndsWhereTheSeriesBegins) {
  const LookupSchedule half = plan_lookup(named_literal("S8"), {.form = BootstrapForm::half, .entries = 16});
  EXPECT_EQ(half.polynomial.degree, 31);
  EXPECT_EQ(half.polynomial.depth, 5);
  EXPECT_EQ(half.bootstrap.output_level, 11);
  EXPECT_EQ(half.output_level(), 6);
  EXPECT_EQ(half.input_level(), 3);
  EXPECT_EQ(half.bootstrap.ratio(), 4);
  const LookupSchedule low =
      plan_lookup(named_literal("S8"), {.form = BootstrapForm::whole, .entries = 64, .output_level = 4});
  EXPECT_EQ(low.polynomial.degree, 63);
  EXPECT_EQ(low.bootstrap.output_level, 10);
  EXPECT_EQ(low.output_level(), 4);
  EXPECT_EQ(low.bootstrap.ratio(), 2);
  EXPECT_EQ(low.bootstrap.cosine.size(), 32u);
  EXPECT_EQ(lookup_depth(BootstrapForm::half, 2), 2);
  EXPECT_EQ(lookup_depth(BootstrapForm::whole, 256), 8);
}

// The series and the doubled angles against the functions themselves, on all arguments of a secret of weight 32.
TEST(LookupSchedule, TurnsAreWithin24BitsOfTheirFunctionsEverywhere) {
  for (const BootstrapForm form : {BootstrapForm::half, BootstrapForm::whole}) {
    const BootstrapSchedule schedule = plan_lookup(named_literal("S8"), {.form = form, .entries = 16}).bootstrap;
    for (double turn = -16.5; turn <= 16.5; turn += 0.0171) {
      const double u = (turn - schedule.shift()) / schedule.range;
      ASSERT_LE(std::abs(u), 1);
      std::complex<double> y = 0;
      for (std::size_t k = 0; k < schedule.cosine.size(); ++k)
        y += schedule.cosine[k] * std::cos(static_cast<double>(k) * std::acos(u)) *
             (k % 2 == 1 ? std::complex<double>(0, 1) : 1.0);
      for (int angle = 0; angle < kDoubleAngles; ++angle) y = form == BootstrapForm::half ? 2.0 * y * y - 1.0 : y * y;
      const std::complex<double> exact = form == BootstrapForm::half ? std::sin(2 * std::numbers::pi * turn)
                                                                     : std::polar(1.0, 2 * std::numbers::pi * turn);
      EXPECT_LT(std::abs(y - exact), 0x1p-24) << turn;
    }
  }
}

TEST(LookupSchedule, SchedulesOfOtherSetsAndTablesCannotRun) {
  const CkksLiteral literal = named_literal("S8");
  const LookupSchedule planned = plan_lookup(literal);
  EXPECT_EQ(schedule_problem(planned, literal), "");
  LookupSchedule other = planned;
  other.entries = 15;
  EXPECT_EQ(schedule_problem(other, literal), "has another series than its tables");
  other = planned;
  other.entries = 33;
  EXPECT_EQ(schedule_problem(other, literal), "has tables of another size than its form allows");
  other = planned;
  other.bootstrap = plan_bootstrap(literal);
  EXPECT_EQ(schedule_problem(other, literal), "has neither the half nor the whole form");
  other = planned;
  other.bootstrap.cosine[4] += 1e-9;
  EXPECT_THAT(schedule_problem(other, literal), HasSubstr("has another sine"));
  EXPECT_NE(schedule_problem(planned, named_literal("S11")), "");
}

TEST(LookupSchedule, RefusalsNameTheBoundAndTheWayOut) {
  const CkksLiteral literal = named_literal("S8");
  EXPECT_THAT([&] { plan_lookup(literal, {.form = BootstrapForm::half, .entries = 33}); },
              ThrowsMessage<base::InputError>(
                  "lookup: a table has 33 entries, and in half form it has 2 to 32; use the whole form"));
  EXPECT_THAT([&] { plan_lookup(literal, {.form = BootstrapForm::whole, .entries = 257}); },
              ThrowsMessage<base::InputError>(
                  "lookup: a table has 257 entries, and in whole form it has 2 to 256; use another table"));
  EXPECT_THAT([&] { plan_lookup(literal, {.form = BootstrapForm::whole, .entries = 256, .output_level = 4}); },
              ThrowsMessage<base::InputError>(HasSubstr("takes 8 levels and its results 4, and the parameter set 'S8' "
                                                        "has 11 after a bootstrap")));
  EXPECT_THAT([&] { plan_lookup(literal, {.form = BootstrapForm::folded}); },
              ThrowsMessage<base::InputError>(HasSubstr("neither the half nor the whole form")));
}

TEST(LookupSchedule, ASecondTableCostsItsNodesAlone) {
  const CkksLiteral literal = named_literal("S8");
  const Account account(literal);
  for (const LookupOptions& options : {LookupOptions{.form = BootstrapForm::half, .entries = 16, .output_level = 4},
                                       LookupOptions{.form = BootstrapForm::whole, .entries = 16, .output_level = 4}}) {
    const LookupSchedule schedule = plan_lookup(literal, options);
    const double one = seconds(account.lookup_tables(schedule, 1), CostTable{}),
                 two = seconds(account.lookup_tables(schedule, 2), CostTable{}),
                 three = seconds(account.lookup_tables(schedule, 3), CostTable{});
    EXPECT_LT(two - one, 0.7 * one);
    EXPECT_NEAR(three - two, two - one, 1e-9);
    EXPECT_GT(account.lookup_scratch_bytes(schedule), account.bootstrap_scratch_bytes(schedule.bootstrap));
  }
}

TEST(LookupNoise, FailuresFollowTheErrorFunction) {
  EXPECT_NEAR(log2_lookup_failure(1.0 / 16, 16), std::log2(std::erfc(1 / std::sqrt(2.0))), 1e-12);
  // 13.1 deviations leave 2^-128, whatever the table.
  for (const int entries : {2, 16, 256}) EXPECT_NEAR(log2_lookup_failure(1 / (13.08 * entries), entries), -128, 0.7);
  // The asymptotic form continues the exact one.
  const double a = log2_lookup_failure(1 / (19.9999 * std::sqrt(2.0)), 1),
               b = log2_lookup_failure(1 / (20.0001 * std::sqrt(2.0)), 1);
  EXPECT_NEAR(a - b, 4 * 0.0001 * 20 * std::log2(std::exp(1.0)) * 1, 0.02);
  EXPECT_EQ(log2_lookup_failure(0, 16), -INFINITY);
  EXPECT_NEAR(log2_rounding_failure(1, 6), std::log2(std::erfc(3 / std::sqrt(2.0))), 1e-12);
}

// The figures of the design: 2^-21 of the largest entry at 4 bits, 2^-13 at 8 bits.
TEST(LookupNoise, LargerTablesAreNoisier) {
  const CkksParameters parameters = CkksParameters::check(named_literal("S11"));
  const auto deviation = [&](BootstrapForm form, int entries) {
    std::vector<double> table;
    for (int m = 0; m < entries; ++m) table.push_back(std::sin(1.0 + m * m));
    const LookupNoise noise =
        lookup_noise(parameters, plan_lookup(parameters.literal(), {form, entries}), table, parameters.scale());
    EXPECT_GE(noise.largest, noise.mean);
    return std::log2(noise.mean);
  };
  EXPECT_NEAR(deviation(BootstrapForm::half, 16), -24.5, 2);
  EXPECT_NEAR(deviation(BootstrapForm::whole, 16), -24.5, 2);
  EXPECT_NEAR(deviation(BootstrapForm::whole, 256), -20, 3);
}

}  // namespace
}  // namespace tacit::params
