#include "bench/price_fit.h"

#include <gtest/gtest.h>

#include <vector>

namespace tacit::bench {
namespace {

/// Seconds by these prices.
PriceSample sample(const params::CostTable& table, UnitSeconds unit) {
  double seconds = 0;
  for (std::size_t i = 0; i < unit.size(); ++i) seconds += unit[i] * (table.*kFittedPrices[i]);
  return {seconds, unit};
}

params::CostTable least() {
  params::CostTable table;
  for (const auto price : kFittedPrices) table.*price = 0.01;
  return table;
}

TEST(PriceFit, FindsThePricesThatExplainTimings) {
  params::CostTable table;
  table.ntt_ns = 0.2;
  table.mac_ns = 0.3;
  table.key_ns = 0.7;
  table.far_ns = 9;
  const std::vector<PriceSample> samples{sample(table, {5, 1, 1, 0}), sample(table, {2, 7, 1, 0}),
                                         sample(table, {1, 1, 9, 0}), sample(table, {30, 10, 20, 0})};
  const params::CostTable fitted = fit_prices(samples, {}, least());
  EXPECT_NEAR(fitted.ntt_ns, 0.2, 1e-9);
  EXPECT_NEAR(fitted.mac_ns, 0.3, 1e-9);
  EXPECT_NEAR(fitted.key_ns, 0.7, 1e-9);
  // No sample depends on these.
  EXPECT_EQ(fitted.product_ns, params::CostTable{}.product_ns);
  EXPECT_EQ(fitted.far_ns, params::CostTable{}.far_ns);
}

TEST(PriceFit, KeepsPricesAboveTheLeastAndMinimisesRelativeErrors) {
  // The first price would be negative; the second is then the mean of 1/4 and 1/2 weighted by their squares.
  const std::vector<PriceSample> samples{{1, {1, 4, 0, 0}}, {10, {0, 20, 0, 0}}};
  params::CostTable bound = least();
  bound.ntt_ns = 0.1;
  const params::CostTable fitted = fit_prices(samples, {}, bound);
  EXPECT_EQ(fitted.ntt_ns, 0.1);
  EXPECT_NEAR(fitted.mac_ns, (4 * 0.9 + 2 * 1.0) / 20, 1e-9);
}

TEST(PriceFit, AUnitTableHasOnePrice) {
  for (std::size_t i = 0; i < kFittedPrices.size(); ++i) {
    const params::CostTable unit = unit_table(i);
    for (std::size_t j = 0; j < kFittedPrices.size(); ++j) EXPECT_EQ(unit.*kFittedPrices[j], i == j ? 1 : 0);
    EXPECT_EQ(unit.far_ns + unit.embed_ns + unit.touch_ns, 0);
  }
}

}  // namespace
}  // namespace tacit::bench
