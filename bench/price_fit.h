#pragma once

#include <array>
#include <span>

#include "params/cost_table.h"

namespace tacit::bench {

/// The prices that timings of operations determine. The seconds of an operation are linear in them.
inline constexpr std::array kFittedPrices{&params::CostTable::ntt_ns, &params::CostTable::mac_ns,
                                          &params::CostTable::key_ns, &params::CostTable::product_ns};
using UnitSeconds = std::array<double, kFittedPrices.size()>;

/// Returns a table in which one price, by its position in kFittedPrices, is a nanosecond and the others are 0.
params::CostTable unit_table(std::size_t price);

/// The timing of one operation, and its seconds by each unit table.
struct PriceSample {
  double seconds = 0;
  UnitSeconds unit{};
};

/// Returns the prices whose predictions have the least squares of relative errors over the samples (positive seconds).
/// None is below its price in `least`. Prices on which no sample depends, and all other fields, stay as in `start`.
params::CostTable fit_prices(std::span<const PriceSample> samples, params::CostTable start,
                             const params::CostTable& least);

}  // namespace tacit::bench
