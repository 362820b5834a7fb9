#include "program/integers/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "base/error.h"
#include "layout/operators/matrix.h"
#include "program/integers/bootstraps.h"
#include "program/integers/client_interface.h"
#include "program/integers/drawing.h"
#include "program/integers/neighbour_rates.h"
#include "program/integers/noise.h"
#include "program/integers/serialize.h"
#include "program/integers/small_program_for_test.h"

namespace tacit::integers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(IntegerProgram, IsDrawnWithWhateverNames) {
  Program program = small_program();
  program.instructions[2].source = "Mul '<b>\"\n'";
  EXPECT_EQ(to_mermaid(program),
            "flowchart LR\n"
            "  v0([\"x, 3 inputs\"])\n"
            "  v1[\"<br>2 sums\"]\n  v0 --> v1\n"
            "  v2{{\"Mul '#60;b#62;#34; '<br>2 lookups, 1 tables\"}}\n  v1 --> v2\n"
            "  v3[\"<br>1 sums\"]\n  v2 --> v3\n"
            "  v4([\"y, 1 outputs\"])\n  v3 --> v4\n");
}

TEST(IntegerProgram, ComputesSumsAndTablesExactly) {
  const Program program = small_program();
  const ClearProgram reading(program);
  // Sums x0 + 2 x1 - x2 + 4 and 3 x2: squares modulo 8 of both, then their difference.
  for (std::int64_t x0 = 0; x0 < 4; ++x0)
    for (std::int64_t x1 = 0; x1 < 2; ++x1)
      for (std::int64_t x2 = 0; x2 < 4; ++x2) {
        const std::int64_t a = x0 + 2 * x1 - x2 + 4, b = 3 * x2;
        const Integers input{x0, x1, x2};
        EXPECT_THAT(reading.run({&input, 1}), ElementsAre(ElementsAre(a * a % 8 - b * b % 8))) << x0 << x1 << x2;
      }
}

TEST(IntegerProgram, BoxesRoundToTheNearestAndWrapIntoThePadding) {
  // Tables of 2 bits of arguments with steps of 2^59: four integers a box.
  EXPECT_EQ(box_of(0, 59, 2), 0u);
  EXPECT_EQ(box_of(1, 59, 2), 0u);
  EXPECT_EQ(box_of(2, 59, 2), 1u);
  EXPECT_EQ(box_of(5, 59, 2), 1u);
  EXPECT_EQ(box_of(6, 59, 2), 2u);
  EXPECT_EQ(box_of(14, 59, 2), 4u);  // beyond the table: minus its first entry
  EXPECT_EQ(box_of(-3, 59, 2), 7u);  // minus its last
  EXPECT_EQ(box_of(-2, 59, 2), 0u);
  // A quarter of the torus is two boxes of eight.
  EXPECT_EQ(box_of(0, 59, 2, 0.25), 2u);
  EXPECT_EQ(box_of(0, 59, 2, -0.25), 6u);
}

/// A box of noise is what parameters allow where arguments are rounded (noise.h: requirements).
TEST(IntegerProgram, RoundedArgumentsStayOutOfThePadding) {
  constexpr int kStep = 55;
  for (const int bits : {2, 4, 6}) {
    Program program = small_program();
    program.bits = bits;
    const std::size_t boxes = std::size_t{1} << bits;
    const std::int64_t box = std::int64_t{1} << (kMessageBits - bits - kStep);
    auto& lookup = std::get<Lookup>(program.instructions[2].operation);
    lookup.tables.assign(1, std::vector<std::int64_t>(boxes, 1));
    Instruction& operand = program.instructions[1];
    program.instructions[0].step = operand.step = kStep;
    operand.lowest = -7;
    operand.highest = operand.lowest + (static_cast<std::int64_t>(boxes) - 2) * box;
    EXPECT_NO_THROW(verify(program)) << bits;
    EXPECT_TRUE(rounds(program, lookup));
    EXPECT_EQ(first_centre(program, lookup), operand.lowest - box / 2);
    ASSERT_EQ(requirements(program, -64)[0].bits, std::max(1, bits - 1));
    const double whole_box = std::ldexp(1.0, -bits - 1), nearly = whole_box * (1 - 1e-9);
    for (std::int64_t x = operand.lowest; x <= operand.highest; ++x) {
      const std::int64_t above = x - first_centre(program, lookup);
      const std::uint64_t exact = box_of(above, kStep, bits);
      ASSERT_LT(exact, boxes);
      for (const double noise : {-nearly, nearly}) {
        const std::uint64_t taken = box_of(above, kStep, bits, noise);
        ASSERT_LT(taken, boxes) << bits << " bits, argument " << x;
        ASSERT_LE(std::max(taken, exact) - std::min(taken, exact), 1u);
      }
    }
    // One integer more and the same noise would lead into the padding.
    ++operand.highest;
    EXPECT_THROW(verify(program), base::InternalError) << bits;
    EXPECT_GE(box_of(operand.highest - first_centre(program, lookup), kStep, bits, nearly), boxes);
  }
}

