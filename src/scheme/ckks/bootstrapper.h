#pragma once

#include <utility>
#include <vector>

#include "base/progress.h"
#include "params/bootstrap_scales.h"
#include "scheme/ckks/evaluator.h"

namespace tacit::scheme::ckks {

/// Carries out one schedule of bootstraps: from a level that is nearly used up to a high one. Holds the encoded
/// transform factors; the keys come with the evaluator, and those for the highest output level serve every lower one.
/// Immutable, thread safe. In: level >= schedule.input_level (what is above is dropped), the set's scale (to 2^-30),
/// slots |z| <= 1 (up to 1.4 without loss of precision, and never more than a quarter of the ratio: beyond that the
/// result is wrong, which nobody can see on a ciphertext). Out: level schedule.output_level, exactly the set's scale,
/// slots schedule.result(z).
class Bootstrapper {
 public:
  /// Encodes the transforms, a step of `progress` a factor. Throws InputError when the schedule is not one of the
  /// parameter set.
  Bootstrapper(ContextPtr context, params::BootstrapSchedule schedule,
               base::Progress& progress = base::Progress::silent());
  const params::BootstrapSchedule& schedule() const { return schedule_; }
  /// Bytes of the encoded transforms.
  std::size_t bytes() const;

  /// Real slots; an imaginary part is lost. Throws, before any work, InputError on a level, scale or key that does not
  /// do, naming it, and KeyMismatch on objects of another set. `progress` is asked on the way whether to go on, here
  /// and for pairs, and is told of no steps.
  Ciphertext bootstrap(const Evaluator& evaluator, const Ciphertext& x,
                       base::Progress& progress = base::Progress::silent()) const;
  /// Complex slots: the real and the imaginary part each pass through a sine of their own, of the slots or, in the
  /// classic form, of the coefficients. That form does the same for `bootstrap`.
  Ciphertext bootstrap_complex(const Evaluator& evaluator, const Ciphertext& x,
                               base::Progress& progress = base::Progress::silent()) const;
  /// Two ciphertexts with real slots as one with complex ones: the transforms are paid once. Not in the classic form
  /// (InputError).
  std::pair<Ciphertext, Ciphertext> bootstrap_pair(const Evaluator& evaluator, const Ciphertext& x, const Ciphertext& y,
                                                   base::Progress& progress = base::Progress::silent()) const;
  /// In two iterations (Bae, Cheon, Cho, Kim, Kim 2022): what the first bootstrap missed, 2^13 times as large, takes a
  /// second one. 13 bits more in every slot, as far as the input itself has them, for twice the time. The result is at
  /// 2^13 times the set's scale: a rescale to the set's own rounds to some 24 bits. In the linear form, and where the
  /// output level is above the input level (InputError otherwise).
  Ciphertext bootstrap_twice(const Evaluator& evaluator, const Ciphertext& x) const;

 private:
  void check_keys(const Evaluator& evaluator) const;
  Ciphertext prepared(const Evaluator& evaluator, const Ciphertext& x) const;
  /// An evaluator of the raised primes.
  Evaluator above(const Evaluator& evaluator) const;
  /// Coefficients of a ciphertext at level 0 in the slots of one at level chain.sine[0] of the raised primes:
  /// t / q_0 / (2 range).
  Ciphertext raised(const Evaluator& evaluator, const Evaluator& above, const Ciphertext& x) const;
  /// What the real and the imaginary parts of the slots of a prepared ciphertext become.
  std::pair<Ciphertext, Ciphertext> real_and_imaginary(const Evaluator& evaluator, const Ciphertext& input,
                                                       base::Progress& progress) const;
  /// Slots to coefficients.
  Ciphertext lowered(const Evaluator& evaluator, Ciphertext x) const;
  /// From level 0.
  RaisedCiphertext raise_modulus(const Evaluator& above, const Ciphertext& x) const;
  /// What removes multiples of q_0: sin(2 pi t) of slots t that are near integers, by a cosine of an eighth of the
  /// angle, (t - 1/4), that is doubled three times (Han, Ki 2020, section 3). x = (t - 1/4) / schedule.range at level
  /// chain.sine[0] and scales.argument(); the result is at level chain.output and exactly scales.sine.
  Ciphertext sine(const Evaluator& above, const Ciphertext& x) const;
  /// The sine and what follows it, of x = t / q_0 / range, as a ciphertext of the whole set.
  Ciphertext finished(const Evaluator& above, Ciphertext x) const;

  ContextPtr context_;
  /// The primes that a modulus is raised over: the set, or what the schedule does not skip of it.
  ContextPtr raised_;
  params::BootstrapSchedule schedule_;
  params::BootstrapScales scales_;
  /// The first factor of coefficients to slots is for raised ciphertexts.
  std::vector<DiagonalMatrix> slots_to_coefficients_, coefficients_to_slots_;
};

}  // namespace tacit::scheme::ckks
