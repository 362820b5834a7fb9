#pragma once

#include <memory>
#include <span>
#include <vector>

#include "params/bootstrap_scales.h"
#include "params/schedule.h"
#include "scheme/ckks/ciphertext.h"
#include "scheme/ckks/context.h"
#include "scheme/ckks/diagonal_matrix.h"
#include "scheme/ckks/keys.h"
#include "scheme/rlwe/key_switch.h"

namespace tacit::scheme::ckks {

/// Operations on ciphertexts. Thread safe. Every mismatch is refused before any work:
/// - InputError on level, scale or slot mismatch
/// - InputError naming the key if it is absent or does not reach the level
/// - KeyMismatch on an object of another set
class Evaluator {
 public:
  /// `keys` may be null: operations that need a key are then refused.
  Evaluator(ContextPtr context, std::shared_ptr<const EvaluationKeys> keys);

  /// Returns the rotation primes of the keys, for Encoder::encode_diagonals.
  params::RotationPrimes rotation_primes() const { return keys_ ? keys_->rotation_primes : params::RotationPrimes{}; }

  /// Levels must be equal, and scales equal to 2^-30 relative.
  Ciphertext add(const Ciphertext& a, const Ciphertext& b) const;
  Ciphertext sub(const Ciphertext& a, const Ciphertext& b) const;
  void add_in_place(Ciphertext& a, const Ciphertext& b) const;
  Ciphertext negate(const Ciphertext& a) const;
  Ciphertext add_plain(const Ciphertext& a, const Plaintext& b) const;
  void add_plain_in_place(Ciphertext& a, const Plaintext& b) const;
  /// Multiplies at scale a.scale * b.scale and keeps the level: rescale afterwards. Levels must be equal.
  Ciphertext multiply_plain(const Ciphertext& a, const Plaintext& b) const;
  /// Does multiply_plain and rescale in one: level - 1, scale a.scale * b.scale / q_level.
  Ciphertext multiply_plain_rescale(const Ciphertext& a, const Plaintext& b) const;
  /// Returns the product, relinearised and rescaled: level - 1, scale a.scale * b.scale / q_level. Levels must be
  /// equal.
  Ciphertext multiply(const Ciphertext& a, const Ciphertext& b) const;
  Ciphertext square(const Ciphertext& a) const { return multiply_checked(a, a, "square"); }
  /// Returns the sum over i of a[i] * b[i], relinearised and rescaled once. There must be a term. All levels must be
  /// equal, and so must all scales of `a` and all scales of `b`.
  Ciphertext multiply_sum(std::span<const Ciphertext* const> a, std::span<const Ciphertext* const> b) const;
  /// Returns the sum over i of a[i] * b[i], rescaled once; conditions as above.
  Ciphertext multiply_plain_sum(std::span<const Ciphertext* const> a, std::span<const Plaintext* const> b) const;
  /// Divides by q_level: level - 1, scale / q_level.
  Ciphertext rescale(const Ciphertext& a) const;
  /// Drops to a level in [0, a.level]; the scale stays.
  Ciphertext drop_to_level(const Ciphertext& a, int level) const;
  /// Rotates slots to the left by `steps`, any sign.
  Ciphertext rotate(const Ciphertext& a, std::int64_t steps) const;
  Ciphertext conjugate(const Ciphertext& a) const;
  /// Returns several rotations of one ciphertext from one decomposition (hoisting).
  std::vector<Ciphertext> rotate_hoisted(const Ciphertext& a, std::span<const std::int64_t> steps) const;

  /// Returns `a` plus the sum of its rotations by `steps`, from one decomposition and with one division (double
  /// hoisting).
  Ciphertext rotate_sum(const Ciphertext& a, std::span<const std::int64_t> steps) const;

