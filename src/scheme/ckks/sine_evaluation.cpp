#include "scheme/ckks/sine_evaluation.h"

#include <cmath>

#include "params/polynomial_plan.h"
#include "scheme/ckks/chebyshev_evaluation.h"

namespace tacit::scheme::ckks {

SineEvaluation::SineEvaluation(const Evaluator& evaluator, const params::BootstrapSchedule& schedule,
                               double result_scale)
    : evaluator_(evaluator), schedule_(schedule), result_scale_(result_scale) {
  const std::vector<int>& levels = schedule.chain.sine;
  const double first = evaluator.primes(levels[0], levels[1]);
  argument_scale_ = std::sqrt(
      first * std::sqrt(evaluator.primes(levels[1], levels[2]) * evaluator.primes(levels[2], levels[3])));
  // Squaring at scale s and dividing by q leaves s^2 / q: backwards from the result.
  double scale = result_scale;
  for (std::size_t i = levels.size() - 1; i > static_cast<std::size_t>(params::kCosineDepth); --i)
    scale = std::sqrt(scale * evaluator.primes(levels[i - 1], levels[i]));
  cosine_scale_ = scale;
}

void SineEvaluation::check_keys() const { evaluator_.relinearisation_key(schedule_.chain.sine[0], "bootstrap"); }

Ciphertext SineEvaluation::run(const Ciphertext& x) const {
  const std::vector<int>& levels = schedule_.chain.sine;
  const params::PolynomialPlan plan = params::plan_polynomial(schedule_.cosine, schedule_.polynomial);
  Ciphertext y = ChebyshevEvaluation(evaluator_, x, plan, levels).run(plan.root, cosine_scale_);
  for (std::size_t i = params::kCosineDepth; i + 1 < levels.size(); ++i) {
    const double scale = y.scale * y.scale;
    y = evaluator_.divided_sum({.products = {{&y, &y}},
                                .multiples = {},
                                .constant = -ChebyshevEvaluation::integer(1, scale),
                                .weight = 2},
                               levels[i], levels[i + 1], scale, "bootstrap");
  }
  y.scale = result_scale_;
  return y;
}

}  // namespace tacit::scheme::ckks
