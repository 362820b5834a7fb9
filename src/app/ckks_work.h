#pragma once

#include <map>
#include <span>

#include "params/bootstrap_schedule.h"
#include "params/ckks_parameters.h"
#include "params/polynomial_plan.h"

namespace tacit::app {

/// What an operation cannot do without, whatever its implementation.
struct Work {
  std::map<int, double> transforms;  ///< words times butterfly stages of transforms (NTT), by bits of the prime
  double macs = 0;                   ///< multiply-accumulates of words: products, key products, base conversions
  double bytes = 0;                  ///< operands, keys as they are held, encoded diagonals and results, each once
  Work& operator+=(const Work& other);
};

/// Counts the work of operations at a level of a parameter set. With l = level + 1 ciphertext primes, K special primes
/// (of the level) and b digits of a key switch:
///   one decomposition       b (l + K) transforms (those that a digit owns are transformed back), sum over digits of
///                           size x (l + K - size) MACs of base conversion
///   one key product         2 b (l + K) MACs, and the key is read
///   one division by P       2 (l + K) transforms and 2 K l MACs for both polynomials; with the rescale fused, the
///                           last ciphertext prime counts as a special one
///   one product             4 l MACs (3 l of a square), a plain one 2 l
///   a linear map            a decomposition; a key product each baby step; 2 (l + K) MACs each diagonal; each giant
///   step
///                           l + K transforms and K l MACs to divide, a decomposition and a key product; one division
///   a polynomial            what its plan multiplies, relinearises and rescales, 2 l MACs each term
///   a bootstrap             its two transforms, key switches, polynomial and doubled angles
/// Additions and permutations are not counted. Traffic is the bytes that must pass at least once: intermediate results
/// are not counted, so that an operation that keeps them in the caches can reach it.
class WorkCounter {
 public:
  /// `key_halves`: halves of a key that are held in memory and read from there: 2, or 1 where the uniform half is
  /// expanded from its seed.
  WorkCounter(const params::CkksParameters& parameters, double key_halves);

  Work transform(int bits) const;
  /// `terms` products of two limbs with a common factor, summed: two results.
  Work multiply_accumulate(std::size_t terms) const;
  Work add(int level) const;
  Work key_switch(int level) const;
  Work rotate_hoisted(int level, int rotations) const;
  Work multiply(int level) const;
  /// `level` of the input; `diagonal_bytes` of all encoded diagonals.
  Work linear(int level, std::span<const params::DiagonalStep> steps, double diagonal_bytes) const;
  /// levels[d]: of values of depth d.
  Work polynomial(const params::PolynomialPlan& plan, std::span<const int> levels) const;
  /// `diagonal_bytes` of all transforms. One ciphertext with real slots.
  Work bootstrap(const params::BootstrapSchedule& schedule, double diagonal_bytes) const;
  /// The sine of a bootstrap alone.
  Work sine(const params::BootstrapSchedule& schedule) const;
  /// Bytes of one half of a key that reaches this level: of rotations, conjugation or raising, and of relinearisation.
  double half_key_bytes(int level) const { return half_key_bytes(level, rotating()); }
  double half_product_key_bytes(int level) const { return half_key_bytes(level, multiplying()); }

 private:
  double limbs(int level) const { return level + 1; }
  /// Ciphertext primes in each digit of a key switch, and special primes by level.
  struct Gadget {
    const std::vector<std::size_t>& digits;
    const std::vector<std::size_t>& special_primes;
    double count(int level) const;
    double special(int level) const { return static_cast<double>(special_primes[static_cast<std::size_t>(level)]); }
    double extended(int level) const { return level + 1 + special(level); }
  };
  Gadget rotating() const { return {parameters_.digits(), parameters_.special_primes()}; }
  Gadget multiplying() const { return {parameters_.product_digits(), parameters_.product_special_primes()}; }
  double limb_bytes() const { return 8 * n_; }
  /// Transforms of every prime up to the level, and of every special prime of the gadget there: so many of each.
  Work rows(int level, const Gadget& gadget, double ciphertext_primes, double special_primes) const;
  double half_key_bytes(int level, const Gadget& gadget) const;
  Work decompose(int level, const Gadget& gadget) const;
  Work key_product(int level, const Gadget& gadget) const;
  Work divide(int level, const Gadget& gadget, bool rescaled) const;
  Work rescale(int from, int to) const;
  /// The sine over the raised primes, which are this counter's.
  Work sine_above(const params::BootstrapSchedule& schedule) const;

  params::CkksParameters parameters_;
  double n_, key_halves_;
};

}  // namespace tacit::app
