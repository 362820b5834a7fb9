#include "params/polynomial_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/refusal_for_test.h"

namespace tacit::params {
namespace {

double chebyshev_term(int k, double x) { return std::cos(k * std::acos(x)); }

double evaluate(const PolynomialNode& node, double x) {
  double value = 0;
  for (const auto& [index, c] : node.terms) value += c * chebyshev_term(index, x);
  for (const auto& product : node.products)
    value += chebyshev_term(1 << product.power, x) * evaluate(product.factor, x);
  return value;
}

int depth_of(int index) { return index <= 1 ? 0 : static_cast<int>(std::ceil(std::log2(index))); }

void check_depths(const PolynomialNode& node, const std::set<int>& basis) {
  for (const auto& [index, c] : node.terms) {
    EXPECT_LE(depth_of(index), index == 0 ? node.depth : node.depth - 1);
    EXPECT_TRUE(index <= 1 || basis.contains(index));
  }
  for (const auto& product : node.products) {
    EXPECT_LE(product.power, node.depth - 1);
    EXPECT_EQ(product.factor.depth, node.depth - 1);
    EXPECT_TRUE(product.power == 0 || basis.contains(1 << product.power));
    check_depths(product.factor, basis);
  }
}

int relinearisations(const PolynomialPlan& plan) {
  int sum = 0;
  for (const int r : plan.relinearisations) sum += r;
  return sum;
}

TEST(PolynomialSchedule, HasOptimalDepth) {
  EXPECT_EQ(PolynomialSchedule::choose(0).depth, 0);
  EXPECT_EQ(PolynomialSchedule::choose(1).depth, 1);
  EXPECT_EQ(PolynomialSchedule::choose(2).depth, 2);
  EXPECT_EQ(PolynomialSchedule::choose(3).depth, 2);
  EXPECT_EQ(PolynomialSchedule::choose(59).depth, 6);
  EXPECT_EQ(PolynomialSchedule::choose(63).depth, 6);
  EXPECT_EQ(PolynomialSchedule::choose(64).depth, 7);
  EXPECT_EQ(PolynomialSchedule::choose(127).depth, 7);
  EXPECT_THROW(PolynomialSchedule::choose(-1), base::InputError);
  EXPECT_THROW(PolynomialSchedule::choose(1024), base::InputError);
}

TEST(PolynomialPlan, EqualsTheSeriesWithinItsDepth) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int degree = 0; degree <= 130; ++degree) {
    for (const int parity : {-1, 0, 1}) {
      std::vector<double> series(static_cast<std::size_t>(degree) + 1);
      for (int i = 0; i <= degree; ++i)
        if (parity < 0 || i % 2 == parity) series[static_cast<std::size_t>(i)] = uniform(random);
      const PolynomialPlan plan = plan_polynomial(series, PolynomialSchedule::choose(degree));
      check_depths(plan.root, plan.basis);
      for (const double x : {-1.0, -0.3, 0.0, 0.7, 1.0}) {
        double expected = 0;
        for (int i = 0; i <= degree; ++i) expected += series[static_cast<std::size_t>(i)] * chebyshev_term(i, x);
        EXPECT_NEAR(evaluate(plan.root, x), expected, 1e-9) << degree;
      }
    }
  }
}

TEST(PolynomialPlan, CountsAreAsLowAsTheyShouldBe) {
  std::vector<double> dense(64), odd(60);
  for (std::size_t i = 0; i < dense.size(); ++i) dense[i] = std::sqrt(static_cast<double>(i) + 2);
  for (std::size_t i = 1; i < odd.size(); i += 2) odd[i] = dense[i];
  EXPECT_LE(relinearisations(plan_polynomial(dense, PolynomialSchedule::choose(63))), 15);
  const std::vector<double> dense59(dense.begin(), dense.begin() + 60);
  EXPECT_LE(relinearisations(plan_polynomial(dense59, PolynomialSchedule::choose(59))), 13);
  EXPECT_LE(relinearisations(plan_polynomial(odd, PolynomialSchedule::choose(59))), 12);
  EXPECT_EQ(plan_polynomial(odd, PolynomialSchedule::choose(59)).basis.count(6), 0u);
}

TEST(PolynomialPlan, RefusesWhatDoesNotFit) {
  const std::vector<double> series(10, 1.0);
  EXPECT_THROW(plan_polynomial(series, PolynomialSchedule::choose(8)), base::InputError);
  EXPECT_THROW(plan_polynomial(series, {.degree = 9, .log_baby = 2, .depth = 3}), base::InputError);
  EXPECT_THROW(plan_polynomial(series, {.degree = 9, .log_baby = 77, .depth = 4}), base::InputError);
  const std::vector<double> bad = {0, std::nan("")};
  EXPECT_THROW(plan_polynomial(bad, PolynomialSchedule::choose(1)), base::InputError);
}

