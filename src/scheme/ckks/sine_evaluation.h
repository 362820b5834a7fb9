#pragma once

#include "params/bootstrap_schedule.h"
#include "scheme/ckks/evaluator.h"

namespace tacit::scheme::ckks {

/// The step of a bootstrap that removes multiples of q_0: sin(2 pi t) of slots t that are near integers, by a cosine of
/// an eighth of the angle, (t - 1/4), that is doubled three times (Han, Ki 2020, section 3).
class SineEvaluation {
 public:
  /// `result_scale`: the scale that the sine ends at. Both arguments must outlive this object.
  SineEvaluation(const Evaluator& evaluator, const params::BootstrapSchedule& schedule, double result_scale);
  /// Throws InputError naming a key that is missing.
  void check_keys() const;
  /// The scale that `run` takes its argument at: such that the squares of the first two levels, of which a level may have
  /// two primes, return to the size of the third level's prime.
  double argument_scale() const { return argument_scale_; }
  /// x = (t - 1/4) / schedule.range at level chain.sine[0] and argument_scale(); the result is sin(2 pi t) at level
  /// chain.output and exactly `result_scale`.
  Ciphertext run(const Ciphertext& x) const;

 private:
  const Evaluator& evaluator_;
  const params::BootstrapSchedule& schedule_;
  double argument_scale_ = 0, cosine_scale_ = 0, result_scale_ = 0;
};

}  // namespace tacit::scheme::ckks
