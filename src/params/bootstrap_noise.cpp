#include "params/bootstrap_noise.h"

#include <cmath>
#include <map>
#include <numbers>

#include "base/error.h"
#include "params/bootstrap_scales.h"
#include "params/noise.h"
#include "params/polynomial_plan.h"

namespace tacit::params {
namespace {

constexpr double kPi = std::numbers::pi;

/// The sine's circuit on one real number: what it computes, and at which scale each of its roundings happens.
class SineCircuit {
 public:
  SineCircuit(const CkksParameters& parameters, const BootstrapSchedule& schedule)
      : parameters_(raised_parameters(parameters, schedule.chain)),
        schedule_(schedule),
        scales_(bootstrap_scales(parameters, schedule)),
        plan_(plan_polynomial(schedule.cosine, schedule.polynomial)) {}

  /// sin(2 pi t), with `error` added to the value that the rounding number `at` produces (-1: to none).
  double run(double t, int at = -1, double error = 0) {
    at_ = at;
    error_ = error;
    rounding_scales_.clear();
    basis_.clear();
    basis_[1] = {(t - 0.25) / schedule_.range, scales_.argument()};
    for (const int index : plan_.basis) {
      const ChebyshevStep step = chebyshev_step(index);
      const Value a = basis_.at(step.a), b = basis_.at(step.b);
      const double difference = step.a == step.b ? 1 : basis_.at(step.a - step.b).value;
      int depth = 0;
      while (1 << depth < index) ++depth;
      basis_[index] = rounded(2 * a.value * b.value - difference, a.scale * b.scale / divisor(depth));
    }
    Value y = node(plan_.root, scales_.cosine);
    for (int angle = 0; angle < kDoubleAngles; ++angle)
      y = rounded(2 * y.value * y.value - 1, y.scale * y.scale / divisor(kCosineDepth + 1 + angle));
    return y.value;
  }
  const std::vector<double>& rounding_scales() const { return rounding_scales_; }

 private:
  struct Value {
    double value = 0, scale = 0;
  };
  Value rounded(double value, double scale) {
    if (static_cast<int>(rounding_scales_.size()) == at_) value += error_;
    rounding_scales_.push_back(scale);
    return {value, scale};
  }
  double divisor(int depth) const {
    const std::vector<int>& levels = schedule_.chain.sine;
    return prime_product(parameters_, levels[static_cast<std::size_t>(depth) - 1],
                         levels[static_cast<std::size_t>(depth)]);
  }
  Value node(const PolynomialNode& node_, double target) {
    const double scale = target * divisor(node_.depth);
    double sum = 0;
    for (const auto& product : node_.products) {
      const Value power = basis_.at(1 << product.power);
      sum += power.value * node(product.factor, scale / power.scale).value;
    }
    for (const auto& [index, coefficient] : node_.terms)
      sum += index == 0 ? coefficient : coefficient * basis_.at(index).value;
    return rounded(sum, target);
  }

