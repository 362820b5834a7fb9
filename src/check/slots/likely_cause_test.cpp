#include "check/slots/likely_cause.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "graph/approximate/fit.h"
#include "runtime/slots/decryption_check.h"

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

/// The likely cause at a polynomial of one argument.
class CauseAtAPolynomial : public testing::Test {
 protected:
  CauseAtAPolynomial() {
    const auto layout = layout::Layout::row_major({1}, static_cast<layout::Index>(parameters_.slots()));
    const auto schedule = params::PolynomialSchedule::choose(static_cast<int>(coefficients_.size()) - 1);
    program_.instructions.push_back({slots::Input{"x"}, layout, "x", "", 1, 3, parameters_.scale()});
    program_.instructions.push_back(
        {slots::Polynomial{0, coefficients_, schedule}, layout, "relu", "", 1, 1, parameters_.scale()});
  }
  Finding found(double argument, double encrypted, double message, double noise) const {
    const Numbers of_argument{argument}, of_value{encrypted}, of_message{message};
    const std::vector<Numbers> elements{of_argument};
    const std::vector<program::ValueId> arguments{0}, inside{1};
    return likely_cause(program_,
                        {.value = 1,
                         .encrypted = of_value,
                         .message = of_message,
                         .arguments = arguments,
                         .elements = elements,
                         .inside = inside,
                         .noise = noise},
                        parameters_);
  }

  const params::CkksParameters parameters_ = params::CkksParameters::check(params::named_literal("N13-d4"));
  const std::vector<double> coefficients_{0.1, 0.4, -0.2, 0.05};
  slots::Program program_{.name = "polynomial", .slots = 4096, .instructions = {}};
};

TEST_F(CauseAtAPolynomial, IsTheRangeWhereItsArgumentOrItsMessageLiesBeyond) {
  EXPECT_NE(found(1.0009, 5, 0, 1e-9).cause, Cause::range) << "beyond by what noise adds";
  EXPECT_NE(found(-1.0009, 5, 0, 1e-9).cause, Cause::range);
  for (const double outside : {1.0011, -1.0011}) EXPECT_EQ(found(outside, 5, 0, 1e-9).cause, Cause::range);
  const Finding far = found(-2.5, 5, 0, 1e-9);
  EXPECT_EQ(far.out_of_range,
            "the polynomial of relu carries values of x in [-1, 1], in the units of that interval, and reads one of "
            "size 2.5; compile with calibration data, or an input range, that covers this input");
  const double most = runtime::largest_value(parameters_, 1, parameters_.scale());
  EXPECT_NE(found(0, 0, 0.99 * most, 1e-9).cause, Cause::range);
  EXPECT_EQ(found(0, 0, 1.01 * most, 1e-9).cause, Cause::range);
  EXPECT_TRUE(found(0, 0, -1.01 * most, 1e-9).out_of_range.starts_with("level 1 carries values of relu up to "));
}

TEST_F(CauseAtAPolynomial, IsNoiseWithinSixteenDeviations) {
  EXPECT_EQ(found(0, 0.5, 0.25, 0.25 / 16).cause, Cause::noise);
  EXPECT_NE(found(0, 0.5, 0.25, 0.2499 / 16).cause, Cause::noise);
}

// Which explains all but a twentieth of the difference.
TEST_F(CauseAtAPolynomial, IsTheApproximationWhereThePolynomialWasCarriedOut) {
  const double x = 0.3, made = graph::approximate::evaluate(coefficients_, x), exact = made + 0.1;
  EXPECT_EQ(found(x, made, exact, 1e-9).cause, Cause::approximation);
  EXPECT_EQ(found(x, made + 0.004, exact, 1e-9).cause, Cause::approximation);
  EXPECT_EQ(found(x, made + 0.006, exact, 1e-9).cause, Cause::bug);
  EXPECT_EQ(found(x, made + 0.006, exact, 0.0065 / 16).cause, Cause::approximation) << "and noise";
}

}  // namespace
}  // namespace tacit::check
