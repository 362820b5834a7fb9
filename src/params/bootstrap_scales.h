#pragma once

#include <vector>

#include "params/bootstrap_schedule.h"

namespace tacit::params {

/// The scales that a bootstrap passes through, from the set's scale back to the set's scale.
struct BootstrapScales {
  std::vector<double> slots_to_coefficients;  ///< after each factor; the last one is q_0 / ratio
  std::vector<double>
      coefficients_to_slots;  ///< after each factor, of t / q_0; the last one is the scale of the sine's argument
  /// The scale of the cosine. Squaring and dividing kDoubleAngles times leads from it to `sine`.
  double cosine = 0;
  /// The scale of the sine. It becomes the set's scale when the sine is read as z. The sine of a lookup has the set's
  /// scale itself.
  double sine = 0;

  double argument() const { return coefficients_to_slots.back(); }
};

/// Returns the scales of a bootstrap. `parameters` is the whole set. With q_a, q_b, q_c the products of the primes of
/// the first three levels of the sine, its argument has the scale s with s^4 = q_a^2 q_b q_c. Squaring and dividing by
/// the prime of the level then gives these scales:
/// - s^2 / q_a = sqrt(q_b q_c)
/// - (q_b q_c) / q_b = q_c
/// - q_c^2 / q_c = q_c
BootstrapScales bootstrap_scales(const CkksParameters& parameters, const BootstrapSchedule& schedule);

/// Returns the set that the modulus is raised over. It lacks the primes that the chain skips.
CkksParameters raised_parameters(const CkksParameters& parameters, const BootstrapChain& chain);

/// Returns the product q_(to + 1) … q_from.
double prime_product(const CkksParameters& parameters, int from, int to);

}  // namespace tacit::params
