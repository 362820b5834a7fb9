#pragma once

#include <map>
#include <span>

#include "params/polynomial_plan.h"
#include "scheme/ckks/evaluator.h"

namespace tacit::scheme::ckks {

/// One evaluation of a Chebyshev series: the basis, then the tree of the plan. Each node gets the scale at which it
/// must end, so that all summands have equal scales.
class ChebyshevEvaluation {
 public:
  /// levels[d] is the level of a value of depth d. A step from one to the next divides by the primes between them. x is
  /// at levels[0]. The arguments must outlive this object.
  ChebyshevEvaluation(const Evaluator& evaluator, const Ciphertext& x, const params::PolynomialPlan& plan,
                      std::span<const int> levels);
  /// Returns the value at levels[node.depth], exactly at target_scale.
  Ciphertext run(const params::PolynomialNode& node, double target_scale) const;
  /// Returns round(value * scale). Throws InputError if it does not fit.
  static rlwe::Int128 integer(double value, double scale);

 private:
  const Ciphertext& element(int index) const { return index == 1 ? x_ : basis_.at(index); }
  int level(int depth) const { return levels_[static_cast<std::size_t>(depth)]; }
  Ciphertext basis_element(int index) const;

  const Evaluator& evaluator_;
  const Ciphertext& x_;
  std::span<const int> levels_;
  std::map<int, Ciphertext> basis_;
};

}  // namespace tacit::scheme::ckks
