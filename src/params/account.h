#pragma once

#include <span>

#include "params/bootstrap_schedule.h"
#include "params/ckks_parameters.h"
#include "params/gadget.h"
#include "params/key_manifest.h"
#include "params/linear_parts.h"
#include "params/polynomial_plan.h"
#include "params/work.h"

namespace tacit::params {

/// What the operations of a CKKS parameter set take, by the level of their operands: work and bytes. Every price, plan
/// of memory, bound of a benchmark and choice of primes reads it. With l = level + 1 ciphertext primes, K special
/// primes of the level and b digits of a key switch, in limbs (rows of N words):
/// - One decomposition: b (l + K) transforms, for those that a digit owns are transformed back. Each digit takes
///   size * (l + K - size) multiply-accumulates of base conversion.
/// - One product with a key: 2 b (l + K) multiply-accumulates.
/// - One division by P: 2 (l + K) transforms and 2 K l multiply-accumulates, for both polynomials. With the rescale
///   fused, the last ciphertext prime counts as a special one.
/// - One product: 4 l multiply-accumulates; by an encoded factor 2 l.
/// - A linear map: a decomposition of each input, a product with a key for each baby step, 2 (l + K)
///   multiply-accumulates for each diagonal, and one division of each output. A giant step takes l + K transforms and
///   K l multiply-accumulates to divide, a decomposition and a product with a key.
/// - A polynomial: what its plan multiplies, relinearises and rescales, and 2 l multiply-accumulates a term.
/// - A linear map of a raised ciphertext: with b = K = 1, a transform of every row of each half for a decomposition.
/// - A bootstrap: its two transforms, key switches, polynomial and doubled angles.
/// A level above the set's counts as if more primes like its last one followed: plans are priced before it is known
/// that they fit. Permutations are not counted. Traffic (Work::bytes) is what must pass at least once: results in
/// between are not counted, so that an operation that keeps them in the caches can reach it.
class Account {
 public:
  /// `literal` has at least one prime of each kind. `key_halves`: halves of a key that are held in memory and read from
  /// there: 1 where the uniform half is expanded from its seed, else 2.
  explicit Account(const CkksLiteral& literal, double key_halves = 1);

  Work add(int level) const;
  Work rotate(int level) const { return rotate_hoisted(level, 1); }  ///< or any other key switch
  Work rotate_hoisted(int level, int rotations) const;
  Work multiply(int level) const;        ///< product, relinearisation, rescale
  Work multiply_plain(int level) const;  ///< with its rescale
  Work encrypt(int level) const;
  /// Without the traffic of encoded diagonals, operands and results.
  LinearParts<Work> linear(int level) const;
  /// The same for a raised ciphertext. Every step is a baby step. A key switch has one small digit, and one special
  /// prime divides. `decompose` is what raising the modulus takes, and the key switch of the step 0.
  LinearParts<Work> raised_linear(int level) const;
  /// levels[d]: of values of depth d.
  Work polynomial(const PolynomialPlan& plan, std::span<const int> levels) const;
  /// One level for each depth.
  Work polynomial(const PolynomialPlan& plan, int level) const;
  /// One ciphertext, without the traffic of encoded diagonals.
  Work bootstrap(const BootstrapSchedule& schedule) const;
  /// The sine of a bootstrap alone.
  Work sine(const BootstrapSchedule& schedule) const { return raised(schedule).sine_above(schedule); }

  /// Encoding so many real diagonals with so many weights in all, a period of each.
  Work encode_diagonals(int level, double diagonals, double weights) const;
  /// The integer coefficients of a plaintext.
  Work encode_compact() const;
  /// Encoding the transforms of a bootstrap.
  Work encode_transforms(const BootstrapSchedule& schedule) const;
  /// Making the half of a key that is held: of rotations, conjugation or raising; of relinearisation; of a rotation of
  /// a raised ciphertext.
  Work make_key(int level) const { return make_key(level, rotating_); }
  Work make_product_key(int level) const { return make_key(level, multiplying_); }
  Work make_raised_key(int level) const { return make_key(level, raising_); }

