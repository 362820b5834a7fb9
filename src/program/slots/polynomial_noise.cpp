#include "program/slots/polynomial_noise.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <valarray>

#include "params/noise.h"
#include "params/polynomial_plan.h"

namespace tacit::slots {
namespace {

constexpr std::size_t kPoints = 512;

using Points = std::valarray<double>;

/// Values at all points without and with noise.
struct Track {
  Points exact = Points(kPoints), noisy = Points(kPoints);
  double scale = 0;
  int level = 0;
};

class Reading {
 public:
  Reading(const params::PolynomialPlan& plan, const params::CkksParameters& parameters, double bound, int level,
          double scale)
      : parameters_(parameters), level_(level) {
    Track &one = basis_[0], &x = basis_[1];
    one.exact = one.noisy = 1;
    x.scale = scale;
    x.level = level;
    for (std::size_t i = 0; i < kPoints; ++i)
      x.exact[i] = x.noisy[i] = bound * (2 * (static_cast<double>(i) + 0.5) / kPoints - 1);
    for (const int index : plan.basis) {
      const params::ChebyshevStep step = params::chebyshev_step(index);
      const Track &a = basis_.at(step.a), &b = basis_.at(step.b), &rest = basis_.at(step.a - step.b);
      Track result;
      result.level = std::min(a.level, b.level) - 1;
      result.scale = a.scale * b.scale / parameters_.prime(result.level + 1);
      result.exact = 2.0 * a.exact * b.exact - rest.exact;
      result.noisy = 2.0 * a.noisy * b.noisy - rest.noisy;
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
      result.exact += power.exact * factor.exact;
      result.noisy += power.noisy * factor.noisy;
    }
    for (const auto& [index, coefficient] : node.terms) {
      result.exact += coefficient * basis_.at(index).exact;
      result.noisy += coefficient * basis_.at(index).noisy;
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
  std::map<int, Track> basis_;  // by index, T_0 and all that the plan multiplies
  std::mt19937_64 random_{1};   // a model, not cryptography: the same for the same program
};

}  // namespace

double polynomial_noise(const Polynomial& polynomial, const Instruction& instruction, const Instruction& operand,
                        const params::CkksParameters& parameters) {
  const params::PolynomialPlan plan = params::plan_polynomial(polynomial.coefficients, polynomial.schedule);
  if (plan.root.constant()) return 0;
  const double bound = operand.bound > 0 ? std::min(operand.bound, 1.0) : 1.0;
  Reading reading(plan, parameters, bound, instruction.level + polynomial.schedule.depth, operand.scale);
  const Track result = reading.run(plan.root, instruction.scale);
  const Points errors = result.noisy - result.exact;
  return std::sqrt(std::inner_product(std::begin(errors), std::end(errors), std::begin(errors), 0.0) / kPoints);
}

}  // namespace tacit::slots
