#pragma once

#include <span>

#include "params/ckks_parameters.h"
#include "params/gadget.h"
#include "params/key_manifest.h"
#include "params/linear_parts.h"
#include "params/lookup_schedule.h"
#include "params/polynomial_plan.h"
#include "params/work.h"

namespace tacit::params {

/// Counts the work and the bytes of every operation of a CKKS parameter set, by the level of its operands. Prices,
/// memory plans, bounds of benchmarks and the choice of primes all use it. The list below counts limbs (rows of N
/// words). Level `level` has l = `level` + 1 ciphertext primes and K special primes; a key switch has b digits.
/// - One decomposition: b (l + K) transforms, because the primes that a digit owns are transformed back. Each digit
///   takes `size` * (l + K - `size`) multiply-accumulates of base conversion.
/// - One product with a key: 2 b (l + K) multiply-accumulates.
/// - One division by P: 2 (l + K) transforms and 2 K l multiply-accumulates, for both polynomials. With the rescale
///   fused, the last ciphertext prime counts as a special one.
/// - One product: 4 l multiply-accumulates; by an encoded factor 2 l.
/// - A linear map: a decomposition of each input, a product with a key for each baby step, 2 (l + K)
///   multiply-accumulates for each diagonal, and one division of each output. A giant step takes l + K transforms and K
///   l multiply-accumulates to divide, a decomposition and a product with a key.
/// - A polynomial: the products, relinearisations and rescales of its plan, and 2 l multiply-accumulates per term.
/// - A linear map of a raised ciphertext: with b = K = 1, a transform of every row of each half for a decomposition.
/// - A bootstrap: its two transforms, key switches, polynomial and doubled angles.
///
/// A level above the set's highest one counts as if more primes like the last one followed, because plans are priced
/// before they are known to fit. Permutations are not counted. Traffic (Work::bytes) is the least that must pass to and
/// from memory. It excludes intermediate results, so that an operation that keeps them in the caches can reach it.
class Account {
 public:
  /// `literal` has at least one prime of each kind. `key_halves` is the number of halves of a key that are read from
  /// memory. It is 1 if the uniform half is expanded from its seed, else 2.
  explicit Account(const CkksLiteral& literal, double key_halves = 1);

  Work add(int level) const;
  Work rotate(int level) const { return rotate_hoisted(level, 1); }  ///< and any other key switch
  Work rotate_hoisted(int level, int rotations) const;
  Work multiply(int level) const;        ///< product, relinearisation, rescale
  Work product(int level) const;         ///< product alone, of three polynomials
  Work multiply_plain(int level) const;  ///< includes its rescale
  Work encrypt(int level) const;
  /// Counts a linear map without the traffic of encoded diagonals, operands and results.
  LinearParts<Work> linear(int level) const;
  /// Counts a linear map of a raised ciphertext. Every step is a baby step. A key switch has one small digit, and one
  /// special prime divides. `decompose` includes raising the modulus and the key switch of the step 0.
  LinearParts<Work> raised_linear(int level) const;
  /// levels[d] is the level of values of depth d.
  Work polynomial(const PolynomialPlan& plan, std::span<const int> levels) const;
  /// Counts a polynomial that uses one level for each depth.
  Work polynomial(const PolynomialPlan& plan, int level) const;
  /// Counts the bootstrap of one ciphertext, without the traffic of encoded diagonals.
  Work bootstrap(const BootstrapSchedule& schedule) const;
  /// Counts the sine of a bootstrap alone.
  Work sine(const BootstrapSchedule& schedule) const { return raised(schedule).sine_above(schedule); }
  /// Counts the series of `tables` tables of one ciphertext, after the bootstrap. They share the powers.
  Work lookup_tables(const LookupSchedule& schedule, std::int64_t tables) const;

  /// Counts encoding `diagonals` real diagonals with `weights` weights in all, one period of each.
  Work encode_diagonals(int level, double diagonals, double weights) const;
  /// Counts encoding the integer coefficients of a plaintext.
  Work encode_compact() const;
  /// Counts encoding the transforms of a bootstrap.
  Work encode_transforms(const BootstrapSchedule& schedule) const;
  /// Count making the half of a key that is held in memory:
  /// - make_key: a key of rotations, conjugation or raising
  /// - make_product_key: the key of relinearisation
  /// - make_raised_key: a key of a rotation of a raised ciphertext
  Work make_key(int level) const { return make_key(level, rotating_); }
  Work make_product_key(int level) const { return make_key(level, multiplying_); }
  Work make_raised_key(int level) const { return make_key(level, raising_); }

