#pragma once

#include <complex>
#include <cstddef>
#include <vector>

#include "params/bootstrap_schedule.h"

namespace tacit::scheme::ckks {

enum class DftDirection {
  coefficients_to_slots,  ///< stages from the highest down, each inverted
  slots_to_coefficients,  ///< stages from the lowest up
};

/// Returns the diagonals of the product of a factor's stages, in the order of its steps: out[k] = sum over i of
/// diagonals[i][k] * in[k + steps[i].diagonal]. Every diagonal has the period 2^(first_stage + stages) and that many
/// values. The bit reversal of the transform is left out: the coefficients' side is in bit-reversed order. Its slots
/// hold z[j] = c[j] + i c[j + N/2].
std::vector<std::vector<std::complex<double>>> dft_diagonals(const params::DftFactor& factor, DftDirection direction,
                                                             std::size_t slots);

}  // namespace tacit::scheme::ckks
