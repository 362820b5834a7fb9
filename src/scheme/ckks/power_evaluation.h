#pragma once

#include <complex>
#include <map>
#include <span>
#include <vector>

#include "params/polynomial_plan.h"
#include "scheme/ckks/evaluator.h"

namespace tacit::scheme::ckks {

/// Evaluations of power series with complex coefficients at one complex slot v, |v| <= 1. The powers of the plan are
/// computed once, and every series uses them.
class PowerEvaluation {
 public:
  /// v is at level x.level, and a value of depth d is d levels below. `plan` comes from params::plan_powers. The
  /// arguments must outlive this object.
  PowerEvaluation(const Evaluator& evaluator, const Ciphertext& v, const params::PolynomialPlan& plan);
  /// Returns the sum of coefficients[k] v^k at level x.level - plan.root.depth, exactly at target_scale. Throws
  /// InputError if a coefficient does not fit the scale.
  Ciphertext run(std::span<const std::complex<double>> coefficients, double target_scale) const;

 private:
  const Ciphertext& element(int index) const { return index == 1 ? v_ : powers_.at(index); }
  int level(int depth) const { return v_.level - depth; }
  Ciphertext power(int index) const;
  Ciphertext run(const params::PolynomialNode& node, std::span<const std::complex<double>> coefficients,
                 double target_scale) const;

  const Evaluator& evaluator_;
  const Ciphertext& v_;
  const params::PolynomialPlan& plan_;
  std::map<int, Ciphertext> powers_;
  std::map<int, Ciphertext> turned_;  // powers that terms read, and 1 (index 0), times i
};

}  // namespace tacit::scheme::ckks
