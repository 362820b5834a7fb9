#pragma once

#include <map>
#include <set>
#include <span>
#include <vector>

#include "params/schedule.h"

namespace tacit::params {

/// One node of a Paterson-Stockmeyer evaluation in the Chebyshev basis:
///   value = sum over terms of coefficient * T_index + sum over products of T_(2^k) * child.
///
/// The node's terms and products are at `depth` - 1 before its one relinearisation and rescale. Its value is at
/// `depth`.
struct PolynomialNode {
  struct Product;
  int depth = 0;
  std::map<int, double> terms;  ///< index -> coefficient; index 0 is the constant
  std::vector<Product> products;
  bool constant() const;
};
struct PolynomialNode::Product {
  int power = 0;  ///< k: the factor T_(2^k)
  PolynomialNode factor;
};

/// The plan of a series as plain data: `scheme` executes it, and Account prices it.
struct PolynomialPlan {
  PolynomialNode root;
  /// The indices > 1 of the Chebyshev polynomials that are computed, in rising order. T_i has depth ceil(log2 i) and
  /// costs one relinearised product, T_i = 2 T_a T_b - T_(a-b). Here a is the largest power of two below i (i/2 for
  /// powers of two).
  std::set<int> basis;
  /// Relinearised and rescaled products by the depth of their result (index 0 unused).
  std::vector<int> relinearisations;
  /// Products of two ciphertexts, before relinearisation.
  int products = 0;
};

/// Returns the plan of the sum over k of coefficients[k] T_k. A coefficient below 2^-60 of the largest one counts as
/// zero, so that odd and even series cost less. Sums of products share one relinearisation (lazy relinearisation). The
/// branch without a spare level is split further, which makes the depth optimal (Bossuat, Mouchet, Troncoso-Pastoriza,
/// Hubaux 2021, section 5). Throws InputError if the series has a higher degree than the schedule or the schedule is
/// too shallow.
PolynomialPlan plan_polynomial(std::span<const double> coefficients, const PolynomialSchedule& schedule);

/// Returns the plan of a power series of this degree without coefficients that are 0: the plan above with v^k in place
/// of T_k. A basis element is v^index = v^a v^b of chebyshev_step. The number of a term is not a coefficient. It is 1 +
/// the index of the coefficient in the series, because coefficients may be complex. Throws InputError as above.
PolynomialPlan plan_powers(const PolynomialSchedule& schedule);

/// The indices a and b of T_index = 2 T_a T_b - T_(a-b), index > 1.
struct ChebyshevStep {
  int a = 0, b = 0;
};
ChebyshevStep chebyshev_step(int index);

}  // namespace tacit::params
