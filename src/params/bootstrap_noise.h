#pragma once

#include "params/bootstrap_schedule.h"

namespace tacit::params {

/// Modelled errors of a bootstrap, as standard deviations of a real slot of the result in the units of the message
/// (noise.h says on what assumptions), beside the noise that the input brings, which passes unchanged.
struct BootstrapNoise {
  double slots_to_coefficients = 0;  ///< roundings of the factors
  double raise = 0;                  ///< key switches to the ephemeral secret and back
  double coefficients_to_slots = 0;  ///< roundings of the factors, of their diagonals and of the conjugation
  double sine = 0;           ///< roundings of the polynomial and of the squarings, by the overflow's distribution
  double approximation = 0;  ///< of the cosine by its polynomial, slots uniform in [-1, 1]
  double arcsine = 0;        ///< rounding of the correction
  double total() const;
};

/// `parameters` are the whole set's.
BootstrapNoise bootstrap_noise(const CkksParameters& parameters, const BootstrapSchedule& schedule);

}  // namespace tacit::params
