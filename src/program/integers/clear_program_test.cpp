#include "program/integers/clear_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/error.h"
#include "base/refusal_for_test.h"
#include "program/integers/small_program_for_test.h"

// What a clear run makes of arguments beyond their tables, of results that lose bits, and of noise.
namespace tacit::integers {
namespace {

using ::testing::ElementsAre;

std::int64_t result_of(const Program& program, const Integers& input) {
  return ClearProgram(program).run({&input, 1}).at(0).at(0);
}

TEST(IntegerClearReading, BeyondATableItsEntriesComeAgainWithTheOtherSign) {
  const Program program = small_program();  // the sums x0 + 2 x1 - x2 + 4 and 3 x2, squared modulo 8, of boxes 0 to 15
  EXPECT_EQ(result_of(program, {11, 0, 0}), 1 - 0);   // 15
  EXPECT_EQ(result_of(program, {13, 0, 0}), -1 - 0);  // 17 lies on 1
  EXPECT_EQ(result_of(program, {14, 0, 0}), -4 - 0);  // 18 on 2
  EXPECT_EQ(result_of(program, {0, 0, 5}), -1 - 1);   // -1 on 15, and 15 itself
  EXPECT_EQ(result_of(program, {0, 0, 6}), -4 - -4);  // -2 on 14, 18 on 2
  EXPECT_EQ(result_of(program, {29, 0, 0}), 1 - 0);   // 33 on 1 of the next turn, its sign changed twice
}

TEST(IntegerClearReading, InputsHaveTheSizesOfTheirTensors) {
  const Program program = small_program();
  const ClearProgram reading(program);
  const auto refused = [&](const std::vector<Integers>& inputs) {
    return base::refusal<base::InternalError>([&] { reading.run(inputs); });
  };
  const std::string size = "a program on integers got an input of the wrong size";
  EXPECT_THAT(refused({}), ::testing::HasSubstr(size));
  EXPECT_THAT(refused({{1, 1}}), ::testing::HasSubstr(size));
  EXPECT_THAT(refused({{1, 1, 1, 1}}), ::testing::HasSubstr(size));
  EXPECT_EQ(refused({{1, 1, 1}}), base::kNotRefused);
}

TEST(IntegerClearReading, AnOutputDropsBitsAndRoundsHalvesUp) {
  for (const int dropped : {0, 1, 2, 3}) {
    Program program = small_program();
    program.instructions[4].step += dropped;
    for (std::int64_t x = 0; x < 4; ++x) {
      const std::int64_t a = x + 4, difference = a * a % 8;
      EXPECT_EQ(result_of(program, {x, 0, 0}), rounded(difference, dropped)) << x << " " << dropped;
      const std::int64_t b = 3 * x, below = 4 - x, negative = below * below % 8 - b * b % 8;
      EXPECT_EQ(result_of(program, {0, 0, x}), rounded(negative, dropped)) << x << " " << dropped;
    }
  }
}

// An output of steps of 2^58, a 64th of the torus, with an error of one step: beside the nearest as often as a normal
// error exceeds a half.
TEST(IntegerClearReading, AnOutputIsRoundedWithItsNoise) {
  for (const int dropped : {0, 1}) {
    Program program = small_program();
    program.instructions[4].step += dropped;
    const ClearProgram reading(program);
    const Integers input{2, 0, 0};  // 36 modulo 8
    std::vector<double> deviations(program.instructions.size(), 0.0);
    deviations[4] = std::ldexp(1.0, dropped - 6);
    constexpr double kRuns = 4000;
    double sum = 0, moved = 0;
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
      const std::int64_t found = reading.run({&input, 1}, {}, ClearProgram::Noise{deviations, seed}).at(0).at(0);
      sum += static_cast<double>(found);
      moved += found != 4 >> dropped ? 1 : 0;
    }
    const double expected = std::erfc(0.5 / std::sqrt(2.0));
    EXPECT_NEAR(moved / kRuns, expected, 5 * std::sqrt(expected * (1 - expected) / kRuns)) << dropped;
    EXPECT_NEAR(sum / kRuns, 4 >> dropped, 5 * std::sqrt((1 + 1.0 / 12) / kRuns)) << dropped;
  }
}

// Eight deviations and more fit into the quarter of a turn that a bit takes.
TEST(IntegerClearReading, NoiseFarBelowABitRoundsAsWithoutIt) {
  const Program program = rounding_program();
  const ClearProgram reading(program);
  const std::vector<double> none(program.instructions.size(), 0.0);
  std::vector<std::vector<double>> of_bits(program.instructions.size());
  of_bits[2] = {0.03, 0.03};
  for (std::int64_t x0 = -4; x0 < 8; ++x0)
    for (std::int64_t x1 = -4; x1 < 8; ++x1) {
      const Integers input{x0, x1};
      std::vector<std::int64_t> rounded_sums;
      const ClearProgram::Observer look = [&](ValueId id, std::span<const std::int64_t> numbers) {
        if (id == 2) rounded_sums.assign(numbers.begin(), numbers.end());
      };
      reading.run({&input, 1}, look, ClearProgram::Noise{none, static_cast<std::uint64_t>(x0 * 100 + x1), of_bits});
      EXPECT_THAT(rounded_sums, ElementsAre(rounded(9 * x0 + 4 * x1 + 3, 2), rounded(20 - 5 * x0 + 7 * x1, 2)))
          << x0 << " " << x1;
    }
}

// A bit that is taken for the other one moves the number by itself, and what is left is told from there.
TEST(IntegerClearReading, ALowBitThatNoiseHidesStandsInTheWayOfTheNext) {
  const Program program = rounding_program();
  const ClearProgram reading(program);
  const Integers input{2, 1};  // the sums 25 and 17, 27 and 19 with half of what is dropped: both end in 11
  const std::vector<double> none(program.instructions.size(), 0.0);
  std::vector<std::vector<double>> of_bits(program.instructions.size());
  of_bits[2] = {1e9, 0};  // the lowest bit is anybody's guess
  double off = 0, all = 0;
  const ClearProgram::Observer look = [&](ValueId id, std::span<const std::int64_t> numbers) {
    if (id != 2) return;
    EXPECT_EQ(numbers.size(), 2U);
    all += 2;
    // Where it stays, the next bit stands at three quarters of a turn and is taken for 0: 27 and 19 round up.
    off += (numbers[0] != 6 ? 1 : 0) + (numbers[1] != 4 ? 1 : 0);
  };
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    reading.run({&input, 1}, look, ClearProgram::Noise{none, seed, of_bits});
  EXPECT_NEAR(off / all, 0.5, 5 * 0.5 / std::sqrt(all));
}

TEST(IntegerProgram, HasItsDefaults) {
  EXPECT_EQ(Round{}.dropped, 1);
  const Instruction made{.operation = Input{"x"}, .shape = {1}, .node = "", .source = ""};
  EXPECT_TRUE(made.exact);
  EXPECT_EQ(made.step, 0);
  EXPECT_EQ(Program{}.log_tables, 0);
  EXPECT_EQ(kMessageBits, 63);
  EXPECT_EQ(kMostTableBits, 10);
}

// The first box behind a table holds its first entry, with the other sign.
TEST(IntegerClearReading, TheFirstBoxOfThePaddingIsMinusTheFirstEntry) {
  Program program = small_program();
  std::get<Lookup>(program.instructions[2].operation).tables[0][0] = 5;
  EXPECT_EQ(result_of(program, {12, 0, 1}), 1 - 1);   // 15 and 3
  EXPECT_EQ(result_of(program, {12, 0, 0}), -5 - 5);  // 16 and 0
}

TEST(IntegerClearReading, LargeIntegersAreBoxedAndReadOutExactly) {
  constexpr std::int64_t kLarge = std::int64_t{1} << 60;  // a double does not tell its neighbours apart
  EXPECT_EQ(box_of(kLarge + 1, 61, 2), 1U);
  EXPECT_EQ(box_of(-kLarge - 1, 61, 2), 7U);
  Program program{"large", 4, {}};
  program.instructions.push_back({Input{"x"}, {2}, 0, -2 * kLarge, 2 * kLarge, true, "x", ""});
  program.instructions.push_back({Output{0, "y"}, {2}, 0, -2 * kLarge, 2 * kLarge, true, "y", ""});
  const std::vector<Integers> input{{kLarge + 1, -kLarge - 3}};
  EXPECT_THAT(ClearProgram(program).run(input), ElementsAre(ElementsAre(kLarge + 1, -kLarge - 3)));
  program.instructions[1].step = 1;
  EXPECT_THAT(ClearProgram(program).run(input), ElementsAre(ElementsAre(kLarge / 2 + 1, -kLarge / 2 - 1)));
}

TEST(IntegerClearReading, NoiseIsOfSeedZeroUnlessItSays) {
  const Program program = small_program();
  const ClearProgram reading(program);
  const Integers input{1, 1, 1};
  std::vector<double> much(program.instructions.size(), 0.0);
  much[4] = 1;  // 64 steps of the output
  const auto with = [&](const ClearProgram::Noise& noise) { return reading.run({&input, 1}, {}, noise); };
  EXPECT_EQ(with(ClearProgram::Noise{much}), with(ClearProgram::Noise{much, 0}));
  EXPECT_NE(with(ClearProgram::Noise{much}), with(ClearProgram::Noise{much, 1}));
}

// The lowest bit of both sums stands at half a turn, and an error of more than a quarter hides it. Then the next one
// stands at three quarters and is anybody's guess; behind a lowest bit that was taken off it stands at half a turn.
TEST(IntegerClearReading, BitsAreHiddenWhereAllOfThemAreNoisy) {
  const Program program = rounding_program();
  const ClearProgram reading(program);
  const Integers input{2, 1};  // as above: wrong where the second bit stays
  constexpr double kDeviation = 0.1;
  constexpr std::uint64_t kRuns = 2000;
  const std::vector<double> none(program.instructions.size(), 0.0);
  std::vector<std::vector<double>> of_bits(program.instructions.size());
  of_bits[2] = {kDeviation, kDeviation};
  double wrong = 0;
  const ClearProgram::Observer count = [&](ValueId id, std::span<const std::int64_t> numbers) {
    if (id == 2) wrong += (numbers[0] != 6 ? 1 : 0) + (numbers[1] != 4 ? 1 : 0);
  };
  for (std::uint64_t seed = 0; seed < kRuns; ++seed)
    reading.run({&input, 1}, count, ClearProgram::Noise{none, seed, of_bits});
  const double hidden = std::erfc(0.25 / kDeviation / std::sqrt(2.0));
  const double expected = 2 * kRuns * ((1 - hidden) * hidden + hidden / 2);
  EXPECT_NEAR(wrong, expected, 5 * std::sqrt(expected));
}

// 13 and half of 8 are 17. Where its lowest bit stays the next one stands at a quarter of a turn and is taken off: 15
// is left, and 11 where the last bit is taken off as well, which rounds to 1. All other ways lead to 2.
TEST(IntegerClearReading, ABitAtAQuarterOfATurnIsTakenOff) {
  Program program{"three bits", 4, {}};
  program.instructions.push_back({Input{"x"}, {1, 1}, 10, 0, 100, true, "x", ""});
  program.instructions.push_back({Round{0, 3}, {1, 1}, 13, 0, 13, true, "rounded", ""});
  program.instructions.push_back({Output{1, "y"}, {1, 1}, 13, 0, 13, true, "y", ""});
  const ClearProgram reading(program);
  const Integers input{13};
  const std::vector<double> none(program.instructions.size(), 0.0);
  std::vector<std::vector<double>> of_bits(program.instructions.size());
  of_bits[1] = {1e9, 0, 1e9};  // the lowest and the last are anybody's guess
  constexpr std::uint64_t kRuns = 400;
  double low = 0;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    const std::int64_t found = reading.run({&input, 1}, {}, ClearProgram::Noise{none, seed, of_bits}).at(0).at(0);
    EXPECT_TRUE(found == 1 || found == 2) << found;
    low += found == 1 ? 1 : 0;
  }
  EXPECT_NEAR(low / kRuns, 0.25, 5 * std::sqrt(0.25 * 0.75 / kRuns));
}