  const CkksParameters parameters_;
  const BootstrapSchedule& schedule_;
  BootstrapScales scales_;
  PolynomialPlan plan_;
  std::map<int, Value> basis_;
  std::vector<double> rounding_scales_;
  int at_ = -1;
  double error_ = 0;
};

}  // namespace

double BootstrapNoise::total() const {
  double sum = 0;
  for (const double part : {slots_to_coefficients, raise, coefficients_to_slots, sine, approximation})
    sum += part * part;
  return std::sqrt(sum);
}

// A sum of `weight` uniform variables is close to a Gaussian where it matters.
double overflow_probability(int i, int weight) {
  const double deviation = std::sqrt(weight / 12.0);
  const auto below = [&](double x) { return std::erfc(-x / deviation / std::numbers::sqrt2) / 2; };
  return below(i + 0.5) - below(i - 0.5);
}

BootstrapNoise argument_noise(const CkksParameters& parameters, const BootstrapSchedule& schedule) {
  const BootstrapScales scales = bootstrap_scales(parameters, schedule);
  const int weight = parameters.literal().bootstrap->ephemeral_weight;
  const double ratio = schedule.ratio(), q0 = parameters.prime(0);
  BootstrapNoise noise;

  // A stage multiplies the variance of slots by two; in the end every slot is one coefficient again.
  double variance = 0;
  for (std::size_t i = 0; i < schedule.slots_to_coefficients.size(); ++i) {
    const DftFactor& factor = schedule.slots_to_coefficients[i];
    const double rounding = rounding_noise(parameters, scales.slots_to_coefficients[i]);
    variance += rounding * rounding * std::exp2(-(factor.first_stage + factor.stages));
  }
  noise.slots_to_coefficients = std::sqrt(variance);

  // One digit, q_0, over one special prime, then a rounding that meets the sparse secret; the same digit back, where
  // the rounding of the first factor, which is counted there, meets the dense one.
  const double n = static_cast<double>(parameters.n()), sigma = 3.19;
  const double key = sigma * q0 / static_cast<double>(parameters.p()[0]) * std::sqrt(n / 12);
  noise.raise = std::sqrt(2 * key * key + (1 + weight) / 12.0) * ratio / q0;

  // Diagonals are rounded, too: those of period p at 2p coefficients, and each of them meets a slot that holds the
  // overflow.
  variance = 0;
  const CkksParameters raised = raised_parameters(parameters, schedule.chain);
  const std::size_t factors = schedule.coefficients_to_slots.size();
  const double shrink = 0.5 / schedule.range, share = std::pow(shrink, 1 / static_cast<double>(factors));
  const double raised_slot = 2 * weight / 12.0 * shrink * shrink;  // the mean square of its absolute value, in the end
  for (std::size_t i = 0; i < factors; ++i) {
    const DftFactor& factor = schedule.coefficients_to_slots[i];
    const double rounding = rounding_noise(parameters, scales.coefficients_to_slots[i]);
    const double left = std::pow(share, static_cast<double>(factors - 1 - i));
    // x + conj(x) doubles what the factors leave in the real part.
    variance += 4 * rounding * rounding * left * left * std::exp2(-factor.first_stage);
    if (i + 1 == factors) variance += rounding * rounding;
    const double scale = scales.coefficients_to_slots[i] * prime_product(raised, factor.level, factor.level - 1) /
                         (i == 0 ? q0 : scales.coefficients_to_slots[i - 1]);
    const double diagonal = std::exp2(1 + factor.first_stage + factor.stages) / 12 / (scale * scale);
    variance += 4 * diagonal / 2 * static_cast<double>(factor.schedule.steps.size()) * raised_slot *
                std::exp2(factor.stages) / (share * share);
  }
  noise.coefficients_to_slots = std::sqrt(variance) * schedule.range * ratio;
  return noise;
}

BootstrapNoise bootstrap_noise(const CkksParameters& parameters, const BootstrapSchedule& schedule) {
  TACIT_ASSERT(!is_of_lookups(schedule.form));
  const int weight = parameters.literal().bootstrap->ephemeral_weight;
  const double ratio = schedule.ratio();
  BootstrapNoise noise = argument_noise(parameters, schedule);
  SineCircuit circuit(parameters, schedule);
  double approximation = 0, probability = 0, variance = 0;
  for (int i = -kOverflowBound; i <= kOverflowBound; ++i) {
    const double p = overflow_probability(i, weight);
    probability += p;
    const double exact = circuit.run(i);
    const std::vector<double> rounding_scales = circuit.rounding_scales();
    for (std::size_t k = 0; k < rounding_scales.size(); ++k) {
      const double rounding = rounding_noise(parameters, rounding_scales[k]);
      const double error = circuit.run(i, static_cast<int>(k), rounding) - exact;
      variance += p * error * error;
    }
    constexpr int kPoints = 16;
    for (int k = 0; k < kPoints; ++k) {
      const double z = (2 * k + 1.0) / kPoints - 1;
      const double error = circuit.run(i + z / ratio) - std::sin(2 * kPi * z / ratio);
      approximation += p * error * error / kPoints;
    }
  }
  noise.sine = std::sqrt(variance / probability) * ratio / (2 * kPi);
  noise.approximation = std::sqrt(approximation / probability) * ratio / (2 * kPi);
  return noise;
}

}  // namespace tacit::params
