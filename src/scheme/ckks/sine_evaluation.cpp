#include "scheme/ckks/sine_evaluation.h"

#include "params/polynomial_plan.h"
#include "scheme/ckks/chebyshev_evaluation.h"

namespace tacit::scheme::ckks {

Ciphertext evaluate_sine(const Evaluator& evaluator, const params::BootstrapSchedule& schedule,
                         const params::BootstrapScales& scales, const Ciphertext& x) {
  const std::vector<int>& levels = schedule.chain.sine;
  const params::PolynomialPlan plan = params::plan_polynomial(schedule.cosine, schedule.polynomial);
  Ciphertext y = ChebyshevEvaluation(evaluator, x, plan, levels).run(plan.root, scales.cosine);
  for (std::size_t i = params::kCosineDepth; i + 1 < levels.size(); ++i) {
    const double scale = y.scale * y.scale;
    y = evaluator.divided_sum(
        {.products = {{&y, &y}}, .multiples = {}, .constant = -ChebyshevEvaluation::integer(1, scale), .weight = 2},
        levels[i], levels[i + 1], scale, "bootstrap");
  }
  y.scale = scales.sine;
  return y;
}

}  // namespace tacit::scheme::ckks
