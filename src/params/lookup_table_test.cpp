#include "params/lookup_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace tacit::params {
namespace {

std::vector<double> random_entries(int entries) {
  std::mt19937_64 engine(static_cast<std::uint64_t>(entries));
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> table(static_cast<std::size_t>(entries));
  for (double& entry : table) entry = uniform(engine);
  return table;
}

struct Case {
  BootstrapForm form;
  int entries;
};
const Case kCases[] = {{BootstrapForm::half, 2},   {BootstrapForm::half, 3},  {BootstrapForm::half, 32},
                       {BootstrapForm::whole, 2},  {BootstrapForm::whole, 5}, {BootstrapForm::whole, 16},
                       {BootstrapForm::whole, 256}};

TEST(LookupTable, EntriesAreInTheMiddleOfEqualParts) {
  EXPECT_EQ(entry_argument(0, 2), -0.5);
  EXPECT_EQ(entry_argument(1, 2), 0.5);
  EXPECT_EQ(entry_argument(0, 16), -15.0 / 16);
  EXPECT_EQ(entry_argument(15, 16), 15.0 / 16);
}

TEST(LookupTable, TheFunctionPassesEveryEntryWithSlopeZero) {
  for (const auto& [form, entries] : kCases) {
    const std::vector<double> table = random_entries(entries);
    const auto series = table_series(form, table);
    EXPECT_EQ(series.size(), static_cast<std::size_t>(form == BootstrapForm::half ? 2 * entries : entries));
    const auto [least, most] = std::ranges::minmax(table);
    for (int m = 0; m < entries; ++m) {
      const double x = entry_argument(m, entries), entry = table[static_cast<std::size_t>(m)];
      EXPECT_NEAR(look_up(form, series, x), entry, 1e-12);
      for (const double share : {-0.05, 0.05, 0.2})
        EXPECT_LE(std::abs(look_up(form, series, x + share * 2 / entries) - entry),
                  3.29 * share * share * (most - least) + 1e-12);
    }
  }
}

TEST(LookupTable, NoArgumentLeavesTheRangeOfTheEntries) {
  for (const auto& [form, entries] : kCases) {
    const std::vector<double> table = random_entries(entries);
    const auto series = table_series(form, table);
    const auto [least, most] = std::ranges::minmax(table);
    for (double x = -2.5; x < 2.5; x += 0.0137) {
      EXPECT_GE(look_up(form, series, x), least - 1e-12);
      EXPECT_LE(look_up(form, series, x), most + 1e-12);
    }
  }
}

TEST(LookupTable, HalfFormMirrorsAndWholeFormRepeats) {
  const std::vector<double> table = random_entries(8);
  const auto half = table_series(BootstrapForm::half, table), whole = table_series(BootstrapForm::whole, table);
  for (const double x : {-0.9, -0.3, 0.1, 0.7}) {
    EXPECT_NEAR(look_up(BootstrapForm::half, half, 2 - x), look_up(BootstrapForm::half, half, x), 1e-12);
    EXPECT_NEAR(look_up(BootstrapForm::whole, whole, 2 + x), look_up(BootstrapForm::whole, whole, x), 1e-12);
    EXPECT_NEAR(look_up(BootstrapForm::whole, whole, x - 6), look_up(BootstrapForm::whole, whole, x), 1e-12);
  }
}

// In half form the series is one in sin(pi x / 2), as a bootstrap leaves it.
TEST(LookupTable, HalfSeriesIsAChebyshevSeriesOfTheSine) {
  const std::vector<double> table = random_entries(5);
  const auto series = table_series(BootstrapForm::half, table);
  for (const double x : {-1.0, -0.45, 0.0, 0.3, 1.0}) {
    const double angle = std::acos(std::sin(std::acos(-1.0) / 2 * x));
    double sum = 0;
    for (std::size_t j = 0; j < series.size(); ++j) {
      EXPECT_EQ(series[j].imag(), 0);
      sum += series[j].real() * std::cos(static_cast<double>(j) * angle);
    }
    EXPECT_NEAR(look_up(BootstrapForm::half, series, x), sum, 1e-12);
  }
}

}  // namespace
}  // namespace tacit::params