// A bootstrap has one error, which is counted in deviations of the lookup at whose turn it is made.
TEST(IntegerClearReading, BootstrapsOfALookupWithoutNoiseHaveNone) {
  const Program program = sharing_program(2);
  const ClearProgram reading(program);
  const Integers input{1, 1, 1};
  std::vector<double> deviations(program.instructions.size(), 0.0);
  deviations[3] = 1;  // of the torus: anybody's guess. It shares the bootstraps of lookup 2
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    EXPECT_EQ(reading.run({&input, 1}, {}, ClearProgram::Noise{deviations, seed}), reading.run({&input, 1})) << seed;
  deviations[2] = 1e-9;
  int moved = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<Integers> noisy = reading.run({&input, 1}, {}, ClearProgram::Noise{deviations, seed});
    moved += noisy != reading.run({&input, 1}) ? 1 : 0;
  }
  EXPECT_GT(moved, 0);
}

TEST(IntegerClearReading, InputsAndOutputsComeInTheOrderOfTheProgram) {
  Program program{"two", 4, {}};
  program.instructions.push_back({Input{"x"}, {2}, 10, 0, 9, true, "x", ""});
  program.instructions.push_back({Input{"y"}, {1}, 10, 0, 9, true, "y", ""});
  program.instructions.push_back({Output{1, "of y"}, {1}, 10, 0, 9, true, "of y", ""});
  program.instructions.push_back({Output{0, "of x"}, {2}, 10, 0, 9, true, "of x", ""});
  const ClearProgram reading(program);
  const std::vector<Integers> inputs{{3, 5}, {7}}, first{{3, 5}};
  EXPECT_THAT(reading.run(inputs), ElementsAre(ElementsAre(7), ElementsAre(3, 5)));
  EXPECT_THAT(base::refusal<base::InternalError>([&] { reading.run(first); }),
              ::testing::HasSubstr("an input of the wrong size"));
}

}  // namespace
}  // namespace tacit::integers
