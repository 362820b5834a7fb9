#include "scheme/ckks/sine_evaluation.h"

#include "params/polynomial_plan.h"
#include "scheme/ckks/chebyshev_evaluation.h"

namespace tacit::scheme::ckks {

Ciphertext SineEvaluation::run(const Ciphertext& x) const {
  const std::vector<int>& levels = schedule_.chain.sine;
  const params::PolynomialPlan plan = params::plan_polynomial(schedule_.cosine, schedule_.polynomial);
  Ciphertext y = ChebyshevEvaluation(evaluator_, x, plan, levels).run(plan.root, scales_.cosine);
  for (std::size_t i = params::kCosineDepth; i + 1 < levels.size(); ++i) {
    const double scale = y.scale * y.scale;
    y = evaluator_.divided_sum(
        {.products = {{&y, &y}}, .multiples = {}, .constant = -ChebyshevEvaluation::integer(1, scale), .weight = 2},
        levels[i], levels[i + 1], scale, "bootstrap");
  }
  y.scale = scales_.sine;
  return y;
}

}  // namespace tacit::scheme::ckks