  double limb_bytes() const { return 8 * n_; }
  double ciphertext_bytes(int level) const { return 2 * limbs(level) * limb_bytes(); }
  /// One half of a key of rotations, conjugation or raising that reaches this level.
  double half_key_bytes(int level) const { return half_key_bytes(level, rotating_); }
  /// The same of relinearisation.
  double half_product_key_bytes(int level) const { return half_key_bytes(level, multiplying_); }
  /// The same of a rotation of a raised ciphertext.
  double half_raised_key_bytes(int level) const { return half_key_bytes(level, raising_); }
  /// One dense encoded diagonal, special primes included.
  double diagonal_bytes(int level) const { return rotating_.extended(level) * limb_bytes(); }
  /// The same of real numbers: what is the mirror image of its other half is held once.
  double real_diagonal_bytes(int level) const { return diagonal_bytes(level) / (literal_.real_slots ? 1 : 2); }
  /// The encoded transforms of a bootstrap. Diagonals are held for one period.
  double transform_bytes(const BootstrapSchedule& schedule) const;

  /// What an operation holds besides its operands and its results. A linear map holds three kinds of polynomials, each
  /// in batches of kLinearBatchBytes: the outputs' totals with the sums under giant steps, the decomposed inputs, and
  /// the decomposed sums of one output. One total may go on into the next batch, and one division runs at a time. Where
  /// one batch holds all sums, the inputs are forgotten before sums are decomposed.
  double linear_scratch_bytes(int level, const LinearCounts& counts) const;
  /// The same of the linear map of a raised ciphertext, which is part of it.
  double raised_linear_scratch_bytes(int level) const;
  /// The Chebyshev basis of a series and the sums that wait for relinearisation, for one ciphertext.
  double polynomial_scratch_bytes(const PolynomialPlan& plan, int level) const;
  double bootstrap_scratch_bytes(const BootstrapSchedule& schedule) const;
  /// A product or a rotation of one ciphertext.
  double key_switch_scratch_bytes(int level) const { return 4 * rotating_.extended(level) * limb_bytes(); }

 private:
  static double limbs(int level) { return level + 1; }
  /// Transforms of every prime up to the level, and of every special prime of the gadget there: so many of each.
  Work transforms(int level, const Gadget& gadget, double ciphertext_primes, double special_primes) const;
  Work decompose(int level, const Gadget& gadget) const;
  Work key_product(int level, const Gadget& gadget) const;
  /// Products with a diagonal over the primes of the gadget, and the division at the end.
  void add_products(LinearParts<Work>& parts, int level, const Gadget& gadget) const;
  Work divide(int level, const Gadget& gadget, bool rescaled) const;
  Work rescale(int from, int to) const;
  double half_key_bytes(int level, const Gadget& gadget) const;
  Work make_key(int level, const Gadget& gadget) const;
  double slots() const { return literal_.real_slots ? n_ : n_ / 2; }
  /// Diagonals of `weights` numbers in all, of which each row keeps so many words.
  Work encode(int level, const Gadget& gadget, double diagonals, double weights, double kept_words) const;
  /// body(account, gadget, factor, counts) for every factor of both transforms.
  template <class Body>
  void each_factor(const BootstrapSchedule& schedule, const Body& body) const;
  /// Over the primes that a bootstrap does not skip.
  Account raised(const BootstrapSchedule& schedule) const;
  /// Over the raised primes, which are this account's.
  Work sine_above(const BootstrapSchedule& schedule) const;

  CkksLiteral literal_;
  double n_, key_halves_;
  Gadget rotating_, multiplying_, raising_;
};

/// Bytes of the evaluation keys of a manifest, of which one half is held. `rotating`: of the primes that rotation keys
/// use (rotation_primes.h), often the same.
double key_bytes(const Account& account, const Account& rotating, const KeyManifest& keys);
double key_bytes(const CkksLiteral& literal, const KeyManifest& keys);
/// Making them.
Work key_generation(const CkksLiteral& literal, const KeyManifest& keys);
/// What making them takes: the keys, the secrets that they are made of (its own, in another order of primes, the
/// ephemeral one, a power or an image of one) and a row for every thread.
double key_generation_bytes(const CkksLiteral& literal, const KeyManifest& keys, int threads);

}  // namespace tacit::params