  double limb_bytes() const { return 8 * n_; }
  double ciphertext_bytes(int level) const { return 2 * limbs(level) * limb_bytes(); }
  /// Returns the bytes of one half of a key of rotations, conjugation or raising that reaches this level.
  double half_key_bytes(int level) const { return half_key_bytes(level, rotating_); }
  /// Returns the bytes of one half of the relinearisation key.
  double half_product_key_bytes(int level) const { return half_key_bytes(level, multiplying_); }
  /// Returns the number of halves of the relinearisation key that are held in memory. The second half of a key of
  /// several parts is a sum, and no expansion of a seed.
  double product_key_halves() const { return literal_.parts > 1 ? 2 : 1; }
  /// Returns the bytes of one half of a key of a rotation of a raised ciphertext.
  double half_raised_key_bytes(int level) const { return half_key_bytes(level, raising_); }
  /// Returns the bytes of one dense encoded diagonal, special primes included.
  double diagonal_bytes(int level) const { return rotating_.extended(level) * limb_bytes(); }
  /// Returns the bytes of a diagonal of real numbers. Its second half mirrors the first one and is not held.
  double real_diagonal_bytes(int level) const { return diagonal_bytes(level) / (literal_.real_slots ? 1 : 2); }
  /// Returns the bytes of the encoded transforms of a bootstrap. One period of each diagonal is held.
  double transform_bytes(const BootstrapSchedule& schedule) const;

  /// Returns the bytes that a linear map holds in addition to its operands and results. It holds three kinds of
  /// polynomials, each in batches of kLinearBatchBytes:
  /// - the outputs' totals and the sums under giant steps
  /// - the decomposed inputs
  /// - the decomposed sums of one output
  ///
  /// One total may continue in the next batch, and one division runs at a time. If one batch holds all sums, the inputs
  /// are freed before the sums are decomposed.
  double linear_scratch_bytes(int level, const LinearCounts& counts) const;
  /// Returns the same for the linear map of a raised ciphertext, a part of a bootstrap.
  double raised_linear_scratch_bytes(int level) const;
  /// Returns the bytes of the Chebyshev basis of a series and of the sums that wait for relinearisation, for one
  /// ciphertext.
  double polynomial_scratch_bytes(const PolynomialPlan& plan, int level) const;
  double bootstrap_scratch_bytes(const BootstrapSchedule& schedule) const;
  double lookup_scratch_bytes(const LookupSchedule& schedule) const;
  /// Returns the bytes for a product or a rotation of one ciphertext.
  double key_switch_scratch_bytes(int level) const { return 4 * rotating_.extended(level) * limb_bytes(); }

 private:
  static double limbs(int level) { return level + 1; }
  /// Counts `ciphertext_primes` transforms of every prime up to the level, and `special_primes` of every special prime
  /// of the gadget there.
  Work transforms(int level, const Gadget& gadget, double ciphertext_primes, double special_primes) const;
  Work decompose(int level, const Gadget& gadget) const;
  Work key_product(int level, const Gadget& gadget) const;
  /// Adds products with a diagonal over the primes of the gadget, and the division at the end.
  void add_products(LinearParts<Work>& parts, int level, const Gadget& gadget) const;
  Work divide(int level, const Gadget& gadget, bool rescaled) const;
  Work rescale(int from, int to) const;
  double half_key_bytes(int level, const Gadget& gadget) const;
  Work make_key(int level, const Gadget& gadget) const;
  double slots() const { return literal_.real_slots ? n_ : n_ / 2; }
  /// Counts encoding diagonals of `weights` numbers in all. Each row keeps `kept_words` words.
  Work encode(int level, const Gadget& gadget, double diagonals, double weights, double kept_words) const;
  /// Calls body(account, gadget, factor, counts) for every factor of both transforms.
  template <class Body>
  void each_factor(const BootstrapSchedule& schedule, const Body& body) const;
  /// Returns the account over the primes that a bootstrap does not skip.
  Account raised(const BootstrapSchedule& schedule) const;
  /// Counts the sine over the raised primes, which are this account's.
  Work sine_above(const BootstrapSchedule& schedule) const;

  CkksLiteral literal_;
  double n_, key_halves_;
  Gadget rotating_, multiplying_, raising_;
};

/// Returns the bytes of the evaluation keys of a manifest. One half of each key is held. `rotating` is the account of
/// the primes that rotation keys use (rotation_primes.h); often it equals `account`.
double key_bytes(const Account& account, const Account& rotating, const KeyManifest& keys);
double key_bytes(const CkksLiteral& literal, const KeyManifest& keys);
/// Counts making the keys.
Work key_generation(const CkksLiteral& literal, const KeyManifest& keys);
/// Returns the memory for making the keys: the keys, their secrets, and one row per thread. The secrets are the secret,
/// the secret in another order of primes, the ephemeral one, and a power or an image of one.
double key_generation_bytes(const CkksLiteral& literal, const KeyManifest& keys, int threads);
/// Returns the memory for making the keys one at a time: the largest key in place of all of them.
double one_key_bytes(const CkksLiteral& literal, const KeyManifest& keys, int threads);

}  // namespace tacit::params
