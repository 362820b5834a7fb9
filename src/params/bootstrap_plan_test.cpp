#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <vector>

#include "params/account.h"
#include "params/bootstrap_schedule.h"
#include "params/cosine_fit.h"
#include "params/polynomial_plan.h"
#include "params/small_ring_for_test.h"

/// What plan_bootstrap chooses, on small rings.
namespace tacit::params {
namespace {

constexpr int kLogSlots = 8;
CkksLiteral small_s8() { return insecure_on_small_ring("S8", kLogSlots + 1); }

/// Seconds of a factor by the definition of its parts: each key counts for its bytes at 5 GB/s.
class Prices {
 public:
  Prices(const LinearParts<Work>& parts, double key_bytes)
      : parts_(seconds(parts, CostTable{})), key_(key_bytes * 2e-10) {}
  double of(const LinearCounts& counts) const {
    return total(counts, parts_) + static_cast<double>(counts.babies + counts.giants) * key_;
  }
  /// The least of a factor of these stages. It has 2^(stages + 1) - 1 diagonals; that of the highest stage has half of
  /// them, for its moves either way are the same.
  double least(int first, int stages, bool giants) const {
    const std::int64_t end = std::int64_t{1} << stages;
    const bool highest = first + stages == kLogSlots;
    double best = INFINITY;
    for (std::int64_t babies = giants ? 1 : end; babies <= end; babies *= 2) {
      LinearCounts counts;
      counts.babies = babies - 1;
      counts.products = highest ? end : 2 * end - 1;
      // Multiples of `babies` below the highest diagonal, either way.
      counts.giants = highest ? end / babies - 1 : babies == 1 ? 2 * end - 2 : 2 * end / babies - 1;
      counts.density = std::exp2(first + stages - kLogSlots);
      best = std::min(best, of(counts));
    }
    return best;
  }

