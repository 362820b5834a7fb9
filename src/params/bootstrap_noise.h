#pragma once

#include "params/bootstrap_schedule.h"

namespace tacit::params {

/// The modelled errors that a bootstrap adds, by their source. Each is the standard deviation of a real slot of the
/// result, in the units of the message (assumptions: noise.h). The noise of the input passes unchanged and is not
/// included.
struct BootstrapNoise {
  double slots_to_coefficients = 0;  ///< roundings of the factors
  double raise = 0;                  ///< key switches to the ephemeral secret and back
  double coefficients_to_slots = 0;  ///< roundings of the factors, of their diagonals and of the conjugation
  double sine = 0;           ///< roundings of the polynomial and of the squarings, by the overflow's distribution
  double approximation = 0;  ///< error of the polynomial that approximates the cosine, for slots uniform in [-1, 1]
  double total() const;
};

/// Returns the part of the noise that arises before the sine: `sine` and `approximation` are 0. It is the noise of the
/// argument that a lookup reads. `parameters` is the whole set.
BootstrapNoise argument_noise(const CkksParameters& parameters, const BootstrapSchedule& schedule);
/// Returns P(I = i) of the overflow of a ternary secret with this weight.
double overflow_probability(int i, int weight);

/// Returns all of it. `parameters` is the whole set. The form is linear or folded.
BootstrapNoise bootstrap_noise(const CkksParameters& parameters, const BootstrapSchedule& schedule);

}  // namespace tacit::params
