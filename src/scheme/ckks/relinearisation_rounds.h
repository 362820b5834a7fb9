#pragma once

#include <vector>

#include "base/sha256.h"
#include "ring/rns_poly.h"
#include "scheme/ckks/context.h"
#include "scheme/ckks/sub_secret.h"
#include "scheme/rlwe/switching_key.h"

namespace tacit::scheme::ckks {

/// What the first round of relinearisation sends for one part, or the sum over parts: for each digit two extended
/// polynomials.
struct RelinearisationHalves {
  std::vector<ring::NttPoly> masked;  ///< -u a + P g s + e0
  std::vector<ring::NttPoly> second;  ///< s a + e1
};

/// Makes the relinearisation key of the sum of sub-secrets in two rounds (Mouchet, Troncoso-Pastoriza, Bossuat, Hubaux
/// 2021, "Multiparty homomorphic encryption from ring-learning-with-errors", section 4). Here a is that of
/// the group, and s the sub-secret. For each digit:
/// - The first round sends h0 = -u a + P g s + e0 and h1 = s a + e1.
/// - The second sends s H0 + (u - s) H1 + e2. H0 and H1 are the sums over all parts.
///
/// The key is (sum of the second round, H1). Its error is sum(s) e0 + sum(u) e1 + e2, each a sum over parts.
///
/// A second round with sums that somebody chose reveals s: the holder of s adds up the first round itself, from parts
/// that their makers had committed to before they saw his own. Errors are a function of the seed and of what is asked.
/// Thread safe.
class RelinearisationRounds {
 public:
  /// `level` is the highest level of the key. Throws InputError for a level out of range.
  RelinearisationRounds(ContextPtr context, const base::Digest& group, int level);

  RelinearisationHalves first(const SubSecret& secret) const;
  std::vector<ring::NttPoly> second(const SubSecret& secret, const RelinearisationHalves& sums) const;
  /// Add what another part sent in the first, or second, round. Throw InputError for another number of digits or rows.
  void add(RelinearisationHalves& sum, const RelinearisationHalves& part) const;
  void add(std::vector<ring::NttPoly>& sum, const std::vector<ring::NttPoly>& part) const;
  /// Returns the key from the sums of both rounds.
  rlwe::SwitchingKey key(std::vector<ring::NttPoly> second, std::vector<ring::NttPoly> uniform) const;

  /// The chain, the level and the digits of the polynomials.
  const rlwe::ModulusChain& chain() const { return context_->product_chain(); }
  int level() const { return level_; }

 private:
  ring::NttPoly mask(const SubSecret& secret) const;
  std::vector<ring::NttPoly> times_two52(std::vector<ring::NttPoly> polys) const;

  ContextPtr context_;
  base::Digest group_;
  int level_;
};

}  // namespace tacit::scheme::ckks
