#include "bench/price_fit.h"

#include <algorithm>

namespace tacit::bench {

params::CostTable unit_table(std::size_t price) {
  params::CostTable table;
  for (std::size_t i = 0; i < kFittedPrices.size(); ++i) table.*kFittedPrices[i] = i == price ? 1 : 0;
  table.far_ns = table.embed_ns = table.touch_ns = 0;
  return table;
}

params::CostTable fit_prices(std::span<const PriceSample> samples, params::CostTable start,
                             const params::CostTable& least) {
  // The error is a convex quadratic in a few bounded variables. Each in turn moves to its best value, until nothing
  // moves.
  constexpr int kSweeps = 10000;
  constexpr std::size_t kPrices = kFittedPrices.size();
  std::array<UnitSeconds, kPrices> squares{};
  UnitSeconds sums{};
  for (const PriceSample& sample : samples)
    for (std::size_t i = 0; i < kPrices; ++i) {
      const double share = sample.unit[i] / sample.seconds;
      sums[i] += share;
      for (std::size_t j = 0; j < kPrices; ++j) squares[i][j] += share * sample.unit[j] / sample.seconds;
    }
  for (int sweep = 0; sweep < kSweeps; ++sweep)
    for (std::size_t i = 0; i < kPrices; ++i) {
      if (squares[i][i] <= 0) continue;
      double rest = sums[i];
      for (std::size_t j = 0; j < kPrices; ++j)
        if (j != i) rest -= squares[i][j] * (start.*kFittedPrices[j]);
      start.*kFittedPrices[i] = std::max(rest / squares[i][i], least.*kFittedPrices[i]);
    }
  return start;
}

}  // namespace tacit::bench