TEST(IntegerProgram, NoiseGrowsByTheNormsOfRows) {
  const Program program = small_program();
  const std::vector<NoiseNorms> norms = noise_norms(program);
  EXPECT_DOUBLE_EQ(norms[0].fresh, 1);
  EXPECT_DOUBLE_EQ(norms[1].fresh, 3);  // of the second row; the first has sqrt(6)
  EXPECT_DOUBLE_EQ(norms[1].bootstraps, 0);
  EXPECT_DOUBLE_EQ(norms[2].bootstraps, 1);
  EXPECT_DOUBLE_EQ(norms[3].bootstraps, std::sqrt(2.0));
  const auto asked = requirements(program, -64);
  ASSERT_EQ(asked.size(), 2u);  // the lookup and the result
  EXPECT_EQ(asked[0].bits, 4);
  EXPECT_FALSE(asked[0].decrypted);
  EXPECT_TRUE(asked[1].decrypted);
  EXPECT_EQ(asked[1].bits, 5);
  EXPECT_DOUBLE_EQ(asked[1].norm2, std::sqrt(2.0));
  const params::TfheParameters parameters = params::TfheParameters::check(params::solve(asked));
  EXPECT_NO_THROW(require_holds(program, parameters));
  EXPECT_LE(log2_failure_of_run(program, parameters), -62);
}

TEST(IntegerProgram, SumsOfSumsAddTheirNormsUp) {
  Program program = small_program();
  Instruction twice = program.instructions[3];
  Linear linear;
  linear.terms.push_back(
      {3, std::make_shared<layout::Contraction>(layout::Contraction::dense({1, 1}, 1, std::vector<double>{2}))});
  linear.terms.push_back({3, linear.terms[0].op});
  twice.operation = std::move(linear);
  twice.lowest = 4 * twice.lowest;
  twice.highest = 4 * twice.highest;
  program.instructions.insert(program.instructions.end() - 1, twice);
  EXPECT_DOUBLE_EQ(noise_norms(program)[4].bootstraps, 4 * std::sqrt(2.0));
}

TEST(IntegerProgram, RoundsWithTheNoiseThatItIsGiven) {
  Program program = small_program();
  const ClearProgram reading(program);
  const Integers input{1, 1, 1};
  std::vector<double> none(program.instructions.size(), 0.0);
  EXPECT_EQ(reading.run({&input, 1}, {}, ClearProgram::Noise{none, 1}), reading.run({&input, 1}));
  std::vector<double> much(program.instructions.size(), 0.0);
  much[2] = 0.1;  // boxes are a 32nd of the torus
  int moved = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto result = reading.run({&input, 1}, {}, ClearProgram::Noise{much, seed});
    EXPECT_EQ(result, reading.run({&input, 1}, {}, ClearProgram::Noise{much, seed}));
    moved += result != reading.run({&input, 1}) ? 1 : 0;
  }
  EXPECT_GT(moved, 100);
}

std::int64_t thrice(std::int64_t sum) { return 3 * ((sum + 2) / 4) % 16; }

