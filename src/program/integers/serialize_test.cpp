#include "program/integers/serialize.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "base/refusal_for_test.h"
#include "program/integers/small_program_for_test.h"

namespace tacit::integers {
namespace {

using ::testing::HasSubstr;

// The numbers of the kinds are part of the format: a program of an earlier build is read by the next one.
TEST(IntegerFiles, KindsOfOperationsHaveTheirNumbers) {
  const auto kind_of = [](const Operation& operation) {
    Program program{"p", 4, {}};
    const std::size_t before = to_bytes(program).size();
    program.instructions.push_back({operation, {1}, 0, 0, 1, true, "", ""});
    return static_cast<int>(to_bytes(program).at(before));
  };
  EXPECT_EQ(kind_of(Input{"x"}), 1);
  EXPECT_EQ(kind_of(Linear{}), 2);
  EXPECT_EQ(kind_of(Lookup{}), 3);
  EXPECT_EQ(kind_of(Output{}), 4);
  EXPECT_EQ(kind_of(Round{}), 5);
}

TEST(IntegerFiles, RoundingDropsOneBitUpToAllOfAMessage) {
  const auto objection = [](int dropped) {
    Program program = rounding_program();
    std::get<Round>(program.instructions[2].operation).dropped = dropped;
    program.instructions[2].step = program.instructions[1].step + 1;
    program.instructions[2].lowest = 2;
    program.instructions[2].highest = 21;
    return base::refusal([&] { program_from_bytes(to_bytes(program)); });
  };
  EXPECT_EQ(objection(1), base::kNotRefused);
  for (const int dropped : {0, 63})
    EXPECT_THAT(objection(dropped),
                HasSubstr(fmt::format("the bits that are rounded off is {}, outside 1 to 62", dropped)));
  EXPECT_THAT(objection(62), HasSubstr("its step is not its operand's and the bits it drops"));
}

TEST(IntegerFiles, AnInstructionReadsWhatStandsBeforeIt) {
  for (const ValueId operand : {3U, 4U, 5U}) {
    Program program = small_program();
    std::get<Output>(program.instructions[4].operation).input = operand;
    const std::string refusal = base::refusal([&] { program_from_bytes(to_bytes(program)); });
    if (operand == 3)
      EXPECT_EQ(refusal, base::kNotRefused);
    else
      EXPECT_THAT(refusal, HasSubstr("an instruction reads a value that is not made before it"));
  }
}

TEST(IntegerFiles, TablesAndArgumentsOfElementsAreThoseThatThereAre) {
  const auto objection = [](const auto& change) {
    Program program = sharing_program(1);
    change(std::get<Lookup>(program.instructions[3].operation));
    return base::refusal([&] { program_from_bytes(to_bytes(program)); });
  };
  EXPECT_EQ(objection([](Lookup& lookup) { lookup.table_of = {2, 2, 2}; }), base::kNotRefused);
  EXPECT_THAT(objection([](Lookup& lookup) {
                lookup.table_of = {2, 3, 2};
              }),
              HasSubstr("an element takes a table that is not there"));
  EXPECT_EQ(objection([](Lookup& lookup) { lookup.argument_of = {1, 1, 0}; }), base::kNotRefused);
  EXPECT_THAT(objection([](Lookup& lookup) {
                lookup.argument_of = {1, 2, 0};
              }),
              HasSubstr("it names an argument that its operand does not have"));
  EXPECT_THAT(objection([](Lookup& lookup) {
                lookup.argument_of = {1, 1 << 22, 0};
              }),
              HasSubstr("an element reads an argument that is not there"));
}

TEST(IntegerFiles, ARoundingHasRoomForOneBitBelow) {
  const auto objection = [](int step) {
    Program program = rounding_program();
    program.instructions[0].step = program.instructions[1].step = step;
    program.instructions[2].step = step + 2;
    return base::refusal([&] { program_from_bytes(to_bytes(program)); });
  };
  EXPECT_EQ(objection(1), base::kNotRefused);
  EXPECT_THAT(objection(0), HasSubstr("there is no room below the bits that it drops"));
}

// What is announced is read where so many bytes follow an item: 40 an instruction, 20 a term and 8 a table.
TEST(IntegerFiles, AnnouncedItemsArePaidFor) {
  const auto objection = [](const std::vector<std::uint8_t>& begun, std::size_t zeros) {
    std::vector<std::uint8_t> bytes = to_bytes(Program{"", 4, {}});
    EXPECT_EQ(bytes.size(), 32U);  // the last eight count the instructions
    bytes.at(24) = 1;
    for (const std::uint8_t byte : begun) bytes.push_back(byte);
    bytes.resize(bytes.size() + zeros);
    return base::refusal([&] { program_from_bytes(bytes); });
  };
  EXPECT_THAT(objection({}, 39), HasSubstr("1 items are announced, more than follow (byte 32 of 71)"));
  EXPECT_THAT(objection({}, 40), HasSubstr("an instruction is of an unknown kind"));
  const std::vector<std::uint8_t> sum_of_two{2, 2, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_THAT(objection(sum_of_two, 39), HasSubstr("2 items are announced, more than follow (byte 41 of 80)"));
  EXPECT_THAT(objection(sum_of_two, 40), HasSubstr("a linear operator is of an unknown kind"));
  const std::vector<std::uint8_t> lookup_in_four{3, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_THAT(objection(lookup_in_four, 31), HasSubstr("4 items are announced, more than follow (byte 45 of 76)"));
  // Three empty tables of nine bytes each, and one that breaks off.
  EXPECT_THAT(objection(lookup_in_four, 32), HasSubstr("truncated, 4 more bytes expected (byte 73 of 77)"));
}

}  // namespace
}  // namespace tacit::integers
