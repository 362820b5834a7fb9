#include "program/integers/neighbour_rates.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include "program/integers/noise.h"
#include "program/integers/small_program_for_test.h"

namespace tacit::integers {
namespace {

/// Sums on a border between two boxes go to either, and those in the middle of one stay.
TEST(IntegerNeighbours, NeighbouringBoxesAreTakenByWhereArgumentsLie) {
  Program program = small_program();
  program.bits = 2;
  std::get<Lookup>(program.instructions[2].operation).tables.assign(1, {0, 1, 2, 3});
  program.instructions[1].highest = 8;  // two boxes of four, of three
  // Centres lie at -2, 2, 6 and 10: x = (0, 0, 0) has the sums 4, on a border, and 0, on another.
  const auto parameters = params::TfheParameters::check(params::solve(requirements(program, -64)));
  const double deviation = noise_deviations(program, parameters)[2] * 8;  // of a torus of eight boxes
  const auto rate = [&](const std::vector<std::vector<Integers>>& samples) {
    const std::vector<double> rates = neighbour_rates(program, parameters, samples);
    EXPECT_EQ(rates[1], 0);
    return rates[2];
  };
  EXPECT_NEAR(rate({{{0, 0, 0}}}), 0.5, 1e-9);
  // The sums 2 and 3: the middle of a box, and a quarter of one from its border.
  const double expected =
      (std::erfc(0.5 / deviation / std::sqrt(2.0)) + 0.5 * std::erfc(0.25 / deviation / std::sqrt(2.0)) +
       0.5 * std::erfc(0.75 / deviation / std::sqrt(2.0))) /
      2;
  std::get<Linear>(program.instructions[1].operation).bias = {2, 3};
  EXPECT_NEAR(rate({{{0, 0, 0}}}), expected, 1e-12);
  EXPECT_NEAR(rate({}), std::sqrt(2 / std::numbers::pi) * deviation, 1e-12);
  // What a simulation counts, of both.
  const std::vector<std::vector<Integers>> samples{{{0, 0, 0}}, {{2, 0, 0}}};  // 2 and 3, 4 and 3
  const ClearProgram reading(program);
  const std::vector<double> deviations = noise_deviations(program, parameters);
  std::vector<std::size_t> counted(deviations.size(), 0);
  constexpr std::uint64_t kRuns = 2000;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed)
    for (const auto& sample : samples) reading.run(sample, {}, ClearProgram::Noise{deviations, seed, {}, counted});
  const double predicted = rate(samples), lookups = 4 * kRuns;
  EXPECT_NEAR(static_cast<double>(counted[2]) / lookups, predicted,
              5 * std::sqrt(predicted * (1 - predicted) / lookups));
}

// A sum on the border of two boxes goes to either, whether it is looked up alone or beside another one.
TEST(IntegerNeighbours, TheRateOfOneElementIsItsOwn) {
  Program program = small_program();
  program.bits = 2;
  program.instructions.resize(3);
  program.instructions[1].operation = Linear{{{0, std::make_shared<layout::Contraction>(layout::Contraction::dense(
                                                      {1, 3}, 1, std::vector<double>{1, 2, -1}))}},
                                             {4}};
  program.instructions[1].shape = program.instructions[2].shape = {1, 1};
  program.instructions[1].highest = 8;  // centres lie at -2, 2, 6 and 10
  std::get<Lookup>(program.instructions[2].operation).tables.assign(1, {0, 1, 2, 3});
  const auto parameters = params::TfheParameters::check(params::solve(requirements(program, -64)));
  const std::vector<std::vector<Integers>> border{{{0, 0, 0}}}, middle{{{2, 0, 0}}};
  EXPECT_NEAR(neighbour_rates(program, parameters, border)[2], 0.5, 1e-9);
  EXPECT_LT(neighbour_rates(program, parameters, middle)[2], 0.5);
}

// The first box lies on the lowest integer less half a box, wherever that is.
TEST(IntegerNeighbours, BoxesAreCountedFromTheLowestInteger) {
  Program program = small_program();
  program.bits = 2;
  std::get<Lookup>(program.instructions[2].operation).tables.assign(1, {0, 1, 2, 3});
  program.instructions[1].lowest = 1;
  program.instructions[1].highest = 9;  // centres lie at -1, 3, 7 and 11
  const auto parameters = params::TfheParameters::check(params::solve(requirements(program, -64)));
  const double deviation = noise_deviations(program, parameters)[2] * 8;  // of a torus of eight boxes
  const std::vector<std::vector<Integers>> sample{{{0, 0, 0}}};
  const auto rate = [&](std::vector<std::int64_t> sums) {
    std::get<Linear>(program.instructions[1].operation).bias = std::move(sums);
    return neighbour_rates(program, parameters, sample)[2];
  };
  EXPECT_NEAR(rate({1, 5}), 0.5, 1e-9) << "both on a border";
  EXPECT_NEAR(rate({3, 7}), std::erfc(0.5 / deviation / std::sqrt(2.0)), 1e-12) << "both in the middle of a box";
}

}  // namespace
}  // namespace tacit::integers