TEST(PolynomialSchedule, TakesTheFewestRelinearisationsAndAmongThemTheFewestProducts) {
  for (int degree = 1; degree <= 80; ++degree) {
    std::vector<double> dense;
    for (int i = 0; i <= degree; ++i) dense.push_back(std::sqrt(i + 2.0));
    const auto work_of = [&](const PolynomialSchedule& schedule) {
      const PolynomialPlan plan = plan_polynomial(dense, schedule);
      return std::pair(relinearisations(plan), plan.products);
    };
    const PolynomialSchedule chosen = PolynomialSchedule::choose(degree);
    EXPECT_EQ(chosen.degree, degree);
    for (int log_baby = 1; log_baby <= chosen.depth; ++log_baby) {
      PolynomialSchedule other = chosen;
      other.log_baby = log_baby;
      EXPECT_LE(work_of(chosen), work_of(other)) << degree << " by 2^" << log_baby;
      if (log_baby < chosen.log_baby) {
        EXPECT_LT(work_of(chosen), work_of(other)) << degree << " by 2^" << log_baby;
      }
    }
  }
}

TEST(PolynomialPlan, BoundsAreWhereTheySay) {
  const std::vector<double> series(10, 1.0);  // of degree 9, four levels
  EXPECT_NO_THROW(plan_polynomial(series, {.degree = 9, .log_baby = 2, .depth = 4}));
  EXPECT_NO_THROW(plan_polynomial(series, {.degree = 1023, .log_baby = 2, .depth = 4}));
  EXPECT_THROW(plan_polynomial(series, {.degree = 1024, .log_baby = 2, .depth = 11}), base::InputError);
  EXPECT_NO_THROW(plan_polynomial(series, {.degree = 9, .log_baby = 0, .depth = 4}));
  EXPECT_THROW(plan_polynomial(series, {.degree = 9, .log_baby = -1, .depth = 4}), base::InputError);
  EXPECT_NO_THROW(plan_polynomial(series, {.degree = 9, .log_baby = 10, .depth = 4}));
  EXPECT_THROW(plan_polynomial(series, {.degree = 9, .log_baby = 11, .depth = 4}), base::InputError);
  // What is 2^60 times smaller than the largest coefficient is none.
  std::vector<double> tiny = series;
  tiny.push_back(0x1p-61);
  EXPECT_NO_THROW(plan_polynomial(tiny, {.degree = 9, .log_baby = 2, .depth = 4}));
  tiny.back() = 0x1p-60;
  EXPECT_THROW(plan_polynomial(tiny, {.degree = 9, .log_baby = 2, .depth = 4}), base::InputError);
}

TEST(PolynomialPlan, RefusalsSayTheNumbers) {
  const auto objection = [](std::vector<double> series, const PolynomialSchedule& schedule) -> std::string {
    return base::refusal([&] { plan_polynomial(series, schedule); });
  };
  const std::vector<double> ten(10, 1.0);
  EXPECT_EQ(objection(ten, {.degree = 8, .log_baby = 2, .depth = 4}),
            "polynomial: the series has degree 9, the schedule is for degree 8 (at most 1023)");
  EXPECT_EQ(objection(ten, {.degree = 9, .log_baby = 11, .depth = 4}),
            "polynomial: 2^11 baby steps were asked for, and 2^0 to 2^10 are possible");
  EXPECT_EQ(objection(ten, {.degree = 9, .log_baby = 2, .depth = 3}),
            "polynomial: degree 9 needs 4 levels, the schedule has 3");
  EXPECT_EQ(objection({0, INFINITY}, {.degree = 1, .log_baby = 1, .depth = 1}),
            "polynomial: a coefficient is not a finite number");
  EXPECT_EQ(base::refusal([] { PolynomialSchedule::choose(1024); }), "polynomial: degree 1024 is outside 0 to 1023");
  EXPECT_EQ(PolynomialSchedule::choose(1023).depth, 10);
}

TEST(PolynomialPlan, ChebyshevPolynomialsAreMadeOfThoseOfPowersOfTwo) {
  struct {
    int index, a, b;
  } const steps[] = {{2, 1, 1}, {3, 2, 1}, {4, 2, 2}, {5, 4, 1}, {6, 4, 2}, {7, 4, 3}, {8, 4, 4}, {9, 8, 1}};
  for (const auto& [index, a, b] : steps) {
    EXPECT_EQ(chebyshev_step(index).a, a) << index;
    EXPECT_EQ(chebyshev_step(index).b, b) << index;
  }
}

