#pragma once

#include <map>
#include <span>

#include "params/polynomial_plan.h"
#include "scheme/ckks/evaluator.h"

namespace tacit::scheme::ckks {

/// Coefficients of odd index are real, or real multiples of i.
enum class OddTerms { real, imaginary };

/// One evaluation of a Chebyshev series: the basis, then the tree of the plan. Each node gets the scale at which it
/// must end, so that all summands have equal scales.
class ChebyshevEvaluation {
 public:
  /// levels[d] is the level of a value of depth d. A step from one to the next divides by the primes between them. x is
  /// at levels[0]. The arguments must outlive this object. Only the basis of `plan` is read: several series may share
  /// it.
  ChebyshevEvaluation(const Evaluator& evaluator, const Ciphertext& x, const params::PolynomialPlan& plan,
                      std::span<const int> levels, OddTerms odd = OddTerms::real);
  /// Returns the value at levels[node.depth], exactly at target_scale.
  Ciphertext run(const params::PolynomialNode& node, double target_scale) const;
  /// Returns round(value * scale). Throws InputError if it does not fit.
  static rlwe::Int128 integer(double value, double scale);

 private:
  const Ciphertext& element(int index) const { return index == 1 ? x_ : basis_.at(index); }
  int level(int depth) const { return levels_[static_cast<std::size_t>(depth)]; }
  Ciphertext basis_element(int index) const;
  /// Returns the element that a term multiplies.
  const Ciphertext& term(int index) const { return turned_.contains(index) ? turned_.at(index) : element(index); }

  const Evaluator& evaluator_;
  const Ciphertext& x_;
  std::span<const int> levels_;
  std::map<int, Ciphertext> basis_;
  std::map<int, Ciphertext> turned_;  // elements of odd index times i, if terms read them so
};

}  // namespace tacit::scheme::ckks
