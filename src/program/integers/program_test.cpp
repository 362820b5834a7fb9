#include "program/integers/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/private_value.h"
#include "base/refusal_for_test.h"
#include "layout/operators/matrix.h"
#include "program/integers/client_interface.h"
#include "program/integers/drawing.h"
#include "program/integers/noise.h"
#include "program/integers/serialize.h"
#include "program/integers/small_program_for_test.h"
#include "program/integers/weight_rows.h"

namespace tacit::integers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(IntegerProgram, EveryOperationHasItsName) {
  EXPECT_STREQ(mnemonic(Input{}), "input");
  EXPECT_STREQ(mnemonic(Linear{}), "linear");
  EXPECT_STREQ(mnemonic(Lookup{}), "lookup");
  EXPECT_STREQ(mnemonic(Round{}), "round");
  EXPECT_STREQ(mnemonic(Output{}), "output");
  EXPECT_STREQ(mnemonic(program::Validate{}), "validate");
}

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

/// A set makes tables of its own bits and more.
TEST(IntegerProgram, ParametersOfMoreBitsThanTablesAreRefused) {
  const Program program = small_program();
  const auto of_bits = [](int bits) {
    return params::TfheParameters::check(params::named_tfhe_literal("T" + std::to_string(bits)));
  };
  EXPECT_NO_THROW(require_holds(program, of_bits(4)));
  EXPECT_THAT([&] { require_holds(program, of_bits(6)); },
              ThrowsMessage<base::InputError>(HasSubstr("tables have 4 bits, and parameter set 'T6' is made for 6")));
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

/// Bootstraps draw nothing: two of one argument and one table are one ciphertext, wherever they stand.
TEST(IntegerProgram, NoiseOfCopiesAddsUp) {
  const auto matrix = [](std::int64_t columns, std::int64_t rows, std::vector<double> weights) {
    return std::make_shared<layout::Contraction>(layout::Contraction::dense({1, columns}, rows, std::move(weights)));
  };
  const auto norm_of = [&](std::vector<double> sums, std::vector<std::int64_t> bias,
                           std::vector<std::uint32_t> table_of) {
    Program program = small_program();
    program.instructions[1].operation = Linear{{{0, matrix(3, 4, std::move(sums))}}, std::move(bias)};
    program.instructions[1].shape = program.instructions[2].shape = {1, 4};
    auto& lookup = std::get<Lookup>(program.instructions[2].operation);
    lookup.tables.push_back(lookup.tables[0]);
    lookup.tables.push_back(lookup.tables[0]);
    lookup.tables[2][3] = 7;
    lookup.table_of = std::move(table_of);
    program.instructions[3].operation = Linear{{{2, matrix(4, 1, {1, 2, 3, 4})}}, {}};
    verify(program);
    return noise_norms(program)[3].bootstraps;
  };
  const std::vector<double> rows{1, 2, -1, 1, 2, -1, 0, 0, 3, 1, 2, -1};
  const std::vector<std::int64_t> bias{4, 4, 4, 4};
  EXPECT_DOUBLE_EQ(norm_of({1, 2, -1, 1, 2, 0, 0, 0, 3, 1, 1, -1}, bias, {0, 0, 0, 0}), std::sqrt(1.0 + 4 + 9 + 16));
  EXPECT_DOUBLE_EQ(norm_of(rows, bias, {0, 0, 0, 0}), std::hypot(1 + 2 + 4, 3));
  EXPECT_DOUBLE_EQ(norm_of(rows, bias, {0, 1, 0, 2}), std::sqrt(9.0 + 9 + 16)) << "tables 0 and 1 are equal, 2 is none";
  EXPECT_DOUBLE_EQ(norm_of(rows, {4, 3, 4, 4}, {0, 0, 0, 0}), std::sqrt(25.0 + 4 + 9)) << "another constant";
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

TEST(IntegerClient, SentencesStateTheValueAndTheRangeWhereTheyMay) {
  const ClientInput input{
      .name = "x",
      .shape = {1, 2},
      .step = 59,
      .quantiser = {layout::RepeatedReals(std::vector<double>{0.5, 2}, 1), layout::RepeatedReals(-1), 0, 7},
      .saturates = false};
  const ClientOutput output{"y", {1, 2}, 58, {layout::RepeatedReals(0.25), layout::RepeatedReals(3), -5, 5}};
  const auto beyond = [&] { quantise(input, std::vector<double>{0, 14.5}); };
  const auto first = [&] { quantise(input, std::vector<double>{-1.5, 0}); };
  const auto high = [&] { dequantise(output, Integers{0, 6}); };
  const auto low = [&] { dequantise(output, Integers{-6, 0}); };
  EXPECT_THAT(beyond, ThrowsMessage<base::InputError>(HasSubstr(
                          "input 'x', element 1: a private value (--verbose shows it) lies outside [-1, 13]")));
  EXPECT_THAT(high, ThrowsMessage<base::InputError>(HasSubstr(
                        "output 'y', element 1: a private value (--verbose shows it) lies outside [1.75, 4.25]")));
  base::show_private_values(true);
  EXPECT_THAT(beyond, ThrowsMessage<base::InputError>(HasSubstr("element 1: 14.5 lies outside [-1, 13]")));
  EXPECT_THAT(first, ThrowsMessage<base::InputError>(HasSubstr("element 0: -1.5 lies outside [-1, 2.5]")));
  EXPECT_THAT(high, ThrowsMessage<base::InputError>(HasSubstr("element 1: 4.5 lies outside [1.75, 4.25]")));
  EXPECT_THAT(low, ThrowsMessage<base::InputError>(HasSubstr("element 0: 1.5 lies outside [1.75, 4.25]")));
  base::show_private_values(false);
  EXPECT_THAT(dequantise(output, Integers{-5, 5}), ElementsAre(1.75, 4.25));
  // Half a step beyond either end counts as that end.
  EXPECT_THAT(quantise(input, std::vector<double>{-1.25, 14}), ElementsAre(0, 7));
  EXPECT_THAT(quantise(input, std::vector<double>{2.75, -2}), ElementsAre(7, 0));
}

// Shapes cost a file nothing.
TEST(IntegerProgram, ElementsOfATensorAndOfAllAreBounded) {
  const auto excess = [](const std::vector<layout::Index>& sizes) {
    Program program{"large", 1, {}};
    for (const layout::Index size : sizes)
      program.instructions.push_back({Input{"x"}, {size}, kMessageBits - 1, 0, 1, true, "", ""});
    return size_excess(program);
  };
  const layout::Index most = 1 << 22;
  EXPECT_EQ(excess({most, most, most, most}), std::nullopt);
  EXPECT_EQ(excess({1, most + 1}), "a tensor has 4194305 ciphertexts, more than 4194304");
  EXPECT_EQ(excess({most, most, most, most, 1}), "its tensors have more than 16777216 ciphertexts together");
}

TEST(IntegerProgram, WeightsOfAnInstructionAreCountedOverItsTerms) {
  const auto row = [](std::vector<double> weights) {
    const auto columns = static_cast<layout::Index>(weights.size());
    return std::make_shared<layout::Contraction>(layout::Contraction::dense({1, columns}, 1, std::move(weights)));
  };
  const Operation both = Linear{{{0, row({1, 2, 3})}, {1, row({4, 5})}}, {}};
  EXPECT_EQ(count_weights(both, 5), 5u);
  EXPECT_THAT([&] { count_weights(both, 4); },
              ThrowsMessage<base::InternalError>(HasSubstr("a linear instruction has more than 4 weights")));
  EXPECT_EQ(count_weights(Operation(Lookup{}), 0), 0u);
  const double largest = 2147483647;
  EXPECT_EQ(count_weights(Linear{{{0, row({largest, -largest})}}, {}}, 2), 2u);
  for (const double wrong : {0.5, largest + 1, -largest - 1})
    EXPECT_THAT(
        [&] {
          count_weights(Linear{{{0, row({wrong})}}, {}}, 2);
        },
        ThrowsMessage<base::InternalError>(HasSubstr("no whole number of 32 bits")));
}

TEST(IntegerProgram, ItsTextSaysWhatEveryInstructionDoes) {
  const auto step = [](int below) { return " step 2^" + std::to_string(kMessageBits - below); };
  EXPECT_EQ(to_text(small_program()),
            "program \"small\" of tables of 4 bits\n"
            "%0 = input : [1, 3] in 0..3" +
                step(4) +
                "  # x\n"
                "%1 = linear %0 : [1, 2] in 0..9" +
                step(4) +
                "  # sums\n"
                "%2 = lookup %1 through 1 table : [1, 2] in 0..7" +
                step(5) +
                "  # squares\n"
                "%3 = linear %2 : [1, 1] in -7..7" +
                step(5) +
                "  # difference\n"
                "%4 = output %3 : [1, 1] in -7..7" +
                step(5) + "  # y\n");
  Program sampled = small_program();
  sampled.instructions[1].exact = false;
  EXPECT_THAT(to_text(sampled), HasSubstr("in 0..9" + step(4) + " by samples  # sums\n"));
  Program narrow = small_program();
  narrow.bits = 2;
  EXPECT_THAT(to_text(narrow), HasSubstr("through 1 table, rounded : [1, 2]"));
  EXPECT_THAT(to_text(rounding_program()),
              HasSubstr("%2 = round %1 by 2 bits : [1, 2] in 1..11" + step(4) + "  # sums\n"));
  EXPECT_THAT(to_text(sharing_program(1)), HasSubstr("of tables of 4 bits\n2^1 tables share a bootstrap\n%0 = input"));
  const std::string sharing = to_text(sharing_program(3));
  EXPECT_THAT(sharing, HasSubstr("of tables of 4 bits\n2^3 tables share a bootstrap\n%0 = input"));
  EXPECT_THAT(sharing, HasSubstr("%3 = lookup %1 through 3 tables : [1, 3]"));
}

TEST(IntegerProgram, EveryInstructionFitsItsOperands) {
  const auto lookup = [](Program& p) -> Lookup& { return std::get<Lookup>(p.instructions[2].operation); };
  expect_refusal([](Program& p) { p.bits = 0; }, "tables of 0 bits");
  expect_refusal([](Program& p) { p.log_tables = -1; }, "2^-1 tables share");
  expect_refusal([](Program& p) { std::get<Linear>(p.instructions[1].operation).terms.clear(); }, "it has no term");
  for (const std::size_t size : {1, 3})
    expect_refusal([&](Program& p) { std::get<Linear>(p.instructions[1].operation).bias.resize(size); },
                   "the bias is of another size");
  expect_refusal([](Program& p) { p.instructions[0].shape = {1, 4}; }, "another size than its tensors");
  expect_refusal([](Program& p) { p.instructions[2].shape = {1, 3}; }, "another number of elements than it reads");
  expect_refusal([&](Program& p) { lookup(p).tables.clear(); }, "it has no table");
  expect_refusal([&](Program& p) { lookup(p).tables.push_back(lookup(p).tables[0]); }, "give every element a table");
  expect_refusal([&](Program& p) { lookup(p).table_of = {0}; }, "give every element a table");
  expect_refusal([&](Program& p) { lookup(p).tables[0][3] = -1; }, "outside the interval");
  expect_refusal([&](Program& p) { lookup(p).tables[0].push_back(0); }, "another size than the boxes");
  expect_refusal([](Program& p) { p.instructions[4].shape = {1, 2}; }, "it is of another size");
  expect_refusal([](Program& p) { --p.instructions[4].step; }, "its step is smaller than its operand's");
  expect_refusal([](Program& p) { p.instructions[0].step = kMessageBits; }, "its step is outside the torus");
  expect_refusal([](Program& p) { p.instructions[0].step = -1; }, "its step is outside the torus");
  expect_refusal(
      [](Program& p) {
        p.instructions.push_back({Output{4, "z"}, {1, 1}, kMessageBits - 5, -7, 7, true, "", ""});
      },
      "an operand is no value");
  expect_refusal(
      [](Program& p) {
        p.instructions[2].shape = {1, 1};
      },
      "another number of elements than it reads", rounding_program());
  expect_refusal([](Program& p) { ++p.instructions[2].step; }, "the bits it drops", rounding_program());
  expect_refusal([](Program& p) { p.instructions[2].lowest = 2; }, "does not hold what it rounds", rounding_program());
  const auto takes = [&](const auto& change) {
    Program program = small_program();
    change(program);
    EXPECT_NO_THROW(verify(program));
  };
  takes([&](Program& p) { lookup(p).table_of = {0, 0}; });
  takes([](Program& p) { p.instructions[1].highest = 15; });  // as many as there are boxes
  takes([](Program& p) { p.instructions[4].step = kMessageBits - 1; });
  takes([](Program& p) { std::get<Linear>(p.instructions[1].operation).bias.clear(); });
  takes([&](Program& p) { lookup(p).tables[0].assign(16, 7); });
}

TEST(IntegerProgram, IsExactWhereNothingIsRounded) {
  EXPECT_TRUE(is_exact(small_program()));
  Program narrow = small_program();
  narrow.bits = 3;
  EXPECT_FALSE(is_exact(narrow));
  Program read_out = small_program();
  ++read_out.instructions[4].step;
  EXPECT_FALSE(is_exact(read_out));
  EXPECT_EQ(lookups(small_program()), 2u);
  EXPECT_EQ(lookups(sharing_program(0)), 5u);
  Instruction operand = small_program().instructions[0];
  for (const auto& [lowest, highest, bits] : {std::tuple(0, 0, 0), {0, 1, 1}, {-1, 2, 2}, {0, 4, 3}, {-8, 7, 4}}) {
    operand.lowest = lowest;
    operand.highest = highest;
    EXPECT_EQ(argument_bits(operand), bits) << lowest << " " << highest;
  }
}

// Of steps of an eighth of the messages there are eight.
TEST(IntegerProgram, ArgumentsOfStepsAboveTheBoxesFillTheMessageSpaceAtMost) {
  Program program = small_program();
  program.instructions[0].step = program.instructions[1].step = kMessageBits - 3;
  program.instructions[1].highest = 7;
  EXPECT_NO_THROW(verify(program));
  EXPECT_TRUE(is_exact(program));
  EXPECT_EQ(first_centre(program, std::get<Lookup>(program.instructions[2].operation)), 0);
  expect_refusal([](Program& p) { p.instructions[1].highest = 8; }, "wider than the message space", program);
}

TEST(IntegerProgram, BoundsOfFieldsInAFileAreWhereTheySay) {
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  const auto objection = [](const auto& change) -> std::string {
    Program program{"bounds", 4, {}};
    program.instructions.push_back({Input{"x"}, {1}, 0, 0, 3, true, "x", ""});
    change(program);
    return base::refusal([&] { program_from_bytes(to_bytes(program)); });
  };
  for (const int bits : {1, 10}) EXPECT_EQ(objection([&](Program& p) { p.bits = bits; }), base::kNotRefused);
  for (const int bits : {0, 11})
    EXPECT_THAT(objection([&](Program& p) { p.bits = bits; }), HasSubstr("the bits of tables"));
  for (const int tables : {0, 8}) EXPECT_EQ(objection([&](Program& p) { p.log_tables = tables; }), base::kNotRefused);
  for (const int tables : {-1, 9})
    EXPECT_THAT(objection([&](Program& p) { p.log_tables = tables; }), HasSubstr("the tables that share a bootstrap"));
  for (const int step : {0, 62})
    EXPECT_EQ(objection([&](Program& p) { p.instructions[0].step = step; }), base::kNotRefused);
  for (const int step : {-1, 63})
    EXPECT_THAT(objection([&](Program& p) { p.instructions[0].step = step; }), HasSubstr("the step of a value"));
  const auto interval = [&](std::int64_t lowest, std::int64_t highest) {
    return objection([&](Program& p) {
      p.instructions[0].lowest = lowest;
      p.instructions[0].highest = highest;
    });
  };
  EXPECT_EQ(interval(-kMost, kMost), base::kNotRefused);
  EXPECT_EQ(interval(2, 2), base::kNotRefused);
  EXPECT_THAT(interval(-kMost - 1, 0), HasSubstr("the lowest integer of a value"));
  EXPECT_THAT(interval(0, kMost + 1), HasSubstr("the highest integer of a value"));
  EXPECT_THAT(interval(2, 1), HasSubstr("the highest integer of a value"));
  for (const bool exact : {true, false}) {
    Program program = small_program();
    program.instructions[1].exact = exact;
    EXPECT_EQ(program_from_bytes(to_bytes(program)).instructions[1].exact, exact);
  }
}

TEST(IntegerProgram, ARoundingDropsFewerBitsThanAMessageHas) {
  expect_refusal([](Program& p) { std::get<Round>(p.instructions[2].operation).dropped = kMessageBits; },
                 "it drops no number of bits", rounding_program());
  expect_refusal([](Program& p) { std::get<Round>(p.instructions[2].operation).dropped = kMessageBits - 1; },
                 "the bits it drops", rounding_program());
}

}  // namespace
}  // namespace tacit::integers
