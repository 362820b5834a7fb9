#include "scheme/ckks/power_evaluation.h"

#include <bit>
#include <set>

#include "scheme/ckks/chebyshev_evaluation.h"
#include "scheme/ckks/imaginary.h"

namespace tacit::scheme::ckks {
namespace {

void read_by_terms(const params::PolynomialNode& node, std::set<int>& read) {
  for (const auto& [index, number] : node.terms) read.insert(index);
  for (const auto& product : node.products) read_by_terms(product.factor, read);
}

}  // namespace

PowerEvaluation::PowerEvaluation(const Evaluator& evaluator, const Ciphertext& v, const params::PolynomialPlan& plan)
    : evaluator_(evaluator), v_(v), plan_(plan) {
  for (const int index : plan.basis) powers_.emplace(index, power(index));
  std::set<int> read;
  read_by_terms(plan.root, read);
  for (const int index : read) {
    if (index == 0) {
      // The number 1 without noise. Terms multiply it by integers, so that its scale is as small as can be.
      Ciphertext one = evaluator_.blank(v.level, 1);
      one.c0.zero();
      one.c1.zero();
      evaluator_.add_constant(one, 1);
      turned_.emplace(index, times_i(*evaluator_.context_, std::move(one)));
    } else {
      turned_.emplace(index, times_i(*evaluator_.context_, element(index)));
    }
  }
}

Ciphertext PowerEvaluation::power(int index) const {
  const params::ChebyshevStep step = params::chebyshev_step(index);
  const Ciphertext &a = element(step.a), &b = element(step.b);
  const int depth = static_cast<int>(std::bit_width(static_cast<unsigned>(index - 1)));
  return evaluator_.divided_sum({.products = {{&a, &b}}, .multiples = {}, .constant = 0, .weight = 1}, level(depth - 1),
                                level(depth), a.scale * b.scale, "lookup");
}

Ciphertext PowerEvaluation::run(std::span<const std::complex<double>> coefficients, double target_scale) const {
  return run(plan_.root, coefficients, target_scale);
}

Ciphertext PowerEvaluation::run(const params::PolynomialNode& node, std::span<const std::complex<double>> coefficients,
                                double target_scale) const {
  const int from = level(node.depth - 1), to = level(node.depth);
  const double scale = target_scale * params::prime_product(evaluator_.context_->parameters(), from, to);
  Evaluator::Sum sum;
  std::vector<Ciphertext> factors;
  factors.reserve(node.products.size());
  for (const auto& product : node.products) {
    const Ciphertext& power = element(1 << product.power);
    factors.push_back(run(product.factor, coefficients, scale / power.scale));
    sum.products.push_back({&power, &factors.back()});
  }
  for (const auto& [index, number] : node.terms) {
    const std::complex<double> c = coefficients[static_cast<std::size_t>(number) - 1];
    const double unit = index == 0 ? scale : scale / element(index).scale;
    if (index == 0)
      sum.constant = ChebyshevEvaluation::integer(c.real(), unit);
    else
      sum.multiples.push_back({&element(index), ChebyshevEvaluation::integer(c.real(), unit)});
    sum.multiples.push_back({&turned_.at(index), ChebyshevEvaluation::integer(c.imag(), unit)});
  }
  Ciphertext result = evaluator_.divided_sum(sum, from, to, scale, "lookup");
  result.scale = target_scale;
  return result;
}

}  // namespace tacit::scheme::ckks
