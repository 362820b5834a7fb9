#include "program/integers/bootstraps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "base/error.h"
#include "program/integers/clear_program.h"
#include "program/integers/noise.h"
#include "program/integers/serialize.h"
#include "program/integers/small_program_for_test.h"

namespace tacit::integers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// Squares count twice: their step is twice as large.
std::int64_t sum_of_tables(std::int64_t a, std::int64_t b) {
  return 2 * (a * a % 8 + b * b % 8) + 3 * b % 8 + (a + 1) % 8 + (b + 2) % 8;
}

TEST(IntegerBootstraps, TablesOfOneArgumentShareBootstraps) {
  using ::testing::IsEmpty;
  // a: its square and a + 1; b: its square, 3 b, b + 2.
  for (const auto& [log_tables, at_first, at_second] : {std::tuple{0, 2u, 3u}, {1, 3u, 0u}, {2, 2u, 0u}, {8, 2u, 0u}}) {
    const Program program = sharing_program(log_tables);
    verify(program);
    EXPECT_THAT(bootstrap_counts(program), ElementsAre(0, 0, at_first, at_second, 0, 0)) << log_tables;
    EXPECT_EQ(bootstraps(program), at_first + at_second);
    EXPECT_EQ(lookups(program), 5u);
    EXPECT_EQ(Makers(program).of(3), log_tables == 0 ? 3u : 2u);
    EXPECT_EQ(Makers(program).lookups(2).size(), log_tables == 0 ? 1u : 2u);
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
  const Program two = sharing_program(1);
  const Bootstraps of_two = bootstraps_at(two, Makers(two), 2);
  ASSERT_EQ(of_two.count(), 3u);
  EXPECT_EQ(of_two.arguments[0], 0u);
  EXPECT_EQ(of_two.arguments[1], 1u);
  EXPECT_EQ(of_two.arguments[2], 1u);
  ASSERT_EQ(of_two.made(1).size(), 2u);
  EXPECT_EQ(of_two.made(1)[0].lookup, 2u);
  EXPECT_EQ(of_two.made(1)[1].lookup, 3u);
  EXPECT_EQ(of_two.made(1)[1].element, 0u);
  EXPECT_EQ(of_two.made(2)[0].element, 2u);
  EXPECT_THAT(log_rooms(sharing_program(0)), ElementsAre(0, 0, 0, 0, 0, 0));
  EXPECT_THAT(log_rooms(sharing_program(1)), ElementsAre(0, 0, 1, 1, 0, 0));
  EXPECT_THAT(log_rooms(sharing_program(8)), ElementsAre(0, 0, 2, 2, 0, 0));  // three tables take the room of four
}

TEST(IntegerBootstraps, SharedBootstrapsHaveOneErrorAndMoreNoise) {
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

/// `count` lookups of an input of so many elements, each of all of them, or of the first alone.
Program many_lookups(std::size_t count, layout::Index operand, bool whole) {
  Program program{"many", 1, {}, 1};
  program.instructions.push_back({Input{"x"}, {operand}, kMessageBits - 1, 0, 1, true, "", ""});
  for (std::size_t i = 0; i < count; ++i) {
    Lookup lookup{0, {{0, 1}}};
    if (!whole) lookup.argument_of = {0};
    program.instructions.push_back({std::move(lookup), {whole ? operand : 1}, kMessageBits - 1, 0, 1, true, "", ""});
  }
  const Instruction last = program.instructions.back();
  program.instructions.push_back({Output{static_cast<ValueId>(count), "y"}, last.shape, last.step, 0, 1, true, "", ""});
  return program;
}

/// Once every lookup looked at all instructions and all elements of its operand: 4 10^10 steps here.
TEST(IntegerBootstraps, ManyLookupsTakeTimeByWhatTheyLookUp) {
  for (const int log_tables : {0, 1, 8}) {
    Program program = many_lookups(10'000, 1 << 22, false);
    program.log_tables = log_tables;
    const Program read = program_from_bytes(to_bytes(program));
    EXPECT_EQ(bootstraps(read), log_tables == 0 ? 10'000u : log_tables == 1 ? 5'000u : 40u);
    EXPECT_EQ(log_rooms(read)[1], log_tables);
    const Makers makers(read);
    std::size_t count = 0;
    for (ValueId id = 0; id < read.instructions.size(); ++id) count += bootstraps_at(read, makers, id).count();
    EXPECT_EQ(count, bootstraps(read));
  }
}

/// Shapes cost a file nothing, and lookups of one operand are held together.
TEST(IntegerBootstraps, ElementsOfAProgramAreBounded) {
  EXPECT_EQ(program_from_bytes(to_bytes(many_lookups(2, 1 << 22, true))).instructions.size(), 4u);
  EXPECT_THAT([] { program_from_bytes(to_bytes(many_lookups(1'000, 1 << 22, true))); },
              ThrowsMessage<base::InputError>(HasSubstr("more than 16777216 ciphertexts together")));
}

// Element 0 of the operand is read by lookup 2 and element 1 of lookup 3, element 1 by lookup 2 and the others of 3.
TEST(IntegerBootstraps, EverySetOfTablesIsNamedOnce) {
  using TableOf = Bootstraps::TableOf;
  using Tables = std::vector<TableOf>;
  const Program two = sharing_program(1);
  const Bootstraps shared = bootstraps_at(two, Makers(two), 2);
  EXPECT_THAT(shared.arguments, ElementsAre(0, 1, 1));
  EXPECT_THAT(shared.begin, ElementsAre(0, 2, 4, 5));
  EXPECT_EQ(shared.sets, (std::vector<Tables>{{TableOf{2, 0}, {3, 1}}, {TableOf{2, 0}, {3, 0}}, {TableOf{3, 2}}}));
  EXPECT_THAT(shared.set_of, ElementsAre(0, 1, 2));
  // Alone, both elements of lookup 2 take its one table.
  const Program alone = sharing_program(0);
  const Bootstraps first = bootstraps_at(alone, Makers(alone), 2), second = bootstraps_at(alone, Makers(alone), 3);
  EXPECT_EQ(first.sets, (std::vector<Tables>{{TableOf{2, 0}}}));
  EXPECT_THAT(first.set_of, ElementsAre(0, 0));
  EXPECT_THAT(second.arguments, ElementsAre(0, 1, 1));
  EXPECT_EQ(second.sets, (std::vector<Tables>{{TableOf{3, 1}}, {TableOf{3, 0}}, {TableOf{3, 2}}}));
  EXPECT_THAT(second.set_of, ElementsAre(0, 1, 2));
  EXPECT_EQ(bootstraps_at(two, Makers(two), 3).count(), 0U) << "made at the turn of the first";
}

TEST(IntegerBootstraps, ALookupHasTheRoomOfItsOwnBootstraps) {
  Program program = many_lookups(4, 2, false);
  std::get<Lookup>(program.instructions[3].operation).argument_of = {1};
  // Two of the first element share a bootstrap; the third one of it and the one of the other element have none to
  // share.
  program.log_tables = 1;
  EXPECT_THAT(log_rooms(program), ElementsAre(0, 1, 1, 0, 0, 0));
  EXPECT_THAT(bootstrap_counts(program), ElementsAre(0, 3, 0, 0, 0, 0));
  program.log_tables = 2;
  EXPECT_THAT(log_rooms(program), ElementsAre(0, 2, 2, 0, 2, 0));
  EXPECT_THAT(bootstrap_counts(program), ElementsAre(0, 2, 0, 0, 0, 0));
}

TEST(IntegerBootstraps, NamesAreTheFirstUnlessTheySay) {
  EXPECT_EQ(LookedUp{}.lookup, 0U);
  EXPECT_EQ(LookedUp{}.element, 0U);
  EXPECT_EQ(Bootstraps::TableOf{}, (Bootstraps::TableOf{0, 0}));
  EXPECT_EQ(Bootstraps{}.count(), 0U);
  const Instruction made{.operation = Input{"x"}, .shape = {1}, .node = "", .source = ""};
  EXPECT_EQ(made.lowest, 0);
  EXPECT_EQ(made.highest, 0);
  EXPECT_EQ(Program{}.bits, 0);
  EXPECT_EQ(LinearTerm{}.input, 0U);
  EXPECT_EQ(Lookup{}.input, 0U);
  EXPECT_EQ(Round{}.input, 0U);
  EXPECT_EQ(Output{}.input, 0U);
}

}  // namespace
}  // namespace tacit::integers
