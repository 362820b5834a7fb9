#include "check/slots/likely_cause.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace tacit::check {
namespace {

using Numbers = std::vector<double>;

TEST(OneRatio, ExplainsElementsThatAreAllOffByIt) {
  EXPECT_TRUE(one_ratio(Numbers{1.5, 3, 4.5, -6}, Numbers{1, 2, 3, -4}, 0));
  EXPECT_TRUE(one_ratio(Numbers{0.5, 1, 1.5, -2}, Numbers{1, 2, 3, -4}, 0));
  EXPECT_TRUE(one_ratio(Numbers{1.5e-6, 3e-6, 4.5e-6, -6e-6}, Numbers{1e-6, 2e-6, 3e-6, -4e-6}, 0)) << "however small";
  // The best ratio, 41 / 30, leaves 0.467 of differences of up to 1.5.
  EXPECT_FALSE(one_ratio(Numbers{1.5, 3, 4.5, -5}, Numbers{1, 2, 3, -4}, 0));
  // A twentieth of 1.5, and 16 deviations times that ratio.
  EXPECT_FALSE(one_ratio(Numbers{1.5, 3, 4.5, -5}, Numbers{1, 2, 3, -4}, 0.015));
  EXPECT_TRUE(one_ratio(Numbers{1.5, 3, 4.5, -5}, Numbers{1, 2, 3, -4}, 0.02));
}

TEST(OneRatio, NeedsFourElementsThatTellIt) {
  EXPECT_FALSE(one_ratio(Numbers{1.5, 3, 4.5}, Numbers{1, 2, 3}, 0));
  EXPECT_FALSE(one_ratio(Numbers{1.5, 3, 4.5, 0.003}, Numbers{1, 2, 3, 0.002}, 0)) << "below a 1000th of the largest";
  EXPECT_TRUE(one_ratio(Numbers{1.5, 3, 4.5, 0.006}, Numbers{1, 2, 3, 0.004}, 0));
  EXPECT_FALSE(one_ratio(Numbers{1, 1, 1, 1}, Numbers{0, 0, 0, 0}, 0));
  EXPECT_FALSE(one_ratio(Numbers{1, 2, 3, HUGE_VAL}, Numbers{1, 2, 3, 4}, 0));
  EXPECT_FALSE(one_ratio(Numbers{1, 2, 3, std::nan("")}, Numbers{1, 2, 3, 4}, 0));
}

TEST(LargestMagnitude, OfWhatIsNoNumberIsInfinite) {
  EXPECT_EQ(largest_magnitude(Numbers{1, -3, 2}), 3);
  EXPECT_EQ(largest_magnitude(Numbers{}), 0);
  EXPECT_EQ(largest_magnitude(Numbers{1, std::nan(""), 2}), HUGE_VAL);
}

}  // namespace
}  // namespace tacit::check
