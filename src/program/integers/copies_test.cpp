#include "program/integers/copies.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "program/integers/small_program_for_test.h"

namespace tacit::integers {
namespace {

using Classes = std::vector<std::uint32_t>;

/// Sums of x0, x1 and x2: these rows of weights, and a bias.
Program sums(const std::vector<double>& weights, std::vector<std::int64_t> bias) {
  Program program = small_program();
  const auto rows = static_cast<std::int64_t>(weights.size() / 3);
  program.instructions.resize(2);
  program.instructions[1].operation = Linear{
      {{0, std::make_shared<layout::Contraction>(layout::Contraction::dense({1, 3}, rows, weights))}}, std::move(bias)};
  program.instructions[1].shape = {1, rows};
  return program;
}

TEST(IntegerCopies, ARowThatPicksAnElementIsThatElement) {
  const std::vector<double> rows{0, 0, 1, 1, 0, 0, 2, 0, 0, 1, 1, 0, 1, 1, 0, -1, 0, 0};
  for (const std::vector<std::int64_t>& bias :
       {std::vector<std::int64_t>{}, std::vector<std::int64_t>{0, 0, 0, 0, 0, 0}}) {
    const std::vector<Classes> found = copies(sums(rows, bias));
    const Classes &x = found[0], &sum = found[1];
    ASSERT_EQ(x.size(), 3u);
    ASSERT_EQ(sum.size(), 6u);
    EXPECT_NE(x[0], x[1]);
    EXPECT_NE(x[1], x[2]);
    EXPECT_EQ(sum[0], x[2]);
    EXPECT_EQ(sum[1], x[0]);
    EXPECT_EQ(sum[3], sum[4]);
    for (const std::size_t other : {2, 3, 5})
      for (const std::uint32_t of : x) EXPECT_NE(sum[other], of) << other;
    EXPECT_NE(sum[2], sum[5]);
  }
}

TEST(IntegerCopies, SumsOfOtherConstantsAreOthers) {
  const std::vector<Classes> found = copies(sums({0, 0, 1, 1, 1, 0, 1, 1, 0, 1, 1, 0}, {1, 0, 2, 2}));
  const Classes &x = found[0], &sum = found[1];
  EXPECT_NE(sum[0], x[2]);
  EXPECT_NE(sum[1], sum[2]);
  EXPECT_EQ(sum[2], sum[3]);
}

TEST(IntegerCopies, LookupsOfEqualArgumentsAndTablesAreEqual) {
  Program program = sums({1, 0, 0, 1, 0, 0, 0, 1, 0}, {});
  const std::vector<std::int64_t> squares = std::get<Lookup>(small_program().instructions[2].operation).tables[0];
  std::vector<std::int64_t> others = squares;
  others.back() += 1;
  Instruction made = small_program().instructions[2];
  made.shape = {1, 3};
  // The same table, twice, and another one.
  made.operation = Lookup{1, {squares, squares, others}, {0, 1, 0}};
  program.instructions.push_back(made);
  made.operation = Lookup{1, {squares, others}, {0, 1, 1}};
  program.instructions.push_back(made);
  // The same numbers a step lower are other words.
  --made.step;
  made.operation = Lookup{1, {squares}, {}};
  program.instructions.push_back(made);
  const std::vector<Classes> found = copies(program);
  const Classes &first = found[2], &second = found[3], &lower = found[4];
  EXPECT_EQ(first[0], first[1]);
  EXPECT_NE(first[0], first[2]);
  EXPECT_EQ(second[0], first[0]);
  EXPECT_NE(second[1], first[1]);
  EXPECT_NE(second[1], second[2]);
  EXPECT_EQ(lower[0], lower[1]);
  EXPECT_NE(lower[0], first[0]);
  EXPECT_NE(lower[2], first[2]);
}

TEST(IntegerCopies, RoundedNumbersAreEqualWhereTheyWere) {
  Program program = rounding_program();
  program.instructions[1].operation = Linear{{{0, std::make_shared<layout::Contraction>(layout::Contraction::dense(
                                                      {1, 2}, 2, std::vector<double>{9, 4, 9, 4}))}},
                                             {3, 3}};
  std::vector<Classes> found = copies(program);
  EXPECT_EQ(found[2][0], found[2][1]);
  EXPECT_NE(found[2][0], found[1][0]);
  EXPECT_EQ(found[4], found[3]);  // an output is its operand
  std::get<Linear>(program.instructions[1].operation).bias = {3, 4};
  found = copies(program);
  EXPECT_NE(found[2][0], found[2][1]);
}

// The last of more rows than one task takes is looked at like the first.
TEST(IntegerCopies, RowsOfEveryTaskAreCompared) {
  std::vector<double> weights;
  for (int row = 0; row < 257; ++row)
    for (const double weight : {1.0, 1.0, row == 256 ? 0.0 : static_cast<double>(row)}) weights.push_back(weight);
  const Classes sum = copies(sums(weights, {}))[1];
  ASSERT_EQ(sum.size(), 257U);
  EXPECT_EQ(sum[256], sum[0]);
  for (std::size_t row = 1; row < 256; ++row) EXPECT_NE(sum[row], sum[0]) << row;
  EXPECT_NE(sum[255], sum[254]);
}

// Terms of one sum join: x0 of the first and x0 of the second count twice.
TEST(IntegerCopies, TermsOfASumJoin) {
  Program program = sums({1, 0, 0, 2, 0, 0, 3, 0, 0}, {});
  auto& linear = std::get<Linear>(program.instructions[1].operation);
  linear.terms.push_back(linear.terms[0]);
  Instruction made = program.instructions[1];
  made.operation = Linear{{{0, std::make_shared<layout::Contraction>(
                                   layout::Contraction::dense({1, 3}, 2, std::vector<double>{4, 0, 0, 5, 0, 0}))}},
                          {}};
  made.shape = {1, 2};
  program.instructions.push_back(made);
  const std::vector<Classes> found = copies(program);
  EXPECT_EQ(found[1][1], found[2][0]);
  for (const std::size_t other : {0, 2}) EXPECT_NE(found[1][other], found[2][0]);
  EXPECT_NE(found[2][1], found[2][0]);
}

// A lookup and a rounding of one ciphertext whose numbers agree: the first centre and the step, the table's class and
// the dropped bits, are all 1.
TEST(IntegerCopies, ALookupIsNoRounding) {
  Program program{"alike", 4, {}};
  program.instructions.push_back({Input{"x"}, {1, 1}, 1, 0, 3, true, "x", ""});
  const auto same =
      std::make_shared<layout::Contraction>(layout::Contraction::dense({1, 1}, 1, std::vector<double>{1}));
  const std::int64_t half_box = std::int64_t{1} << (kMessageBits - 4 - 1);
  program.instructions.push_back({Linear{{{0, same}}, {}}, {1, 1}, 0, half_box + 1, half_box + 7, true, "same", ""});
  program.instructions.push_back(
      {Lookup{1, {std::vector<std::int64_t>(16, 5)}, {}}, {1, 1}, 1, 5, 5, true, "fives", ""});
  program.instructions.push_back({Round{0, 1}, {1, 1}, 2, 0, 2, true, "rounded", ""});
  ASSERT_EQ(first_centre(program, std::get<Lookup>(program.instructions[2].operation)), 1);
  const std::vector<Classes> found = copies(program);
  EXPECT_EQ(found[1], found[0]);
  EXPECT_NE(found[2][0], found[3][0]);
  EXPECT_NE(found[2][0], found[0][0]);
  EXPECT_NE(found[3][0], found[0][0]);
}

// Two words are known of an element. Tables are made that agree in the first of them, by the way in which it is mixed:
// the second tells them apart.
TEST(IntegerCopies, ElementsThatAgreeInOneOfTwoWordsAreOthers) {
  const auto mixed = [](std::uint64_t x) {
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  };
  const std::uint64_t begun = mixed(1 ^ 2);  // of a table
  std::uint64_t entry = 0, next = 0;
  // Of a table beside that of zeros, both positive.
  do {
    ++entry;
    next = mixed(begun) ^ mixed(begun ^ entry);
  } while (next >> 63 != 0);
  Program program{"alike", 1, {}};
  program.instructions.push_back({Input{"x"}, {1, 1}, kMessageBits - 1, 0, 1, true, "x", ""});
  const std::vector<std::int64_t> zeros{0, 0};
  const std::vector<std::int64_t> others{static_cast<std::int64_t>(entry), static_cast<std::int64_t>(next)};
  for (const std::vector<std::int64_t>& table : {zeros, others, zeros})
    program.instructions.push_back({Lookup{0, {table}, {}}, {1, 1}, 0, 0, 1, true, "", ""});
  const std::vector<Classes> found = copies(program);
  EXPECT_NE(found[1], found[2]);
  EXPECT_EQ(found[1], found[3]);
}

}  // namespace
}  // namespace tacit::integers
