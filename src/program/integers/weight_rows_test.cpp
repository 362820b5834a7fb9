#include "program/integers/weight_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "program/integers/drawing.h"
#include "program/integers/small_program_for_test.h"

namespace tacit::integers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(WeightRows, HoldsWhatIsNotZeroRowByRow) {
  const auto op = layout::Contraction::dense({1, 3}, 3, std::vector<double>{1, 0, -2, 0, 0, 0, 0, 0, 3});
  const WeightRows rows(op);
  EXPECT_EQ(rows.rows(), 3U);
  EXPECT_EQ(rows.entries(), 3U);
  EXPECT_THAT(rows.row(0).columns, ElementsAre(0, 2));
  EXPECT_THAT(rows.row(0).weights, ElementsAre(1, -2));
  EXPECT_THAT(rows.row(1).columns, IsEmpty());
  EXPECT_THAT(rows.row(2).columns, ElementsAre(2));
  EXPECT_THAT(rows.row(2).weights, ElementsAre(3));
}

TEST(WeightRows, WeightsAreWholeNumbersOfThirtyTwoBits) {
  const auto row = [](double weight) {
    return WeightRows(layout::Contraction::dense({1, 1}, 1, std::vector<double>{weight})).row(0).weights[0];
  };
  EXPECT_EQ(row(2147483647), 2147483647);
  EXPECT_EQ(row(-2147483647), -2147483647);
  for (const double wrong : {0.5, -0.5, 2147483648.0, -2147483648.0})
    EXPECT_THAT([&] { row(wrong); },
                ::testing::ThrowsMessage<base::InternalError>(HasSubstr("a weight that is no whole number of 32 bits")))
        << wrong;
}

TEST(WeightRows, AnInstructionHasThoseOfEveryTerm) {
  const Program program = small_program();
  EXPECT_THAT(weights_of(program.value(0).operation), IsEmpty());
  EXPECT_THAT(weights_of(program.value(2).operation), IsEmpty());
  Linear twice = std::get<Linear>(program.value(1).operation);
  twice.terms.push_back(twice.terms[0]);
  const std::vector<WeightRows> weights = weights_of(Operation(twice));
  ASSERT_EQ(weights.size(), 2U);
  EXPECT_EQ(weights[1].rows(), 2U);
  EXPECT_EQ(weights[1].entries(), 4U);
}

TEST(IntegerDrawing, WhatMermaidReadsAsItsOwnBecomesAnEntity) {
  Program program = small_program();
  program.instructions[1].source =
      "a&b;c`d>e#f\x1f"
      "g h";
  EXPECT_THAT(to_mermaid(program), HasSubstr("  v1[\"a#38;b#59;c#96;d#62;e#35;f g h<br>2 sums\"]\n"));
}

}  // namespace
}  // namespace tacit::integers
