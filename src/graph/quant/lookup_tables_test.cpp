#include "graph/quant/lookup_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/refusal_for_test.h"

namespace tacit::graph::quant {
namespace {

using layout::RepeatedReals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kEndless = std::numeric_limits<double>::infinity();

/// The 2^bits boxes are half of the torus together. Sums fill all boxes but two. Sums that are rounded exactly reach
/// from the middle of the first box to the middle of the last.
TEST(LookupTables, SumsFillAllBoxesButTwoOrButOne) {
  EXPECT_EQ(torus_span(2), 2 * 0x1p61);
  EXPECT_EQ(torus_span(3), 6 * 0x1p60);
  EXPECT_EQ(torus_span(8), 254 * 0x1p55);
  EXPECT_EQ(exact_torus_span(2), 3 * 0x1p61);
  EXPECT_EQ(exact_torus_span(3), 7 * 0x1p60);
  EXPECT_EQ(exact_torus_span(8), 255 * 0x1p55);
}

/// The centres of the four boxes of two elements, whose integers begin at 10.
std::vector<double> points_of_two(int step) {
  integers::Program program;
  program.bits = 2;
  program.instructions.push_back({integers::Input{"x"}, {1, 2}, step, 10, 20, true, "x", "x"});
  return box_points(program,
                    {0, step, RepeatedReals::of(std::vector{0.5, 2.0}), RepeatedReals::of(std::vector{1.0, -1.0})}, 2);
}

TEST(LookupTables, BoxesAreCentredOnRealNumbers) {
  // Eight integers a box, the first of them centred four below the lowest integer: on 6, 14, 22, 30.
  EXPECT_THAT(points_of_two(58), ElementsAre(4, 8, 12, 16, 11, 27, 43, 59));
  // Two integers a box: on 9, 11, 13, 15.
  EXPECT_THAT(points_of_two(60), ElementsAre(5.5, 6.5, 7.5, 8.5, 17, 21, 25, 29));
  // One integer a box.
  EXPECT_THAT(points_of_two(61), ElementsAre(6, 6.5, 7, 7.5, 19, 21, 23, 25));
  // Boxes between two integers belong to the higher.
  EXPECT_THAT(points_of_two(62), ElementsAre(6, 6.5, 6.5, 7, 19, 21, 21, 23));
}

TEST(LookupTables, NumbersThatAreNotFiniteTakeThoseOfTheirNeighbours) {
  EXPECT_THAT(finite({1, 2, 3, 4}, 4, "n"), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(finite({kNone, 1, kEndless, 2}, 4, "n"), ElementsAre(1, 1, 1, 2));
  EXPECT_THAT(finite({kNone, -kEndless, 3, 4}, 4, "n"), ElementsAre(3, 3, 3, 4));
  EXPECT_THAT(finite({5, 6, kNone, kEndless}, 4, "n"), ElementsAre(5, 6, 6, 6));
  // There are two elements, and neither takes a number of the other.
  EXPECT_THAT(finite({1, kNone, kNone, 2}, 2, "n"), ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(base::refusal([] {
                finite({1, kNone, kNone, kEndless}, 2, "log");
              }),
              HasSubstr("node 'log': the function is finite nowhere on the range of an element that samples showed; "
                        "clip what it reads to where it is defined (Clip)"));
}

TEST(LookupTables, NumbersAreKeptNearWhatWasSeen) {
  const auto kept = [](const Range& seen, double widths) {
    std::vector<double> numbers{-9, -2, -1, 0, 3, 5, 9};
    keep_near({seen}, widths, numbers.size(), numbers);
    return numbers;
  };
  EXPECT_THAT(kept({0, 4}, 0.25), ElementsAre(-1, -1, -1, 0, 3, 5, 5));
  EXPECT_THAT(kept({-1, 2}, 0), ElementsAre(-1, -1, -1, 0, 2, 2, 2));
  EXPECT_THAT(kept({1, 2}, 3), ElementsAre(-2, -2, -1, 0, 3, 5, 5));
  EXPECT_THAT(kept({3, 3}, 8), ElementsAre(-9, -2, -1, 0, 3, 5, 9)) << "one number shows no width";
  EXPECT_THAT(kept({}, 8), ElementsAre(-9, -2, -1, 0, 3, 5, 9)) << "nothing is known";
  std::vector<double> of_two{-9, 9, -9, 9};
  keep_near({{0, 1}, {0, 4}}, 1, 2, of_two);
  EXPECT_THAT(of_two, ElementsAre(-1, 2, -4, 8)) << "each element by its own width";
}

TEST(LookupTables, ElementsShareEqualTables) {
  const auto [tables, table_of] = distinct_tables({1, 2, 3, 4, 1, 2, 1, 3}, 2);
  EXPECT_THAT(tables, ElementsAre(ElementsAre(1, 2), ElementsAre(3, 4), ElementsAre(1, 3)));
  EXPECT_THAT(table_of, ElementsAre(0, 1, 0, 2));
  const auto [one, of_one] = distinct_tables({1, 2, 1, 2}, 2);
  EXPECT_THAT(one, ElementsAre(ElementsAre(1, 2)));
  EXPECT_THAT(of_one, IsEmpty());
}

}  // namespace
}  // namespace tacit::graph::quant