  /// Computes outputs[j] = sum over i of blocks[j][i] * inputs[i] (null = no block), folded; one level. It uses
  /// double-hoisted baby-step giant-step (Bossuat, Mouchet, Troncoso-Pastoriza, Hubaux 2021, section 4):
  /// - one decomposition per input; rotated inputs are used modulo QP and never stored
  /// - one division for each giant step, and one with the rescale at the end
  ///
  /// All inputs have one level >= 1 and one scale. All matrices have this schedule, the inputs' level and scale, and
  /// one target scale. There must be a block. An output without blocks is an encryption of zero.
  std::vector<Ciphertext> linear(std::span<const Ciphertext* const> inputs,
                                 std::span<const std::vector<const DiagonalMatrix*>> blocks,
                                 const params::LinearSchedule& schedule) const;
  std::vector<Ciphertext> linear(std::span<const Ciphertext> inputs,
                                 std::span<const std::vector<const DiagonalMatrix*>> blocks,
                                 const params::LinearSchedule& schedule) const;
  /// Returns matrix * x, under the secret; one level. All steps are baby steps, each a key switch of one small digit,
  /// with one division for all. `matrix` comes from Encoder::encode_raised_diagonals with this schedule, at x's level
  /// and scale.
  Ciphertext raised_linear(const RaisedCiphertext& x, const DiagonalMatrix& matrix,
                           const params::LinearSchedule& schedule) const;
  /// Evaluates a Chebyshev series on [-1, 1]. It ends at level - schedule.depth with exactly `target_scale`
  /// (params::plan_polynomial). Constants and zero series give a noiseless encryption.
  Ciphertext polynomial(const Ciphertext& x, std::span<const double> coefficients,
                        const params::PolynomialSchedule& schedule, double target_scale) const;

 private:
  friend class LinearTransform;
  friend class ChebyshevEvaluation;
  friend class Bootstrapper;
  friend class PowerEvaluation;
  friend class TableEvaluation;
  const EvaluationKeys& keys(const char* operation) const;
  const rlwe::SwitchingKey& relinearisation_key(int level, const char* operation) const {
    return keys(operation).relinearise(level, operation);
  }
  const GaloisKey& rotation_key(std::int64_t steps, int level, const char* operation) const {
    return keys(operation).rotation(steps, level, operation);
  }
  /// Returns the chain of the rotation keys at this level. Missing keys above their level are refused before its use.
  const rlwe::ModulusChain& rotation_chain(int level) const;
  std::int64_t normalised(std::int64_t steps) const;
  Ciphertext blank(int level, double scale) const;
  /// Adds an integer to every slot, in place. The integer is at the ciphertext's scale already.
  void add_constant(Ciphertext& x, rlwe::Int128 constant) const;
  /// Rotates `a` by every key, in order. `chain` is the chain of the digits and the keys.
  std::vector<Ciphertext> apply(const rlwe::ModulusChain& chain, const Ciphertext& a, const rlwe::Digits& digits,
                                std::span<const GaloisKey* const> keys) const;
  Ciphertext multiply_checked(const Ciphertext& a, const Ciphertext& b, const char* operation) const;
  void check_summands(const Ciphertext& a, const Ciphertext& b, const char* operation) const;
  /// Calls kernel(out, a, b, words, prime) on every limb of both polynomials; `out` may be `a`.
  template <class Kernel>
  void by_limb(Ciphertext& out, const Ciphertext& a, const Ciphertext& b, const Kernel& kernel) const;

  /// The sum of weight * a * b, of factor * c and of a constant, at `level` (rows above it are ignored) and scale
  /// `scale`. It is then relinearised if there are products, and rescaled.
  struct Sum {
    struct Product {
      const Ciphertext* a;
      const Ciphertext* b;
    };
    struct Multiple {
      const Ciphertext* x;
      rlwe::Int128 factor;
    };
    std::vector<Product> products;
    std::vector<Multiple> multiples;
    rlwe::Int128 constant = 0;
    std::uint64_t weight = 1;
  };
  Ciphertext rescaled_sum(const Sum& sum, int level, double scale, const char* operation) const;
  /// Divides by all primes above level `to` < `from` instead: a rescale by a group of primes.
  Ciphertext divided_sum(const Sum& sum, int from, int to, double scale, const char* operation) const;

  ContextPtr context_;
  std::shared_ptr<const EvaluationKeys> keys_;
};

}  // namespace tacit::scheme::ckks
