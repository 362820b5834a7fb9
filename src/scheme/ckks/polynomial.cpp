#include <bit>
#include <cmath>

#include "base/error.h"
#include "scheme/ckks/chebyshev_evaluation.h"
#include "scheme/ckks/check.h"
#include "scheme/ckks/imaginary.h"

namespace tacit::scheme::ckks {

ChebyshevEvaluation::ChebyshevEvaluation(const Evaluator& evaluator, const Ciphertext& x,
                                         const params::PolynomialPlan& plan, std::span<const int> levels, OddTerms odd)
    : evaluator_(evaluator), x_(x), levels_(levels) {
  for (const int index : plan.basis) basis_.emplace(index, basis_element(index));
  if (odd == OddTerms::real) return;
  turned_.emplace(1, times_i(*evaluator.context_, x));
  for (const auto& [index, made] : basis_)
    if (index % 2 == 1) turned_.emplace(index, times_i(*evaluator.context_, made));
}

Ciphertext ChebyshevEvaluation::run(const params::PolynomialNode& node, double target_scale) const {
  const int from = level(node.depth - 1), to = level(node.depth);
  const double scale = target_scale * params::prime_product(evaluator_.context_->parameters(), from, to);
  Evaluator::Sum sum;
  std::vector<Ciphertext> factors;
  factors.reserve(node.products.size());
  for (const auto& product : node.products) {
    const Ciphertext& power = element(1 << product.power);
    factors.push_back(run(product.factor, scale / power.scale));
    sum.products.push_back({&power, &factors.back()});
  }
  for (const auto& [index, coefficient] : node.terms) {
    if (index == 0) {
      sum.constant = integer(coefficient, scale);
    } else {
      sum.multiples.push_back({&term(index), integer(coefficient, scale / element(index).scale)});
    }
  }
  Ciphertext result = evaluator_.divided_sum(sum, from, to, scale, "polynomial");
  result.scale = target_scale;
  return result;
}

rlwe::Int128 ChebyshevEvaluation::integer(double value, double scale) {
  const long double scaled = static_cast<long double>(value) * static_cast<long double>(scale);
  if (std::abs(scaled) >= 0x1p126L)
    base::refuse("polynomial: the coefficient {} at scale 2^{:.1f} is too large", value, std::log2(scale));
  return static_cast<rlwe::Int128>(std::round(scaled));
}

// T_index = 2 T_a T_b - T_(a-b)
Ciphertext ChebyshevEvaluation::basis_element(int index) const {
  const params::ChebyshevStep step = params::chebyshev_step(index);
  const Ciphertext& a = element(step.a);
  const Ciphertext& b = element(step.b);
  const int depth = static_cast<int>(std::bit_width(static_cast<unsigned>(index - 1)));
  const double scale = a.scale * b.scale;
  Evaluator::Sum sum{.products = {{&a, &b}}, .multiples = {}, .constant = 0, .weight = 2};
  if (step.a == step.b) {
    sum.constant = -integer(1, scale);
  } else {
    const Ciphertext& difference = element(step.a - step.b);
    sum.multiples.push_back({&difference, -integer(1, scale / difference.scale)});
  }
  return evaluator_.divided_sum(sum, level(depth - 1), level(depth), scale, "polynomial");
}

Ciphertext Evaluator::polynomial(const Ciphertext& x, std::span<const double> coefficients,
                                 const params::PolynomialSchedule& schedule, double target_scale) const {
  check(*context_, x, "polynomial");
  check_scale(target_scale, "polynomial");
  const params::PolynomialPlan plan = params::plan_polynomial(coefficients, schedule);
  if (schedule.depth > x.level)
    base::refuse(
        "polynomial: degree {} consumes {} levels and the input is at level {}; use parameters with more levels",
        schedule.degree, schedule.depth, x.level);
  for (std::size_t depth = 1; depth < plan.relinearisations.size(); ++depth)
    if (plan.relinearisations[depth] > 0) relinearisation_key(x.level - static_cast<int>(depth) + 1, "polynomial");
  if (plan.root.constant()) {
    Ciphertext result = blank(x.level - schedule.depth, target_scale);
    result.c0.zero();
    result.c1.zero();
    for (const auto& [index, constant] : plan.root.terms)
      add_constant(result, ChebyshevEvaluation::integer(constant, target_scale));
    return result;
  }
  std::vector<int> levels;
  for (int depth = 0; depth <= schedule.depth; ++depth) levels.push_back(x.level - depth);
  return ChebyshevEvaluation(*this, x, plan, levels).run(plan.root, target_scale);
}

}  // namespace tacit::scheme::ckks
