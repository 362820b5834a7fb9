#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "program/integers/bootstraps.h"
#include "program/integers/clear_program.h"
#include "program/integers/drawing.h"
#include "program/integers/noise.h"
#include "program/integers/program.h"
#include "program/integers/serialize.h"
#include "program/integers/small_program_for_test.h"

namespace tacit::integers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::int64_t thrice(std::int64_t sum) { return 3 * ((sum + 2) / 4) % 16; }

TEST(IntegerRounding, RoundsExactly) {
  const Program program = rounding_program();
  const ClearProgram reading(program);
  for (std::int64_t x0 = 0; x0 < 4; ++x0)
    for (std::int64_t x1 = 0; x1 < 4; ++x1) {
      const Integers input{x0, x1};
      EXPECT_THAT(reading.run({&input, 1}),
                  ElementsAre(ElementsAre(thrice(9 * x0 + 4 * x1 + 3), thrice(20 - 5 * x0 + 7 * x1))));
    }
  EXPECT_TRUE(is_exact(program));
  EXPECT_EQ(lookups(program), 2u);
  EXPECT_EQ(bootstraps(program), 6u);  // two bits of two sums, two tables
  EXPECT_THAT(to_text(program), HasSubstr("%2 = round %1 by 2 bits : [1, 2] in 1..11 step 2^59"));
  // Halves go up, also below zero, and the torus wraps around.
  EXPECT_EQ(rounded(6, 2), 2);
  EXPECT_EQ(rounded(-6, 2), -1);
  EXPECT_EQ(rounded(-7, 2), -2);
  EXPECT_EQ(rounded(std::numeric_limits<std::int64_t>::max(), 2), std::numeric_limits<std::int64_t>::min() / 4);
}

/// A bit is told at the top of the torus, where the noise of 2^bits integers has grown with it.
TEST(IntegerRounding, RoundingAsksForTheNoiseOfEveryBit) {
  const Program program = rounding_program();
  const auto asked = requirements(program, -64);
  ASSERT_EQ(asked.size(), 4u);  // two bits, a lookup, a result
  EXPECT_TRUE(asked[0].sign);
  EXPECT_EQ(asked[0].sign_of, 6);
  EXPECT_EQ(params::load_of(asked[0]), "the lowest of 6 bits behind weights of 2-norm 9.849");
  EXPECT_DOUBLE_EQ(asked[0].fresh_norm2, 64 * std::hypot(9, 4));
  EXPECT_DOUBLE_EQ(asked[0].norm2, 0);
  EXPECT_DOUBLE_EQ(asked[1].fresh_norm2, 32 * std::hypot(9, 4));
  EXPECT_DOUBLE_EQ(asked[1].norm2, 32);  // of one bootstrap
  EXPECT_EQ(asked[2].bits, 4);
  EXPECT_DOUBLE_EQ(asked[2].norm2, std::sqrt(2.0));
  const params::TfheParameters parameters = params::TfheParameters::check(params::solve(asked));
  EXPECT_NO_THROW(require_holds(program, parameters));
  EXPECT_LE(log2_failure_of_run(program, parameters), -62);
  const auto deviations = rounding_deviations(program, parameters);
  ASSERT_EQ(deviations[2].size(), 2u);
  const params::NoiseBudget budget = params::noise_budget(parameters.shape(), 0, asked[0].fresh_norm2);
  EXPECT_DOUBLE_EQ(deviations[2][0], std::sqrt(budget.total()));
  EXPECT_TRUE(deviations[3].empty());
}

/// 4,000 bits under noise that hides one of them in a hundred or so: as often as a normal error exceeds a quarter.
TEST(IntegerRounding, NoiseHidesBitsAsOftenAsModelled) {
  const Program program = rounding_program();
  const ClearProgram reading(program);
  const Integers input{2, 1};  // the sums 25 and 17: 27 and 19 with half of what is dropped, both end in 11
  const std::vector<double> none(program.instructions.size(), 0.0);
  constexpr double kDeviation = 0.1;
  std::vector<std::vector<double>> of_bits(program.instructions.size());
  of_bits[2] = {0, kDeviation};
  constexpr std::uint64_t kRuns = 2000;
  double wrong = 0;
  const ClearProgram::Observer count = [&](ValueId id, std::span<const std::int64_t> numbers) {
    if (id == 2) wrong += (numbers[0] != 6 ? 1 : 0) + (numbers[1] != 4 ? 1 : 0);
  };
  for (std::uint64_t seed = 0; seed < kRuns; ++seed)
    reading.run({&input, 1}, count, ClearProgram::Noise{none, seed, of_bits});
  // The second bit stays in place, and rounds up.
  const double expected = 2 * kRuns * std::erfc(0.25 / kDeviation / std::sqrt(2.0));
  EXPECT_NEAR(wrong, expected, 5 * std::sqrt(expected));
  EXPECT_GT(expected, 40);
}

TEST(IntegerRounding, RoundingTravelsAsBytes) {
  const Program program = rounding_program();
  const std::vector<std::uint8_t> bytes = to_bytes(program);
  EXPECT_EQ(to_text(program_from_bytes(bytes)), to_text(program));
  EXPECT_EQ(to_bytes(program_from_bytes(bytes)), bytes);
  for (std::size_t cut = 0; cut < bytes.size(); ++cut)
    EXPECT_THROW(program_from_bytes(std::span(bytes).first(cut)), base::InputError) << cut;
}

TEST(IntegerRounding, IsDrawnAsItIs) {
  EXPECT_EQ(to_mermaid(rounding_program()),
            "flowchart LR\n"
            "  v0([\"x, 2 inputs\"])\n"
            "  v1[\"<br>2 sums\"]\n  v0 --> v1\n"
            "  v2[/\"<br>2 rounded by 2 bits\"/]\n  v1 --> v2\n"
            "  v3{{\"<br>2 lookups, 1 tables\"}}\n  v2 --> v3\n"
            "  v4([\"y, 2 outputs\"])\n  v3 --> v4\n");
}

TEST(IntegerRounding, HalvesAreRoundedUpOnBothSidesOfZero) {
  EXPECT_EQ(rounded(-7, 0), -7);
  for (const auto& [integer, nearest] :
       {std::pair(5, 1), {6, 2}, {7, 2}, {1, 0}, {2, 1}, {-1, 0}, {-2, 0}, {-3, -1}, {-5, -1}, {-6, -1}, {-7, -2}})
    EXPECT_EQ(rounded(integer, 2), nearest) << integer;
}

}  // namespace
}  // namespace tacit::integers