 private:
  LinearParts<double> parts_;
  double key_;
};

/// The least of all ways to spend the stages that are left on these levels, the first `used` of which are spent.
double least_of(const std::vector<Prices>& levels, std::size_t level, int used, bool to_coefficients) {
  if (level == levels.size()) return used == kLogSlots ? 0 : INFINITY;
  double best = INFINITY;
  for (int stages = 1; stages <= std::min(7, kLogSlots - used); ++stages) {
    const int first = to_coefficients ? used : kLogSlots - used - stages;
    best = std::min(best, levels[level].least(first, stages, to_coefficients || level > 0) +
                              least_of(levels, level + 1, used + stages, to_coefficients));
  }
  return best;
}

TEST(BootstrapPlan, NoOtherFactorsCostLess) {
  const CkksLiteral literal = small_s8();
  const Account account(literal);
  const BootstrapSchedule schedule = plan_bootstrap(literal);
  std::vector<Prices> down, up;
  for (const int level : {3, 2, 1}) down.emplace_back(account.linear(level), account.half_key_bytes(level));
  up.emplace_back(account.raised_linear(24), account.half_raised_key_bytes(24));
  for (const int level : {23, 22, 21}) up.emplace_back(account.linear(level), account.half_key_bytes(level));
  const auto price = [](const std::vector<DftFactor>& factors, const std::vector<Prices>& levels) {
    double sum = 0;
    for (std::size_t i = 0; i < factors.size(); ++i) sum += levels.at(i).of(count(factors[i], kLogSlots));
    return sum;
  };
  EXPECT_NEAR(price(schedule.slots_to_coefficients, down) / least_of(down, 0, 0, true), 1, 1e-12);
  EXPECT_NEAR(price(schedule.coefficients_to_slots, up) / least_of(up, 0, 0, false), 1, 1e-12);
}

// Diagonals of several stages are multiples of the distance that the lowest of them joins.
TEST(BootstrapPlan, DiagonalsAreGiantStepsAndBabyStepsBelowThem) {
  constexpr std::int64_t kSlots = 1 << kLogSlots;
  const BootstrapSchedule schedule = plan_bootstrap(small_s8());
  for (const auto* factors : {&schedule.slots_to_coefficients, &schedule.coefficients_to_slots})
    for (const DftFactor& factor : *factors) {
      const std::int64_t distance = std::int64_t{1} << factor.first_stage, most = std::int64_t{1} << factor.stages;
      const std::int64_t giant = (count(factor, kLogSlots).babies + 1) * distance;
      std::int64_t multiple = factor.first_stage + factor.stages == kLogSlots ? 0 : 1 - most;
      for (const DiagonalStep& step : factor.schedule.steps) {
        EXPECT_EQ(step.diagonal, (multiple * distance + kSlots) % kSlots);
        EXPECT_EQ((step.baby + step.giant) % kSlots, step.diagonal);
        EXPECT_GE(step.baby, 0);
        EXPECT_LT(step.baby, giant);
        EXPECT_GE(step.giant, 0);
        EXPECT_LT(step.giant, kSlots);
        EXPECT_EQ(step.giant % giant, 0);
        ++multiple;
      }
      EXPECT_EQ(multiple, most);
    }
}

TEST(BootstrapPlan, AsManyLevelsAsStagesHaveOneStageEach) {
  CkksLiteral literal = insecure_on_small_ring("S8", 7);
  literal.bootstrap->slots_to_coefficients = literal.bootstrap->coefficients_to_slots = 6;
  const BootstrapSchedule schedule = plan_bootstrap(literal);
  ASSERT_EQ(schedule.slots_to_coefficients.size(), 6U);
  ASSERT_EQ(schedule.coefficients_to_slots.size(), 6U);
  for (int i = 0; i < 6; ++i) {
    const DftFactor& down = schedule.slots_to_coefficients[static_cast<std::size_t>(i)];
    const DftFactor& up = schedule.coefficients_to_slots[static_cast<std::size_t>(i)];
    EXPECT_EQ(down.stages, 1);
    EXPECT_EQ(down.first_stage, i);
    EXPECT_EQ(up.stages, 1);
    EXPECT_EQ(up.first_stage, 5 - i);
  }
}

TEST(BootstrapPlan, EveryStepThatMovesSlotsHasAKey) {
  // Four of the primes above level 7 are skipped; keys count levels with them.
  const BootstrapSchedule schedule = plan_bootstrap(small_s8(), {.output_level = 7});
  ASSERT_EQ(schedule.chain.skipped, 4);
  std::map<std::int64_t, int> raised, others;
  const auto add = [&](const DftFactor& factor, int level) {
    for (const DiagonalStep& step : factor.schedule.steps)
      for (const std::int64_t moved : {step.baby, step.giant})
        if (moved != 0) others[moved] = std::max(others[moved], level);
  };
  for (std::size_t i = 0; i < 3; ++i) add(schedule.slots_to_coefficients.at(i), 3 - static_cast<int>(i));
  for (std::size_t i = 1; i < 4; ++i) add(schedule.coefficients_to_slots.at(i), 24 - static_cast<int>(i));
  // The first factor's step 0 needs a key, too: it takes the ciphertext back from the ephemeral secret.
  for (const DiagonalStep& step : schedule.coefficients_to_slots.at(0).schedule.steps) raised[step.diagonal] = 24;
  const KeyManifest keys = key_manifest(schedule);
  EXPECT_EQ(keys.rotations, others);
  EXPECT_EQ(keys.raised_rotations, raised);
  EXPECT_EQ(raised.count(0), 1U);
  EXPECT_EQ(keys.relinearise_level, 20);
  EXPECT_EQ(keys.conjugate_level, 20);
}

TEST(BootstrapPlan, LevelsAndRatiosFollowTheForm) {
  const CkksLiteral s8 = small_s8();
  EXPECT_EQ(plan_bootstrap(s8).output_level, 11);
  EXPECT_EQ(plan_bootstrap(s8).input_level, 3);
  EXPECT_EQ(plan_bootstrap(s8).log_ratio, 6);
  EXPECT_EQ(plan_bootstrap(s8, {.form = BootstrapForm::linear}).log_ratio, 10);
}

// The sine of S8 begins at level 20.
TEST(BootstrapPlan, TheRatioDoesNotDependOnThePrimesOfTheSine) {
  CkksLiteral literal = small_s8();
  for (const int bits : {49, 48, 47}) {
    literal.q_bits.at(20) = bits;
    EXPECT_EQ(plan_bootstrap(literal).log_ratio, 6) << bits;
  }
}

TEST(BootstrapPlan, TheCosineIsFittedWhereMessagesLie) {
  const BootstrapSchedule folded = plan_bootstrap(small_s8());
  EXPECT_DOUBLE_EQ(folded.range, 16.3);
  ASSERT_EQ(folded.cosine.size(), 31U);
  // Messages up to 1.4, over the ratio, beside every likely overflow less a quarter.
  double worst = 0;
  for (int overflow = -8; overflow <= 8; ++overflow)
    for (int k = -10; k <= 10; ++k) {
      const double turn = overflow - 0.25 + 1.4 * k / 10 / 64;
      double y = 0;
      for (std::size_t i = 0; i < folded.cosine.size(); ++i)
        y += folded.cosine[i] * std::cos(static_cast<double>(i) * std::acos(turn / 16.3));
      for (int angle = 0; angle < 3; ++angle) y = 2 * y * y - 1;
      worst = std::max(worst, std::abs(y - std::cos(2 * std::numbers::pi * turn)));
    }
  EXPECT_LT(std::log2(worst * 64 / (2 * std::numbers::pi)), -32.4);
  // At ratio 2^10 the intervals are those of 2^8.
  EXPECT_EQ(plan_bootstrap(small_s8(), {.form = BootstrapForm::linear}).cosine,
            fit_cosine(30, 3, 16, 8, 16.3, std::ldexp(std::numbers::sqrt2, -8)));
}

TEST(BootstrapPlan, TheCosineTakesTheFewestProducts) {
  const BootstrapSchedule schedule = plan_bootstrap(small_s8());
  EXPECT_EQ(schedule.polynomial.degree, 30);
  EXPECT_EQ(schedule.polynomial.depth, 5);
  const auto products = [&](int log_baby) {
    PolynomialSchedule other = schedule.polynomial;
    other.log_baby = log_baby;
    return plan_polynomial(schedule.cosine, other).products;
  };
  // With T_2, T_4 and T_6 at hand nine; with fewer baby polynomials or more, eleven.
  EXPECT_EQ(products(schedule.polynomial.log_baby), 9);
  EXPECT_EQ(products(3), 9);
  for (const int log_baby : {1, 2, 4, 5}) EXPECT_EQ(products(log_baby), 11) << log_baby;
}

}  // namespace
}  // namespace tacit::params
