#include "program/slots/polynomial_noise.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <random>
#include <valarray>
#include <vector>

#include "params/noise.h"
#include "params/polynomial_plan.h"

namespace tacit::slots {
namespace {

constexpr std::size_t kPoints = 512;
/// Where the largest error is looked for, and how often at every place: cos(pi j / kAngles), which 0 and the places
/// that doublings take to it belong to.
constexpr std::size_t kAngles = 64, kDraws = 16;

using Points = std::valarray<double>;

/// Values at all points without and with noise.
struct Track {
  Points exact, noisy;
  double scale = 0;
  int level = 0;
};

class Reading {
 public:
  Reading(const params::PolynomialPlan& plan, const params::CkksParameters& parameters, const Points& arguments,
          int level, double scale)
      : parameters_(parameters), level_(level), size_(arguments.size()) {
    Track &one = basis_[0], &x = basis_[1];
    one.exact = one.noisy = Points(1.0, size_);
    x.scale = scale;
    x.level = level;
    x.exact = x.noisy = arguments;
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
    Track result{Points(size_), Points(size_)};
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
  std::size_t size_;
  std::map<int, Track> basis_;  // by index, T_0 and all that the plan multiplies
  std::mt19937_64 random_{1};   // a model, not cryptography: the same for the same program
};

Points uniform(double bound) {
  Points result(kPoints);
  for (std::size_t i = 0; i < kPoints; ++i) result[i] = bound * (2 * (static_cast<double>(i) + 0.5) / kPoints - 1);
  return result;
}

/// Those of the angles' arguments that lie within the bound, each kDraws times.
Points at_angles(double bound) {
  std::vector<double> result;
  for (std::size_t j = 0; j <= kAngles; ++j) {
    const double x = std::cos(std::numbers::pi * static_cast<double>(j) / kAngles);
    if (std::abs(x) <= bound * (1 + 1e-9)) result.insert(result.end(), kDraws, x);
  }
  return Points(result.data(), result.size());
}

double deviation(const Points& errors) {
  return std::sqrt(std::inner_product(std::begin(errors), std::end(errors), std::begin(errors), 0.0) /
                   static_cast<double>(errors.size()));
}

}  // namespace

SeriesNoise polynomial_noise(const Polynomial& polynomial, const Instruction& instruction, const Instruction& operand,
                             const params::CkksParameters& parameters) {
  const params::PolynomialPlan plan = params::plan_polynomial(polynomial.coefficients, polynomial.schedule);
  if (plan.root.constant()) return {};
  const double bound = operand.bound > 0 ? std::min(operand.bound, 1.0) : 1.0;
  const auto errors = [&](const Points& arguments) -> Points {
    Reading reading(plan, parameters, arguments, instruction.level + polynomial.schedule.depth, operand.scale);
    const Track result = reading.run(plan.root, instruction.scale);
    return result.noisy - result.exact;
  };
  SeriesNoise noise{deviation(errors(uniform(bound))), 0};
  noise.largest = noise.mean;
  const Points at_places = errors(at_angles(bound));
  for (std::size_t first = 0; first < at_places.size(); first += kDraws)
    noise.largest = std::max(noise.largest, deviation(at_places[std::slice(first, kDraws, 1)]));
  return noise;
}

}  // namespace tacit::slots
