#pragma once

#include <span>
#include <vector>

#include "params/ckks_parameters.h"
#include "params/lookup_schedule.h"

namespace tacit::params {

/// The modelled errors of a lookup (assumptions: noise.h). An argument with an error within half the distance of two
/// entries reads the entry. Its error hardly reaches the result, because the function of a table has slope 0 there.
struct LookupNoise {
  double argument = 0;             ///< deviation that the bootstrap adds to the argument, in units of the argument
  double mean = 0;                 ///< deviation of a result, over all entries and overflows
  double largest = 0;              ///< the same at the entry where it is largest
  std::vector<double> by_entry{};  ///< the same at every entry
};

/// Returns the noise of the lookups of a table. The circuit is computed on numbers, entry by entry, and every rounding
/// adds its noise. A middle entry of the half form is the noisiest by far, because all T_(2^k) are 1 or -1 there. The
/// draws are the same for the same table. `parameters` is the whole set, and `scale` the scale of
/// the results.
LookupNoise lookup_noise(const CkksParameters& parameters, const LookupSchedule& schedule,
                         std::span<const double> table, double scale);

/// Returns log2 of the probability that a number on a grid with this step is rounded to another one: erfc(step / (2
/// sqrt 2 deviation)). The error of the number is Gaussian. Returns -infinity for deviation 0.
double log2_rounding_failure(double deviation, double step);
/// Returns log2 of the probability that a lookup fails. It fails if the argument is further from its entry than half
/// the distance of two entries, which is 2 / `entries`.
double log2_lookup_failure(double deviation, int entries);

}  // namespace tacit::params
