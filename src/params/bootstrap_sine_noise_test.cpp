#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <vector>

#include "params/bootstrap_noise.h"
#include "params/bootstrap_scales.h"
#include "params/noise.h"
#include "params/polynomial_plan.h"

namespace tacit::params {
namespace {

/// A number, and what each rounding so far has added to it, to first order. Roundings are independent.
struct Number {
  double value = 0, scale = 0;
  std::vector<double> errors{};
};

/// The sine of a bootstrap, with errors that go through it by the derivatives of products.
class RoundedSine {
 public:
  RoundedSine(const CkksParameters& set, const BootstrapSchedule& schedule) : set_(set), schedule_(schedule) {}

  /// Sum of the squares of all errors of sin(2 pi t), each as large as it is in the end.
  double variance(double t) {
    const BootstrapScales scales = bootstrap_scales(set_, schedule_);
    const PolynomialPlan plan = plan_polynomial(schedule_.cosine, schedule_.polynomial);
    powers_.clear();
    powers_[1] = {.value = (t - 0.25) / schedule_.range, .scale = scales.argument()};
    for (const int index : plan.basis) {
      const ChebyshevStep step = chebyshev_step(index);
      const Number a = powers_.at(step.a), b = powers_.at(step.b);
      Number power = product(a, b);
      for (double& error : power.errors) error *= 2;
      power.value = 2 * power.value;
      // T_i is T_a and T_b multiplied, less T_(a - b).
      if (step.a == step.b) {
        power.value -= 1;
      } else {
        const Number& less = powers_.at(step.a - step.b);
        power.value -= less.value;
        add(power.errors, less.errors, -1);
      }
      const int depth = static_cast<int>(std::ceil(std::log2(index)));
      powers_[index] = rounded(power, a.scale * b.scale / divisor(depth));
    }
    Number y = node(plan.root, scales.cosine);
    for (int angle = 1; angle <= 3; ++angle) {
      Number twice = product(y, y);
      for (double& error : twice.errors) error *= 2;
      twice.value = 2 * twice.value - 1;
      y = rounded(twice, y.scale * y.scale / divisor(5 + angle));
    }
    EXPECT_NEAR(y.scale / scales.sine, 1, 1e-9);
    double sum = 0;
    for (const double error : y.errors) sum += error * error;
    return sum;
  }

 private:
  /// The primes between a depth and the one before it.
  double divisor(int depth) const {
    const std::vector<int>& levels = schedule_.chain.sine;
    double primes = 1;
    for (int level = levels.at(static_cast<std::size_t>(depth) - 1); level > levels.at(static_cast<std::size_t>(depth));
         --level)
      primes *= set_.prime(level);
    return primes;
  }
  static void add(std::vector<double>& sum, const std::vector<double>& errors, double factor) {
    if (sum.size() < errors.size()) sum.resize(errors.size());
    for (std::size_t i = 0; i < errors.size(); ++i) sum[i] += factor * errors[i];
  }
  static Number product(const Number& a, const Number& b) {
    Number result{.value = a.value * b.value};
    add(result.errors, a.errors, b.value);
    add(result.errors, b.errors, a.value);
    return result;
  }
  /// With an error of its own, which no other number has.
  Number rounded(Number number, double scale) {
    number.scale = scale;
    number.errors.resize(roundings_ + 1);
    number.errors[roundings_++] = rounding_noise(set_, scale);
    return number;
  }
  /// What is summed up has the scale of the result times the primes that it is divided by.
  Number node(const PolynomialNode& node_, double scale) {
    Number sum;
    for (const auto& term : node_.products) {
      const Number& power = powers_.at(1 << term.power);
      const Number part = product(power, node(term.factor, scale * divisor(node_.depth) / power.scale));
      sum.value += part.value;
      add(sum.errors, part.errors, 1);
    }
    for (const auto& [index, coefficient] : node_.terms) {
      sum.value += index == 0 ? coefficient : coefficient * powers_.at(index).value;
      if (index > 0) add(sum.errors, powers_.at(index).errors, coefficient);
    }
    return rounded(sum, scale);
  }

  const CkksParameters& set_;
  const BootstrapSchedule& schedule_;
  std::map<int, Number> powers_;
  std::size_t roundings_ = 0;
};

/// S8 with primes of 48 and 46 bits where angles are doubled, so that each level has others.
CkksParameters uneven() {
  CkksLiteral literal = named_literal("S8");
  literal.q_bits.at(13) = 48;
  literal.q_bits.at(12) = 46;
  return CkksParameters::check(literal);
}

// A mean over the overflows of a secret of weight 32, in units of the message.
TEST(BootstrapNoise, TheSineSumsUpItsRoundingsByTheirDerivatives) {
  for (const CkksParameters& set : {CkksParameters::check(named_literal("S8")), uneven()}) {
    const BootstrapSchedule schedule = plan_bootstrap(set.literal());
    double sum = 0, shares = 0;
    for (int overflow = -8; overflow <= 8; ++overflow) {
      const auto below = [](double x) { return std::erfc(-x / std::sqrt(2 * 32 / 12.0)) / 2; };
      const double share = below(overflow + 0.5) - below(overflow - 0.5);
      shares += share;
      sum += share * RoundedSine(set, schedule).variance(overflow);
    }
    const double expected = std::sqrt(sum / shares) * schedule.ratio() / (2 * std::numbers::pi);
    EXPECT_NEAR(bootstrap_noise(set, schedule).sine / expected, 1, 1e-3);
  }
}

}  // namespace
}  // namespace tacit::params
