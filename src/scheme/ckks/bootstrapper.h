#pragma once

#include <utility>
#include <vector>

#include "base/progress.h"
#include "params/bootstrap_scales.h"
#include "scheme/ckks/evaluator.h"

namespace tacit::scheme::ckks {

/// Carries out one schedule of bootstraps, from a nearly used up level to a high one. It holds the encoded transform
/// factors; the keys come with the evaluator. Keys for the highest output level serve every lower one. Immutable,
/// thread safe.
///
/// Lookups read the results of the half and whole forms (lookup.h).
///
/// Input: level >= schedule.input_level (higher levels are dropped), the set's scale (to 2^-30), slots |z| <= 1. Up to
/// |z| = 1.4 no precision is lost. Beyond a quarter of the ratio the result is wrong, and no ciphertext shows it.
/// Output: level schedule.output_level, exactly the set's scale, slots schedule.result(z). In whole form, slots are
/// exp(i pi z).
class Bootstrapper {
 public:
  /// Encodes the transforms, with one step of `progress` per factor. Throws InputError if the schedule is not one of
  /// the parameter set.
  Bootstrapper(ContextPtr context, params::BootstrapSchedule schedule,
               base::Progress& progress = base::Progress::silent());
  const params::BootstrapSchedule& schedule() const { return schedule_; }
  /// Returns the bytes of the encoded transforms.
  std::size_t bytes() const;

  /// Bootstraps real slots; an imaginary part is lost. Before any work it throws InputError naming a wrong level, scale
  /// or key, and KeyMismatch on objects of another set. `progress` can cancel the work here and in bootstrap_pair; it
  /// counts no steps.
  Ciphertext bootstrap(const Evaluator& evaluator, const Ciphertext& x,
                       base::Progress& progress = base::Progress::silent()) const;
  /// Bootstraps two ciphertexts with real slots as one with complex slots, so that the transforms are paid once. The
  /// real and the imaginary part each pass a separate sine.
  std::pair<Ciphertext, Ciphertext> bootstrap_pair(const Evaluator& evaluator, const Ciphertext& x, const Ciphertext& y,
                                                   base::Progress& progress = base::Progress::silent()) const;
  /// Bootstraps in two iterations (Bae, Cheon, Cho, Kim, Kim 2022): a second bootstrap refreshes the error of the first
  /// one, multiplied by 2^13. Every slot gains 13 bits for twice the time, if the input itself has them. The result has
  /// 2^13 times the set's scale; a rescale to the set's own scale rounds to some 24 bits. Throws InputError unless the
  /// form is linear and the output level is above the input level.
  Ciphertext bootstrap_twice(const Evaluator& evaluator, const Ciphertext& x) const;

 private:
  void check_keys(const Evaluator& evaluator) const;
  Ciphertext prepared(const Evaluator& evaluator, const Ciphertext& x) const;
  /// Returns an evaluator of the raised primes.
  Evaluator above(const Evaluator& evaluator) const;
  /// Moves the coefficients of a ciphertext at level 0 to the slots of one at level chain.sine[0] of the raised primes:
  /// t / q_0 / (2 range).
  Ciphertext raised(const Evaluator& evaluator, const Evaluator& above, const Ciphertext& x) const;
  /// Applies slots to coefficients.
  Ciphertext lowered(const Evaluator& evaluator, Ciphertext x) const;
  /// Raises the modulus from level 0.
  RaisedCiphertext raise_modulus(const Evaluator& above, const Ciphertext& x) const;
  /// Removes multiples of q_0 by sin(2 pi t) of slots t near integers. It doubles the angle of a cosine of an eighth of
  /// the angle, (t - 1/4), three times (Han, Ki 2020, section 3). In whole form it is exp(2 pi i t), and the square of
  /// an exponential doubles the angle. x = (t - schedule.shift()) / schedule.range is at level chain.sine[0] and
  /// scales.argument(). The result is at level chain.output and exactly scales.sine.
  Ciphertext sine(const Evaluator& above, const Ciphertext& x) const;
  /// Applies the sine and the steps after it to x = t / q_0 / range. Returns a ciphertext of the whole set.
  Ciphertext finished(const Evaluator& above, Ciphertext x) const;

  ContextPtr context_;
  /// The primes that a modulus is raised over: the set, without the primes that the schedule skips.
  ContextPtr raised_;
  params::BootstrapSchedule schedule_;
  params::BootstrapScales scales_;
  /// The first factor of coefficients to slots is for raised ciphertexts.
  std::vector<DiagonalMatrix> slots_to_coefficients_, coefficients_to_slots_;
};

}  // namespace tacit::scheme::ckks
