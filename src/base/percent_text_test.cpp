#include "base/percent_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tacit::base {
namespace {

TEST(PercentText, HasTwoDigitsAndNoZerosBehindThem) {
  EXPECT_EQ(percent_text(0), "0 %");
  EXPECT_EQ(percent_text(0.5), "50 %");
  EXPECT_EQ(percent_text(0.123), "12 %");
  EXPECT_EQ(percent_text(0.0125), "1.2 %");
  EXPECT_EQ(percent_text(0.02), "2 %");
  EXPECT_EQ(percent_text(0.0003), "0.03 %");
  EXPECT_EQ(percent_text(0.000996), "0.1 %") << "rounding makes a digit more";
  EXPECT_EQ(percent_text(-0.05), "-5 %");
  EXPECT_EQ(percent_text(0.625, 3), "62.5 %");
  EXPECT_EQ(percent_text(0.99951, 3), "100 %");
}

TEST(PercentText, HasNoExponent) {
  EXPECT_EQ(percent_text(1), "100 %");
  EXPECT_EQ(percent_text(0.996), "100 %");
  EXPECT_EQ(percent_text(12.34), "1234 %");
  EXPECT_EQ(percent_text(12.34, 3), "1234 %");
  EXPECT_EQ(percent_text(1e-7), "0.00001 %");
  EXPECT_EQ(percent_text(1.2e-8), "0.000001 %");
  EXPECT_EQ(percent_text(9e-9), "below 0.000001 %");
  for (double share = 1e-30; share < 1e30; share *= 1.7)
    for (const int digits : {1, 2, 3}) EXPECT_EQ(percent_text(share, digits).find('e', 5), std::string::npos) << share;
}

TEST(PercentText, ABoundThatIsNoneIsCalledSo) {
  EXPECT_EQ(percent_text(std::numeric_limits<double>::infinity()), "an unbounded share");
  EXPECT_EQ(percent_text(std::nan("")), "an unbounded share");
}

}  // namespace
}  // namespace tacit::base
