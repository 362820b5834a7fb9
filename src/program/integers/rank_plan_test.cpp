#include "program/integers/rank_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program/integers/rank_needs.h"
#include "program/integers/small_program_for_test.h"

namespace tacit::integers {
namespace {

using testing::ElementsAre;

constexpr params::Interconnect kNetwork{.bits_per_second = 8e9, .latency_seconds = 1e-3};  // a byte takes a nanosecond

/// Ciphertexts of 2049 words.
params::TfheParameters parameters() { return params::TfheParameters::check(params::named_tfhe_literal("T4")); }
constexpr double kBytes = 2049 * 8;

program::RankPlan plan(const Program& program, std::int64_t ranks) {
  const std::vector<double> seconds{0, 0.5, 4, 6, 0.25, 0};
  return plan_ranks(program, parameters(), std::span(seconds).first(program.instructions.size()), 1e6, kNetwork, ranks);
}

TEST(RankPlanOfIntegers, OfOneRankIsTheTimeOfItsInstructions) {
  const program::RankPlan one = plan(sharing_program(0), 1);
  EXPECT_DOUBLE_EQ(one.seconds, 10.75);
  EXPECT_EQ(one.efficiency, 1);
  EXPECT_EQ(one.exchanges, 0);
  EXPECT_EQ(one.sent_bytes, 0);
  EXPECT_EQ(one.rank_bytes, 1e6);
  EXPECT_EQ(one.apart_seconds, one.seconds);
  EXPECT_EQ(one.bootstrap_rounds, 1) << "no lookup reads another one";
  EXPECT_EQ(one.widest_round, 5);
}

// Sum 0 reads inputs 0, 1 and 2; sum 1 reads input 2. Each rank then has one sum. The second lookup reads sums 1, 0 and
// 1: rank 0 makes the first, which is an argument of rank 0, and rank 1 the other two. The result of one row is made by
// both ranks, for 0.25 s.
TEST(RankPlanOfIntegers, OfTwoRanksCountsWhatTravelsByHand) {
  const Program program = sharing_program(0);
  const program::RankPlan two = plan(program, 2);
  // Rank 1 gets the inputs of sum 1. Both get what they lack of five looked up values for the sum: 3 and 2.
  const layout::Placement ranks(2);
  EXPECT_THAT(needs_of_rows(ranks, weights_of(program.value(1).operation)[0]),
              ElementsAre(ElementsAre(0, 1, 2), ElementsAre(2)));
  const Makers makers(program);
  EXPECT_THAT(needs_of_bootstraps(ranks, bootstraps_at(program, makers, 3)),
              ElementsAre(ElementsAre(0), ElementsAre(1)));
  EXPECT_EQ(two.exchanges, 2);
  EXPECT_DOUBLE_EQ(two.sent_bytes, (1 + 5) * kBytes);
  EXPECT_DOUBLE_EQ(two.received_bytes, (1 + 2) * kBytes);
  EXPECT_NEAR(two.waiting_seconds, 2e-3 + 1e-9 * (1 + 3) * kBytes, 1e-12);
  // Three of four weights of the first sum, one of two bootstraps, two of three, and the last row on both.
  EXPECT_NEAR(two.seconds - two.waiting_seconds, 0.5 * 0.75 + 4 * 0.5 + 6 * 2 / 3.0 + 0.25, 1e-12);
  EXPECT_NEAR(two.efficiency, 10.75 / (2 * two.seconds), 1e-12);
  EXPECT_NEAR(two.apart_seconds, 10.75 + 2e-3 + 1e-9 * (3 + 1) * kBytes, 1e-12);
}

TEST(RankPlanOfIntegers, TablesThatShareBootstrapsAreMadeOnce) {
  const program::RankPlan one = plan(sharing_program(1), 1);
  EXPECT_EQ(one.bootstrap_rounds, 1);
  EXPECT_EQ(one.widest_round, 3);
  const program::RankPlan two = plan(sharing_program(1), 2);
  EXPECT_NEAR(two.seconds - two.waiting_seconds, 0.5 * 0.75 + 4 * 2 / 3.0 + 0.25, 1e-12);
}

TEST(RankPlanOfIntegers, EveryRoundedBitIsARound) {
  const program::RankPlan one = plan(rounding_program(), 1);
  EXPECT_EQ(one.bootstrap_rounds, 3) << "of two bits, and of the table";
  EXPECT_EQ(one.widest_round, 2);
}

}  // namespace
}  // namespace tacit::integers
