#pragma once

#include <array>
#include <span>

#include "program/cost_table.h"

namespace tacit::app {

/// The prices that timings of operations determine: the seconds of an operation are linear in them.
inline constexpr std::array kFittedPrices{&program::CostTable::ntt_ns, &program::CostTable::mac_ns,
                                          &program::CostTable::key_ns, &program::CostTable::product_ns};
using UnitSeconds = std::array<double, kFittedPrices.size()>;

/// A table in which one price is a nanosecond and the others are nothing, by position in kFittedPrices.
program::CostTable unit_table(std::size_t price);

/// The timing of one operation, and its seconds by each unit table.
struct PriceSample {
  double seconds = 0;
  UnitSeconds unit{};
};

/// The prices whose predictions have the least squares of relative errors over the samples (positive seconds), none
/// below its price in `least`; what no sample depends on, and all other fields, stay as in `start`.
program::CostTable fit_prices(std::span<const PriceSample> samples, program::CostTable start,
                              const program::CostTable& least);

}  // namespace tacit::app
