#pragma once

#include <vector>

#include "params/bootstrap_schedule.h"

namespace tacit::params {

/// The scales that a bootstrap passes through, from the set's scale back to the set's scale.
struct BootstrapScales {
  std::vector<double> slots_to_coefficients;  ///< after each factor; the last one is q_0 / ratio (classic: the set's)
  std::vector<double>
      coefficients_to_slots;  ///< after each factor, of t / q_0; the last one is that of the sine's argument
  /// What the cosine ends at, so that squaring and dividing, kDoubleAngles times, ends at `sine`.
  double cosine = 0;
  /// Of the sine; the set's scale when it is read as z.
  double sine = 0;

  double argument() const { return coefficients_to_slots.back(); }
};

/// The argument of the sine is at the scale s with s^4 = q_a^2 q_b q_c, the primes of the first three levels (q_b the
/// product of a level of two): its square is 4 g bits above the primes' size where q_b is, and the fourth power returns
/// to q_c. `parameters` are the whole set's.
BootstrapScales bootstrap_scales(const CkksParameters& parameters, const BootstrapSchedule& schedule);

/// The set that the modulus is raised over: without the primes that the chain skips.
CkksParameters raised_parameters(const CkksParameters& parameters, const BootstrapChain& chain);

/// q_(to + 1) … q_from multiplied.
double prime_product(const CkksParameters& parameters, int from, int to);

}  // namespace tacit::params
