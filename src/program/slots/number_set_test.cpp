#include "program/slots/number_set.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

namespace tacit::slots {
namespace {

using Numbers = std::set<std::int64_t>;

Numbers some_numbers(int digits, double share, std::mt19937& random) {
  Numbers numbers;
  std::bernoulli_distribution taken(share);
  for (std::int64_t n = 0; n < std::int64_t{1} << digits; ++n)
    if (taken(random)) numbers.insert(n);
  return numbers;
}

NumberSet set_of(int digits, const Numbers& numbers) {
  NumberSet set(digits);
  for (const std::int64_t number : numbers) set.insert(number);
  return set;
}

void expect_numbers(const NumberSet& set, const Numbers& numbers) {
  EXPECT_EQ(set.numbers(), std::vector<std::int64_t>(numbers.begin(), numbers.end()));
  EXPECT_EQ(set.size(), static_cast<std::int64_t>(numbers.size()));
  for (std::int64_t n = 0; n < std::int64_t{1} << set.digits(); ++n) ASSERT_EQ(set.contains(n), numbers.contains(n));
}

TEST(NumberSet, SumsHaveOneDigitMore) {
  std::mt19937 random(1);
  for (const int digits : {0, 1, 4, 5, 6, 7, 9})
    for (const double share : {0.0, 0.1, 1.0}) {
      const Numbers numbers = some_numbers(digits, share, random);
      const NumberSet set = set_of(digits, numbers);
      const std::int64_t most = (std::int64_t{1} << digits) - 1;
      for (const std::int64_t by : {std::int64_t{0}, most / 2, most / 3, most}) {
        SCOPED_TRACE(testing::Message() << digits << " digits plus " << by);
        Numbers sums;
        for (const std::int64_t number : numbers) sums.insert(number + by);
        NumberSet made(3);
        made.assign_sums(set, by);
        EXPECT_EQ(made.digits(), digits + 1);
        expect_numbers(made, sums);
      }
    }
}

TEST(NumberSet, LeavesOutAnyDigits) {
  std::mt19937 random(2);
  for (const int digits : {1, 2, 5, 6, 7, 8, 10})
    for (const double share : {0.02, 0.2, 1.0}) {
      const Numbers numbers = some_numbers(digits, share, random);
      for (int low = 0; low < digits; ++low)
        for (int high = low; high <= digits; ++high) {
          SCOPED_TRACE(testing::Message() << digits << " digits without " << low << " to " << high);
          Numbers left;
          for (const std::int64_t n : numbers) left.insert((n >> high << low) | (n & ((std::int64_t{1} << low) - 1)));
          NumberSet set = set_of(digits, numbers);
          set.leave_out(low, high);
          EXPECT_EQ(set.digits(), digits - (high - low));
          expect_numbers(set, left);
        }
    }
}

}  // namespace
}  // namespace tacit::slots