TEST(IntegerProgram, RoundsExactly) {
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
TEST(IntegerProgram, RoundingAsksForTheNoiseOfEveryBit) {
  const Program program = rounding_program();
  const auto asked = requirements(program, -64);
  ASSERT_EQ(asked.size(), 4u);  // two bits, a lookup, a result
  EXPECT_TRUE(asked[0].sign);
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
TEST(IntegerProgram, NoiseHidesBitsAsOftenAsModelled) {
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

/// Squares count twice: their step is twice as large.
std::int64_t sum_of_tables(std::int64_t a, std::int64_t b) {
  return 2 * (a * a % 8 + b * b % 8) + 3 * b % 8 + (a + 1) % 8 + (b + 2) % 8;
}

TEST(IntegerProgram, TablesOfOneArgumentShareBootstraps) {
  using ::testing::IsEmpty;
  // a: its square and a + 1; b: its square, 3 b, b + 2.
  for (const auto& [log_tables, at_first, at_second] : {std::tuple{0, 2u, 3u}, {1, 3u, 0u}, {2, 2u, 0u}, {8, 2u, 0u}}) {
    const Program program = sharing_program(log_tables);
    verify(program);
    EXPECT_EQ(bootstraps(program, 2), at_first) << log_tables;
    EXPECT_EQ(bootstraps(program, 3), at_second) << log_tables;
    EXPECT_EQ(bootstraps(program), at_first + at_second);
    EXPECT_EQ(lookups(program), 5u);
    EXPECT_EQ(makers(program)[3], log_tables == 0 ? 3u : 2u);
    const ClearProgram reading(program);
    for (std::int64_t x = 0; x < 4 * 2 * 4; ++x) {
      const Integers input{x % 4, x / 4 % 2, x / 8};
      const std::int64_t a = input[0] + 2 * input[1] - input[2] + 4, b = 3 * input[2];
      EXPECT_THAT(reading.run({&input, 1}), ElementsAre(ElementsAre(sum_of_tables(a, b)))) << log_tables << " " << x;
    }
    const std::vector<std::uint8_t> bytes = to_bytes(program);
    EXPECT_EQ(to_bytes(program_from_bytes(bytes)), bytes);
    EXPECT_EQ(to_text(program_from_bytes(bytes)), to_text(program));
  }
  const Bootstraps of_two = bootstraps_at(sharing_program(1), 2);
  ASSERT_EQ(of_two.count(), 3u);
  EXPECT_EQ(of_two.argument(0), 0u);
  EXPECT_EQ(of_two.argument(1), 1u);
  EXPECT_EQ(of_two.argument(2), 1u);
  ASSERT_EQ(of_two.made(1).size(), 2u);
  EXPECT_EQ(of_two.made(1)[0].lookup, 2u);
  EXPECT_EQ(of_two.made(1)[1].lookup, 3u);
  EXPECT_EQ(of_two.made(1)[1].element, 0u);
  EXPECT_EQ(of_two.made(2)[0].element, 2u);
  EXPECT_THAT(log_rooms(sharing_program(0)), ElementsAre(0, 0, 0, 0, 0, 0));
  EXPECT_THAT(log_rooms(sharing_program(1)), ElementsAre(0, 0, 1, 1, 0, 0));
  EXPECT_THAT(log_rooms(sharing_program(8)), ElementsAre(0, 0, 2, 2, 0, 0));  // three tables take the room of four
}

TEST(IntegerProgram, SharedBootstrapsHaveOneErrorAndMoreNoise) {
  const Program program = sharing_program(2);
  const auto asked = requirements(program, -64);
  EXPECT_EQ(asked[0].log_tables, 2);
  const params::TfheLiteral literal = params::solve(asked);
  EXPECT_EQ(literal.log_tables, 2);
  const params::TfheParameters parameters = params::TfheParameters::check(literal);
  EXPECT_NO_THROW(require_holds(program, parameters));
  const auto shared = noise_deviations(program, parameters), alone = noise_deviations(sharing_program(0), parameters);
  params::LookupShape shape = parameters.shape();
  const double coarse = params::modulus_switch_variance(shape);
  shape.log_tables = 0;
  const double fine = params::modulus_switch_variance(shape);
  EXPECT_GT(coarse, 15 * fine);
  EXPECT_NEAR((shared[2] * shared[2] - alone[2] * alone[2]) / (coarse - fine), 1, 1e-9);
  EXPECT_EQ(shared[4], alone[4]);
  EXPECT_THAT(
      [&] {
        require_holds(program, params::TfheParameters::check(params::solve(requirements(sharing_program(0), -64))));
      },
      ThrowsMessage<base::InputError>(HasSubstr("2^2 tables share a bootstrap")));
  // All tables of an argument take the same box: of b = 3, one has the entry of 4 if another has.
  std::vector<double> much(program.instructions.size(), 0.0);
  much[2] = much[3] = 0.03;  // of boxes of a 32nd
  const Integers input{0, 0, 1};
  std::size_t moved = 0;
  const ClearProgram reading(program);
  std::vector<std::int64_t> squares;
  const ClearProgram::Observer look = [&](ValueId id, std::span<const std::int64_t> numbers) {
    if (id == 2) squares.assign(numbers.begin(), numbers.end());
    if (id != 3) return;
    // Entries of +-(3 b mod 8) and +-(b + 2 mod 8) belong to one box, whose square is known.
    bool found = false;
    for (std::int64_t b = 0; b < 16; ++b)
      for (const int sign : {1, -1})
        found = found || (numbers[0] == sign * (3 * b % 8) && numbers[2] == sign * ((b + 2) % 8) &&
                          squares[1] == sign * (b * b % 8));
    EXPECT_TRUE(found);
    moved += numbers[0] != 1 ? 1 : 0;
  };
  for (std::uint64_t seed = 0; seed < 100; ++seed) reading.run({&input, 1}, look, ClearProgram::Noise{much, seed});
  EXPECT_GT(moved, 30u);
}

TEST(IntegerProgram, RoundingTravelsAsBytes) {
  const Program program = rounding_program();
  const std::vector<std::uint8_t> bytes = to_bytes(program);
  EXPECT_EQ(to_text(program_from_bytes(bytes)), to_text(program));
  EXPECT_EQ(to_bytes(program_from_bytes(bytes)), bytes);
  for (std::size_t cut = 0; cut < bytes.size(); ++cut)
    EXPECT_THROW(program_from_bytes(std::span(bytes).first(cut)), base::InputError) << cut;
}

/// Sums on a border between two boxes go to either, and those in the middle of one stay.
TEST(IntegerProgram, NeighbouringBoxesAreTakenByWhereArgumentsLie) {
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

TEST(IntegerProgram, TravelsAsBytes) {
  const Program program = small_program();
  const std::vector<std::uint8_t> bytes = to_bytes(program);
  const Program read = program_from_bytes(bytes);
  EXPECT_EQ(to_bytes(read), bytes);
  EXPECT_EQ(to_text(read), to_text(program));
  const Integers input{3, 1, 2};
  EXPECT_EQ(ClearProgram(read).run({&input, 1}), ClearProgram(program).run({&input, 1}));
  for (std::size_t cut = 0; cut < bytes.size(); ++cut)
    EXPECT_THROW(program_from_bytes(std::span(bytes).first(cut)), base::InputError) << cut;
}

template <class Change>
void expect_refusal(const Change& change, const char* why, Program program = small_program()) {
  change(program);
  EXPECT_THAT([&] { verify(program); }, ThrowsMessage<base::InternalError>(HasSubstr(why)));
}

TEST(IntegerProgram, IsRefusedWhereItDoesNotFit) {
  expect_refusal([](Program& p) { p.bits = 11; }, "tables of 11 bits");
  expect_refusal([](Program& p) { std::get<Lookup>(p.instructions[2].operation).input = 2; }, "before its use");
  expect_refusal([](Program& p) { std::get<Lookup>(p.instructions[2].operation).tables[0].pop_back(); },
                 "another size than the boxes");
  expect_refusal([](Program& p) { std::get<Lookup>(p.instructions[2].operation).tables[0][3] = 8; },
                 "outside the interval");
  expect_refusal(
      [](Program& p) {
        std::get<Lookup>(p.instructions[2].operation).table_of = {0, 1};
      },
      "a table that it does not have");
  expect_refusal([](Program& p) { p.instructions[1].highest = 16; }, "wider than the message space");
  expect_refusal([](Program& p) { p.instructions[0].step = p.instructions[1].step - 1; }, "smaller step");
  expect_refusal([](Program& p) { p.instructions[1].shape = {1, 3}; }, "another size than its tensors");
  expect_refusal([](Program& p) { p.instructions[3].lowest = p.instructions[3].highest + 1; }, "interval is empty");
  expect_refusal([](Program& p) { p.log_tables = 9; }, "2^9 tables share");
  expect_refusal([](Program& p) { std::get<Lookup>(p.instructions[3].operation).argument_of.pop_back(); },
                 "give every element an argument", sharing_program(1));
  expect_refusal([](Program& p) { std::get<Lookup>(p.instructions[3].operation).argument_of[1] = 2; },
                 "an argument that its operand does not have", sharing_program(1));
  expect_refusal([](Program& p) { std::get<Round>(p.instructions[2].operation).dropped = 0; }, "no number of bits",
                 rounding_program());
  expect_refusal([](Program& p) { std::get<Round>(p.instructions[2].operation).dropped = 3; }, "the bits it drops",
                 rounding_program());
  expect_refusal([](Program& p) { p.instructions[2].highest = 10; }, "does not hold what it rounds",
                 rounding_program());
  expect_refusal(
      [](Program& p) {
        p.instructions[0].step = p.instructions[1].step = 0;
        p.instructions[2].step = 2;
      },
      "no room below the bits", rounding_program());
}

TEST(IntegerClient, QuantisesAndRefusesWhatLiesOutside) {
  ClientInput input{
      .name = "x",
      .shape = {1, 2},
      .step = 59,
      .quantiser = {layout::RepeatedReals(std::vector<double>{0.5, 2}, 1), layout::RepeatedReals(-1), 0, 7},
      .saturates = false};
  EXPECT_THAT(quantise(input, std::vector<double>{-1, 13}), ElementsAre(0, 7));
  EXPECT_THAT(quantise(input, std::vector<double>{0.3, 0.2}), ElementsAre(3, 1));
  EXPECT_THAT(
      [&] {
        quantise(input, std::vector<double>{0, 14.5});
      },
      ThrowsMessage<base::InputError>(HasSubstr("input 'x', element 1")));
  EXPECT_THROW(quantise(input, std::vector<double>{0}), base::InputError);
  EXPECT_THROW(quantise(input, std::vector<double>{0, std::nan("")}), base::InputError);
  input.saturates = true;
  EXPECT_THAT(quantise(input, std::vector<double>{-9, 99}), ElementsAre(0, 7));
  EXPECT_THAT(elements_beyond(input, std::vector<double>{-9, 99}), ElementsAre(0, 1));
  EXPECT_THAT(elements_beyond(input, std::vector<double>{-1.2, 14.1}), ElementsAre(1));
  EXPECT_THAT(elements_beyond(input, std::vector<double>{-1.2, 13.9}), ElementsAre());
  EXPECT_THROW(quantise(input, std::vector<double>{0, std::nan("")}), base::InputError);
}

TEST(IntegerClient, InterfaceTravelsAsBytes) {
  ClientInterface interface;
  interface.inputs.push_back({"x", {1, 2}, 59, {layout::RepeatedReals(0.5), layout::RepeatedReals(-1), 0, 7}, true});
  interface.outputs.push_back({"y", {1, 1}, 58, {layout::RepeatedReals(0.25), layout::RepeatedReals(3), -5, 5}});
  const std::vector<std::uint8_t> bytes = to_bytes(interface);
  const ClientInterface read = client_interface_from_bytes(bytes);
  EXPECT_EQ(to_bytes(read), bytes);
  EXPECT_THAT(dequantise(read.outputs[0], Integers{4}), ElementsAre(4));
  EXPECT_THAT([&] { dequantise(read.outputs[0], Integers{6}); },
              ThrowsMessage<base::InputError>(HasSubstr("output 'y', element 0")));
  for (std::size_t cut = 0; cut < bytes.size(); ++cut)
    EXPECT_THROW(client_interface_from_bytes(std::span(bytes).first(cut)), base::InputError) << cut;
}

}  // namespace
}  // namespace tacit::integers
