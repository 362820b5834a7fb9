#include "program/slots/polynomial_noise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>

#include "params/noise.h"
#include "params/polynomial_plan.h"

namespace tacit::slots {
namespace {

constexpr std::size_t kPoints = 512;

/// Values at all points without and with noise.
struct Track {
  std::array<double, kPoints> exact{}, noisy{};
  double scale = 0;
  int level = 0;
};

class Reading {
 public:
  Reading(const params::PolynomialPlan& plan, const params::CkksParameters& parameters, double bound, int level,
          double scale)
      : parameters_(parameters), level_(level) {
    Track& x = basis_[1];
    x.scale = scale;
    x.level = level;
    for (std::size_t i = 0; i < kPoints; ++i)
      x.exact[i] = x.noisy[i] = bound * (2 * (static_cast<double>(i) + 0.5) / kPoints - 1);
    for (const int index : plan.basis) {
      const params::ChebyshevStep step = params::chebyshev_step(index);
      const Track &a = basis_.at(step.a), &b = basis_.at(step.b);
      Track result;
      result.level = std::min(a.level, b.level) - 1;
      result.scale = a.scale * b.scale / parameters_.prime(result.level + 1);
      for (std::size_t i = 0; i < kPoints; ++i) {
        const bool square = step.a == step.b;
        const Track* rest = square ? nullptr : &basis_.at(step.a - step.b);
        result.exact[i] = 2 * a.exact[i] * b.exact[i] - (rest ? rest->exact[i] : 1);
        result.noisy[i] = 2 * a.noisy[i] * b.noisy[i] - (rest ? rest->noisy[i] : 1);
      }
      disturb(result);
      basis_[index] = result;
    }
  }

  Track run(const params::PolynomialNode& node, double target_scale) {
    Track result;
    result.level = level_ - node.depth;
    result.scale = target_scale;
    const double scale = target_scale * parameters_.prime(result.level + 1);
    for (const auto& product : node.products) {
      const Track& power = basis_.at(1 << product.power);
      const Track factor = run(product.factor, scale / power.scale);
      for (std::size_t i = 0; i < kPoints; ++i) {
        result.exact[i] += power.exact[i] * factor.exact[i];
        result.noisy[i] += power.noisy[i] * factor.noisy[i];
      }
    }
    for (const auto& [index, coefficient] : node.terms)
      for (std::size_t i = 0; i < kPoints; ++i) {
        result.exact[i] += coefficient * (index == 0 ? 1 : basis_.at(index).exact[i]);
        result.noisy[i] += coefficient * (index == 0 ? 1 : basis_.at(index).noisy[i]);
      }
    disturb(result);
    return result;
  }

 private:
  void disturb(Track& value) {
    std::normal_distribution<double> error(0, params::multiply_noise(parameters_, value.level + 1, value.scale));
    for (double& x : value.noisy) x += error(random_);
  }

  const params::CkksParameters& parameters_;
  int level_;
  std::map<int, Track> basis_;
  std::mt19937_64 random_{1};  // a model, not cryptography: the same for the same program
};

}  // namespace

double polynomial_noise(const Polynomial& polynomial, const Instruction& instruction, const Instruction& operand,
                        const params::CkksParameters& parameters) {
  const params::PolynomialPlan plan = params::plan_polynomial(polynomial.coefficients, polynomial.schedule);
  if (plan.root.constant()) return 0;
  const double bound = operand.bound > 0 ? std::min(operand.bound, 1.0) : 1.0;
  Reading reading(plan, parameters, bound, instruction.level + polynomial.schedule.depth, operand.scale);
  const Track result = reading.run(plan.root, instruction.scale);
  double sum = 0;
  for (std::size_t i = 0; i < kPoints; ++i) {
    const double error = result.noisy[i] - result.exact[i];
    sum += error * error;
  }
  return std::sqrt(sum / kPoints);
}

}  // namespace tacit::slots