TEST(PolynomialPlan, ConstantsNeedNothing) {
  const std::vector<std::vector<double>> constants{{}, {0}, {3}, {3, 0, 0}};
  for (const std::vector<double>& series : constants) {
    const PolynomialPlan plan = plan_polynomial(series, {.degree = 2, .log_baby = 1, .depth = 2});
    EXPECT_TRUE(plan.root.constant());
    EXPECT_EQ(plan.products, 0);
    EXPECT_TRUE(plan.basis.empty());
    EXPECT_EQ(relinearisations(plan), 0);
  }
  EXPECT_FALSE((plan_polynomial(std::vector<double>{0, 1}, {.degree = 1, .log_baby = 1, .depth = 1}).root.constant()));
  EXPECT_FALSE((plan_polynomial(std::vector<double>{2, 1}, {.degree = 1, .log_baby = 1, .depth = 1}).root.constant()));
}

TEST(PolynomialSchedule, HasTwoBabyStepsWhereThereIsNothingToChoose) {
  for (const int degree : {0, 1}) EXPECT_EQ(PolynomialSchedule::choose(degree).log_baby, 1) << degree;
}

// The quotient by T_4 is c_4 + 2 c_5 T_1 + 2 c_6 T_2 + 2 c_7 T_3.
// The remainder is c_0 + (c_1 - c_7) T_1 + (c_2 - c_6) T_2 + (c_3 - c_5) T_3.
TEST(PolynomialPlan, ASeriesAboveTheBabyStepsIsSplitThoughItHasLevelsToSpare) {
  const std::vector<double> series{1, 2, 4, 8, 16, 32, 64, 128};
  const PolynomialPlan plan = plan_polynomial(series, {.degree = 7, .log_baby = 2, .depth = 4});
  EXPECT_EQ(plan.root.terms, (std::map<int, double>{{0, 1}, {1, -126}, {2, -60}, {3, -24}}));
  ASSERT_EQ(plan.root.products.size(), 1u);
  EXPECT_EQ(plan.root.products[0].power, 2);
  EXPECT_EQ(plan.root.products[0].factor.terms, (std::map<int, double>{{0, 16}, {1, 64}, {2, 128}, {3, 256}}));
  EXPECT_EQ(plan.basis, (std::set<int>{2, 3, 4}));
  EXPECT_EQ(plan.products, 4);
  EXPECT_EQ(plan.relinearisations, (std::vector<int>{0, 1, 2, 0, 1}));
}

// T_5 = 2 T_4 T_1 - T_3: the difference is computed as well.
TEST(PolynomialPlan, WhatAStepTakesOffIsInTheBasis) {
  const std::vector<double> fifth{0, 0, 0, 0, 0, 1};
  const PolynomialPlan plan = plan_polynomial(fifth, {.degree = 5, .log_baby = 3, .depth = 4});
  EXPECT_EQ(plan.root.terms, (std::map<int, double>{{5, 1}}));
  EXPECT_EQ(plan.basis, (std::set<int>{2, 3, 4, 5}));
  EXPECT_EQ(plan.products, 4);
  EXPECT_EQ(plan.relinearisations, (std::vector<int>{0, 1, 2, 1, 0}));
}

// T_3 = T_2 (2 T_1) - T_1, for T_3 itself would be one level too late.
TEST(PolynomialPlan, ATermOfCoefficientOneTakesItsLevelToo) {
  const PolynomialPlan plan =
      plan_polynomial(std::vector<double>{0, 0, 0, 1}, {.degree = 3, .log_baby = 2, .depth = 2});
  EXPECT_EQ(plan.root.terms, (std::map<int, double>{{1, -1}}));
  ASSERT_EQ(plan.root.products.size(), 1u);
  EXPECT_EQ(plan.root.products[0].power, 1);
  EXPECT_EQ(plan.root.products[0].factor.terms, (std::map<int, double>{{1, 2}}));
}

TEST(PolynomialPlan, NothingIsZero) {
  EXPECT_TRUE(plan_polynomial({}, {.degree = 0, .log_baby = 1, .depth = 0}).root.terms.empty());
}

// Small coefficients are compared with the largest, not with 1.
TEST(PolynomialPlan, ASeriesMayBeSmallAsAWhole) {
  const PolynomialPlan plan =
      plan_polynomial(std::vector<double>{0x1p-80, 0x1p-70}, {.degree = 1, .log_baby = 1, .depth = 1});
  EXPECT_EQ(plan.root.terms, (std::map<int, double>{{0, 0x1p-80}, {1, 0x1p-70}}));
}

}  // namespace
}  // namespace tacit::params
