#include "params/bootstrap_schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <set>

#include "base/error.h"
#include "params/account.h"
#include "params/cosine_fit.h"
#include "params/polynomial_plan.h"

namespace tacit::params {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

double series_at(const std::vector<double>& c, double x) {
  double sum = 0;
  for (std::size_t k = 0; k < c.size(); ++k) sum += c[k] * std::cos(static_cast<double>(k) * std::acos(x));
  return sum;
}

TEST(CosineFit, IsFlatAfterTheAnglesAreDoubled) {
  const double width = std::exp2(-7.5);
  const std::vector<double> c = fit_cosine(30, 3, 16, 16, 16.3, width);
  ASSERT_EQ(c.size(), 31u);
  double worst = 0, central = 0;
  for (int i = -16; i <= 16; ++i) {
    for (int k = -20; k <= 20; ++k) {
      const double u = i - 0.25 + width * k / 20;
      double y = series_at(c, u / 16.3);
      for (int angle = 0; angle < 3; ++angle) y = 2 * y * y - 1;
      const double error = std::abs(y - std::cos(2 * std::numbers::pi * u));
      worst = std::max(worst, error);
      if (std::abs(i) <= 2) central = std::max(central, error);
    }
  }
  // In units of a message at ratio 2^8: 24 bits.
  EXPECT_LT(std::log2(worst * 256 / (2 * std::numbers::pi)), -23.8);
  EXPECT_GT(central, worst / 4);
}

/// The bits of the worst error of a schedule's polynomial at the overflows i and -i, for |z| up to `reach`, in units of
/// the message.
double polynomial_bits(const BootstrapSchedule& schedule, int overflow, double reach) {
  double worst = 0;
  for (const int i : {-overflow, overflow})
    for (int k = -40; k <= 40; ++k) {
      const double t = i + reach * k / 40 / schedule.ratio();
      double y = series_at(schedule.cosine, (t - 0.25) / schedule.range);
      for (int angle = 0; angle < kDoubleAngles; ++angle) y = 2 * y * y - 1;
      worst = std::max(worst, std::abs(y - std::sin(2 * std::numbers::pi * t)));
    }
  return -std::log2(worst * schedule.ratio() / (2 * std::numbers::pi));
}

// A flat fit leaves 25.8 bits at every overflow. The bounds are those of the dossier's degree 30: an overflow beyond 8
// happens in one slot of 2^23, beyond 12 in one of 2^56.
TEST(BootstrapSchedule, TheCosineIsFittedByTheProbabilityOfTheOverflow) {
  for (const std::string& name : bootstrapping_literals()) {
    const BootstrapSchedule schedule = plan_bootstrap(named_literal(name));
    for (int overflow = 0; overflow <= 8; ++overflow)
      EXPECT_GT(polynomial_bits(schedule, overflow, kMessageReach), 32) << name << ", " << overflow;
    for (int overflow = 9; overflow <= kOverflowBound; ++overflow)
      EXPECT_GT(polynomial_bits(schedule, overflow, kMessageReach), 32 - 2 * (overflow - 8))
          << name << ", " << overflow;
  }
}

TEST(BootstrapSchedule, CoversEveryStageOnce) {
  for (const std::string& name : bootstrapping_literals()) {
    const CkksLiteral literal = named_literal(name);
    const BootstrapSchedule schedule = plan_bootstrap(literal);
    const int log_slots = literal.log_n - 1;
    int stage = 0, level = schedule.chain.input;
    for (const DftFactor& factor : schedule.slots_to_coefficients) {
      EXPECT_EQ(factor.first_stage, stage);
      EXPECT_EQ(factor.level, level--);
      stage += factor.stages;
    }
    EXPECT_EQ(stage, log_slots);
    EXPECT_EQ(level, 0);
    level = schedule.chain.top;
    for (const DftFactor& factor : schedule.coefficients_to_slots) {
      EXPECT_EQ(factor.first_stage + factor.stages, stage);
      EXPECT_EQ(factor.level, level--);
      stage = factor.first_stage;
    }
    EXPECT_EQ(stage, 0);
    EXPECT_EQ(level, schedule.chain.sine[0]);
  }
}

TEST(BootstrapSchedule, HasTheDiagonalsOfTheFactors) {
  const BootstrapSchedule schedule = plan_bootstrap(named_literal("S8"));
  std::vector<std::size_t> diagonals;
  for (const auto* factors : {&schedule.slots_to_coefficients, &schedule.coefficients_to_slots})
    for (const DftFactor& factor : *factors) {
      diagonals.push_back(factor.schedule.steps.size());
      std::set<std::int64_t> distinct;
      for (const DiagonalStep& step : factor.schedule.steps) {
        EXPECT_EQ((step.baby + step.giant) % 32768, step.diagonal);
        EXPECT_TRUE(distinct.insert(step.diagonal).second);
      }
    }
  EXPECT_EQ(diagonals, (std::vector<std::size_t>{31, 63, 64, 16, 15, 31, 31}));
  const KeyManifest needs = key_manifest(schedule);
  EXPECT_EQ(needs.raised_rotations.size(), schedule.coefficients_to_slots[0].schedule.steps.size());
  for (const auto& [steps, level] : needs.raised_rotations) EXPECT_EQ(level, 24) << steps;
  EXPECT_EQ(needs.relinearise_level, 20);
  std::size_t above = 0;
  for (const auto& [steps, level] : needs.rotations) {
    EXPECT_TRUE(level >= 21 || level <= 3) << steps;
    above += level >= 21 ? 1 : 0;
  }
  EXPECT_LE(above, 48u);
  EXPECT_LE(needs.rotations.size(), 80u);
}

// Sixteen baby steps to each giant one would take less time on S8, and 1.82 GB of keys.
TEST(BootstrapSchedule, KeysCountBesideTime) {
  const auto gigabytes = [](const std::string& name) {
    const CkksLiteral literal = named_literal(name);
    return key_bytes(literal, key_manifest(plan_bootstrap(literal))) / 1e9;
  };
  EXPECT_LT(gigabytes("S8"), 1.45);
  EXPECT_LT(gigabytes("S11"), 2.0);
  EXPECT_LT(gigabytes("S15"), 2.9);
}

TEST(BootstrapSchedule, ARaisedCiphertextHasNoGiantSteps) {
  for (const std::string& name : bootstrapping_literals()) {
    const BootstrapSchedule schedule = plan_bootstrap(named_literal(name));
    const DftFactor& first = schedule.coefficients_to_slots[0];
    const LinearCounts counts = count(first, named_literal(name).log_n - 1);
    EXPECT_EQ(counts.giants, 0) << name;
    EXPECT_EQ(counts.babies, (1 << first.stages) - 1) << name;
    EXPECT_EQ(counts.density, 1) << name;
    EXPECT_EQ(count(schedule.slots_to_coefficients[0], named_literal(name).log_n - 1).density,
              std::ldexp(1.0, schedule.slots_to_coefficients[0].stages - named_literal(name).log_n + 1));
  }
}

TEST(BootstrapSchedule, OneFromElsewhereIsHeldToTheSet) {
  const CkksLiteral literal = named_literal("S8");
  const BootstrapSchedule schedule = plan_bootstrap(literal, {.output_level = 7});
  EXPECT_EQ(schedule_problem(schedule, literal), "");
  EXPECT_NE(schedule_problem(schedule, named_literal("S11")), "");
  const auto changed = [&](const auto& change) {
    BootstrapSchedule other = schedule;
    change(other);
    return !schedule_problem(other, literal).empty();
  };
  EXPECT_TRUE(changed([](BootstrapSchedule& other) { other.coefficients_to_slots[1].schedule.steps.pop_back(); }));
  EXPECT_TRUE(changed([](BootstrapSchedule& other) { other.coefficients_to_slots[1].schedule.steps[0].diagonal = 1; }));
  EXPECT_TRUE(changed([](BootstrapSchedule& other) { --other.slots_to_coefficients[0].level; }));
  EXPECT_TRUE(changed([](BootstrapSchedule& other) { other.slots_to_coefficients.pop_back(); }));
  EXPECT_TRUE(changed([](BootstrapSchedule& other) { other.slots_to_coefficients[1].stages = 40; }));
  EXPECT_TRUE(changed([](BootstrapSchedule& other) {
    DiagonalStep& step = other.coefficients_to_slots[0].schedule.steps[1];
    std::swap(step.baby, step.giant);
  }));
  EXPECT_TRUE(changed([](BootstrapSchedule& other) { other.range = 0; }));
  EXPECT_TRUE(changed([](BootstrapSchedule& other) { other.log_ratio = 7; }));
  EXPECT_TRUE(changed([](BootstrapSchedule& other) { other.log_ratio = 8; }));
  EXPECT_TRUE(changed([](BootstrapSchedule& other) { other.cosine[2] += 1e-9; }));
  EXPECT_TRUE(changed([](BootstrapSchedule& other) { other.slots_to_coefficients[0].schedule.folds = {1}; }));
}

// Models from before cosines were fitted by the probability of overflows have ratio 2^8, on sets whose sine has large
// primes, and a flat fit. They go on to run. The ratio and the fit belong together.
TEST(BootstrapSchedule, OneWithTheFlatFitOfEarlierModelsIsAccepted) {
  struct {
    const char* set;
    BootstrapForm form;
    int log_ratio;
    double log_width;
  } const earlier[] = {{"S8", BootstrapForm::folded, 8, -7.5},
                       {"S15", BootstrapForm::folded, 8, -7.5},
                       {"S8", BootstrapForm::linear, 10, -7.5},
                       {"N15-S5", BootstrapForm::folded, 6, -5.5}};
  for (const auto& [set, form, log_ratio, log_width] : earlier) {
    const CkksLiteral literal = named_literal(set);
    BootstrapSchedule schedule = plan_bootstrap(literal, {.form = form});
    schedule.cosine = fit_cosine(30, 3, 16, 16, 16.3, std::exp2(log_width));
    schedule.log_ratio = log_ratio;
    EXPECT_EQ(schedule_problem(schedule, literal), "") << set;
    EXPECT_NEAR(schedule.inverse(schedule.result(0.75)), 0.75, 1e-12);
    ++schedule.log_ratio;
    EXPECT_EQ(schedule_problem(schedule, literal),
              "has another sine than the parameter set " + literal.name + " needs");
  }
}

/// A file that was written when operations had other prices goes on to run.
TEST(BootstrapSchedule, OneOfOtherPricesIsAccepted) {
  std::mt19937_64 random(7);
  for (const std::string& name : bootstrapping_literals()) {
    const CkksLiteral literal = named_literal(name);
    int others = 0;
    for (int turn = 0; turn < 8; ++turn) {
      CostTable prices;
      for (const CostField& field : cost_fields())
        if (field.name != "threads")
          prices.*field.value *= std::exp2(std::uniform_real_distribution(-4.0, 4.0)(random));
      const BootstrapSchedule schedule = plan_bootstrap(literal, {}, prices);
      EXPECT_EQ(schedule_problem(schedule, literal), "") << name;
      others += schedule != plan_bootstrap(literal);
    }
    EXPECT_GT(others, 0) << name;
  }
}

TEST(BootstrapSchedule, FewLevelsTakeAllStages) {
  CkksLiteral literal = named_literal("S8");
  literal.bootstrap->coefficients_to_slots = 2;
  literal.bootstrap->slots_to_coefficients = 2;
  const BootstrapSchedule schedule = plan_bootstrap(literal);
  for (const auto* factors : {&schedule.slots_to_coefficients, &schedule.coefficients_to_slots}) {
    ASSERT_EQ(factors->size(), 2u);
    EXPECT_EQ(factors->front().stages + factors->back().stages, 15);
  }
}

TEST(BootstrapSchedule, TheCosineNeedsFewKeySwitches) {
  const BootstrapSchedule schedule = plan_bootstrap(named_literal("S8"));
  const PolynomialPlan plan = plan_polynomial(schedule.cosine, schedule.polynomial);
  EXPECT_EQ(plan.root.depth, kCosineDepth);
  int relinearisations = 0;
  for (const int r : plan.relinearisations) relinearisations += r;
  EXPECT_LE(relinearisations, 8);
}

TEST(BootstrapSchedule, TheRatioFollowsTheForm) {
  const auto log_ratio = [](const std::string& name, BootstrapForm form) {
    return plan_bootstrap(named_literal(name), {.form = form}).log_ratio;
  };
  for (const std::string& name : bootstrapping_literals()) {
    EXPECT_EQ(log_ratio(name, BootstrapForm::folded), 6) << name;
    EXPECT_EQ(log_ratio(name, BootstrapForm::linear), 10) << name;
  }
}

TEST(BootstrapSchedule, ResultsInvert) {
  for (const BootstrapForm form : {BootstrapForm::linear, BootstrapForm::folded}) {
    const BootstrapSchedule schedule = plan_bootstrap(named_literal("S11"), {.form = form});
    EXPECT_EQ(schedule.output_level, 14);
    double worst = 0;
    for (double z = -1; z <= 1; z += 1.0 / 64) {
      EXPECT_NEAR(schedule.inverse(schedule.result(z)), z, 1e-12);
      worst = std::max(worst, std::abs(schedule.result(z) - z));
    }
    EXPECT_NEAR(std::log2(worst), form == BootstrapForm::linear ? -19.3 : -9.3, 0.1);
  }
}

TEST(BootstrapSchedule, ALowerLevelSkipsThePrimesBetween) {
  const CkksLiteral literal = named_literal("S15");
  const BootstrapSchedule high = plan_bootstrap(literal), low = plan_bootstrap(literal, {.output_level = 6});
  EXPECT_EQ(low.chain.skipped, 12);
  EXPECT_EQ(low.chain.output, 6);
  EXPECT_EQ(low.chain.top, high.chain.top - 12);
  EXPECT_EQ(low.coefficients_to_slots.front().level, low.chain.top);
  EXPECT_EQ(low.slots_to_coefficients, high.slots_to_coefficients);
  // The keys are those of the whole set.
  const KeyManifest needs = key_manifest(low), whole = key_manifest(high);
  EXPECT_EQ(needs.rotations, whole.rotations);
  EXPECT_EQ(needs.raised_rotations, whole.raised_rotations);
  EXPECT_EQ(needs.relinearise_level, whole.relinearise_level);
  // One level for the result at least, and a drop below it.
  EXPECT_EQ(plan_bootstrap(literal, {.output_level = 3}).chain.output, 4);
}

TEST(BootstrapChain, ASetMayEndLower) {
  for (const std::string& name : bootstrapping_literals()) {
    const CkksLiteral literal = named_literal(name);
    const BootstrapChain chain = chain_of(literal);
    EXPECT_EQ(with_output_level(literal, chain.output), literal);
    const CkksLiteral lower = with_output_level(literal, chain.input + 2);
    const CkksParameters set = CkksParameters::check(lower);
    EXPECT_EQ(chain_of(lower).output, chain.input + 2);
    EXPECT_EQ(chain_of(lower).top, chain.top - (chain.output - chain.input - 2));
    EXPECT_LT(set.log_qp(), CkksParameters::check(literal).log_qp());
    EXPECT_EQ(set.security_bits(), 128);
    EXPECT_THAT([&] { with_output_level(literal, chain.output + 1); },
                ThrowsMessage<base::InputError>(HasSubstr("is outside")));
  }
}

TEST(CkksParameters, WithoutSomePrimesKeepsTheOthersAndTheirDigits) {
  const CkksParameters set = CkksParameters::check(named_literal("S15"));
  EXPECT_EQ(set.gadget().digits, (std::vector<std::size_t>{8, 9, 7, 8}));
  const CkksParameters part = set.without(7, 12);
  EXPECT_EQ(part.gadget().digits, (std::vector<std::size_t>{7, 5, 8}));
  EXPECT_EQ(part.max_level(), set.max_level() - 12);
  EXPECT_EQ(part.q()[6], set.q()[6]);
  EXPECT_EQ(part.q()[7], set.q()[19]);
  EXPECT_EQ(part.p(), set.p());
  EXPECT_NEAR(part.log_qp(), set.log_qp() - 12 * 40, 0.01);
  EXPECT_NE(part.hash(), set.hash());
  const CkksLiteral six{.name = "six", .q_bits = {40, 41, 42, 43, 44, 45}, .p_bits = {}};
  const CkksLiteral three = without_primes(six, {2, 2, 2}, 2, 3);
  EXPECT_EQ(three.digits, (std::vector<int>{2, 1}));
  EXPECT_EQ(three.q_bits, (std::vector<int>{40, 41, 45}));
}

TEST(BootstrapSchedule, RefusesLevelsThatTheChainDoesNotReach) {
  const CkksLiteral literal = named_literal("S8");
  EXPECT_EQ(plan_bootstrap(literal, {.output_level = 5}).output_level, 5);
  EXPECT_THAT([&] { plan_bootstrap(literal, {.output_level = 12}); },
              ThrowsMessage<base::InputError>(HasSubstr("the output level 12 is outside 3 to 11")));
  EXPECT_THAT([&] { plan_bootstrap(literal, {.output_level = 2}); },
              ThrowsMessage<base::InputError>(HasSubstr("the output level 2 is outside 3 to 11")));
  EXPECT_THAT([&] { plan_bootstrap(named_literal("N13-d4")); },
              ThrowsMessage<base::InputError>(HasSubstr("the set is leveled")));
}

TEST(BootstrapChain, ALowerEndLiesAboveTheInput) {
  const CkksLiteral s8 = named_literal("S8");
  const CkksLiteral lowest = with_output_level(s8, 4);
  EXPECT_EQ(lowest.name, "S8 to level 4");
  EXPECT_EQ(chain_of(lowest).output, 4);
  EXPECT_EQ(lowest.q_bits.size(), s8.q_bits.size() - 7);
  for (const int output : {3, 12})
    EXPECT_THAT([&] { with_output_level(s8, output); },
                ThrowsMessage<base::InputError>("parameter set 'S8', bootstrapping: the output level " +
                                                std::to_string(output) + " is outside 4 to 11"));
}

// At the minimum of the largest error every part of the range comes up to it, its ends like its middle.
TEST(CosineFit, ErrsNoMoreAtTheEndsThanInTheMiddle) {
  const double width = std::exp2(-7.5);
  const std::vector<double> c = fit_cosine(30, 3, 16, 16, 16.3, width);
  const auto largest = [&](int first, int last) {
    double worst = 0;
    for (int i = first; i <= last; ++i)
      for (int k = -20; k <= 20; ++k) {
        const double u = i - 0.25 + width * k / 20;
        double y = series_at(c, u / 16.3);
        for (int angle = 0; angle < 3; ++angle) y = 2 * y * y - 1;
        worst = std::max(worst, std::abs(y - std::cos(2 * std::numbers::pi * u)));
      }
    return worst;
  };
  const double middle = largest(-5, 5);
  for (const int end : {-16, 16}) EXPECT_NEAR(largest(end, end) / middle, 1, 0.04) << end;
}

}  // namespace
}  // namespace tacit::params
