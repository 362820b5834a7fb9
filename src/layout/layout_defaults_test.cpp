#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/refusal_for_test.h"
#include "layout/diagonals.h"
#include "layout/divisor.h"
#include "layout/equal_parts.h"
#include "layout/operators/convolution_rows.h"
#include "layout/operators/matrix.h"
#include "layout/operators/window.h"
#include "layout/placement.h"
#include "layout/rows_alike.h"
#include "layout/sharding/array_sharding.h"
#include "layout/sharding/sharding_rule.h"
#include "layout/tile_shape.h"

// What is meant where nothing is said, and tables of which the middle is left out.
namespace tacit::layout {
namespace {

TEST(LayoutDefaults, ALayoutOfNothingHoldsNothing) {
  const Layout none;
  EXPECT_EQ(none.slots(), 0);
  EXPECT_EQ(none.ciphertexts(), 0);
  EXPECT_EQ(none.period(), 0);
  EXPECT_EQ(Digit{}, (Digit{0, 1, 1, ""}));
  EXPECT_EQ(Position{}, (Position{0, 0}));
  EXPECT_EQ(Interval{}, (Interval{0, 0}));
  EXPECT_EQ(Transfer{}, (Transfer{0, 0, 0}));
  EXPECT_EQ(TileShape().slots(), 1);
  EXPECT_EQ(TileShape().tiles(), 1);
  const TileDim one;
  EXPECT_EQ(one.size, 1);
  EXPECT_EQ(one.tile, 1);
  EXPECT_EQ(one.copies, 1);
  EXPECT_EQ(one.interleaved_outer, 0);
  EXPECT_FALSE(one.interleaved);
  EXPECT_FALSE(one.unknown);
}

TEST(LayoutDefaults, MapsHaveNoGapsAndNothingBetweenTheirRows) {
  EXPECT_EQ(Layout::Gaps(), Layout::Gaps(1, 1));
  EXPECT_EQ(Layout::Gaps(4), Layout::Gaps(4, 4));
  const Layout::GapRows rows;
  EXPECT_EQ(rows.maps, 1);
  EXPECT_EQ(rows.spread, 1);
  EXPECT_EQ(rows.phases, 1);
  EXPECT_FALSE(rows.channels);
  EXPECT_FALSE(rows.copies);
}

TEST(LayoutDefaults, AWindowIsOneTapInPlace) {
  EXPECT_EQ(WindowAxis{}, (WindowAxis{1, 1, 1, 0, 0}));
  const Window::Place place;
  EXPECT_EQ(place.batch, 0);
  EXPECT_EQ(place.channel, 0);
  for (const Index start : place.start) EXPECT_EQ(start, 0);
  EXPECT_EQ(OneWindow{}.held, 0);
  EXPECT_EQ(ConvolutionRow{}.stride, 1);
  const RowSelection rows{};
  EXPECT_EQ(rows.stride, 1);
  EXPECT_EQ(rows.first, 0);
  EXPECT_EQ(rows.last, 0);
  EXPECT_EQ(rows.begin, 0);
  EXPECT_EQ(rows.rows, 0);
  const Contraction::Terms terms;
  EXPECT_EQ(terms.in_step, 1);
  EXPECT_EQ(terms.weight_step, 1);
  EXPECT_EQ(terms.count, 0);
  EXPECT_EQ(terms.scale, 1);
}

TEST(LayoutDefaults, DiagonalsAreCountedFromNone) {
  const DiagonalSet set;
  EXPECT_EQ(set.slots, 0);
  EXPECT_EQ(set.period, 0);
  EXPECT_EQ(set.modulus, 0);
  EXPECT_EQ(set.blocks, 0);
  EXPECT_EQ(set.count.products, 0);
  EXPECT_EQ(set.count.density, 1);
  EXPECT_EQ(set.count.parts, 1);
  EXPECT_EQ((DiagonalCount{.products = 5}).weights(8), 40);
  EXPECT_EQ(EqualParts{}.count, 1);
  EXPECT_EQ(RowsAlike{}.first, 0);
  EXPECT_EQ(RowsAlike{}.last, 0);
  EXPECT_EQ(RowsAlike{}.times, 1U);
}

TEST(LayoutDefaults, AnAxisHasOneBlockAndReadsItsOwnPosition) {
  EXPECT_EQ(MeshAxis{}.extent, 1);
  EXPECT_EQ(Halo{}, (Halo{1, 0, 0}));
  EXPECT_EQ(PositionRange{}, (PositionRange{0, 0}));
  EXPECT_EQ(ShardingFactor{}.extent, 1);
  EXPECT_EQ(ShardingFactor{}.role, ShardingFactor::Role::tied);
}

TEST(LayoutDefaults, TablesShowEightAndLeaveOutTheMiddleOfMore) {
  EXPECT_EQ(Mesh({{"x", 8}}).table(),
            "[x=8]: Total 8 ciphertexts\n"
            "| m[0] | m[1] | m[2] | m[3] | m[4] | m[5] | m[6] | m[7] |\n");
  EXPECT_EQ(Mesh({{"x", 9}}).table(),
            "[x=9]: Total 9 ciphertexts\n"
            "| m[0] | m[1] | m[2] | m[3] | m[4] | m[5] | ... | m[8] |\n");
  EXPECT_EQ(ArraySharding::parse("mesh=[x=8] spec={x}").distribution(),
            "| mesh[0] | mesh[1] | mesh[2] | mesh[3] | mesh[4] | mesh[5] | mesh[6] | mesh[7] |\n"
            "| D[0] | D[1] | D[2] | D[3] | D[4] | D[5] | D[6] | D[7] |\n");
  EXPECT_EQ(ArraySharding::parse("mesh=[x=9] spec={x}").distribution(),
            "| mesh[0] | mesh[1] | mesh[2] | mesh[3] | mesh[4] | mesh[5] | ... | mesh[8] |\n"
            "| D[0] | D[1] | D[2] | D[3] | D[4] | D[5] | ... | D[8] |\n");
  EXPECT_EQ(Mesh({{"x", 1}}).total(), "Total 1 ciphertext");
  EXPECT_EQ(Mesh({{"x", 2}}).total(), "Total 2 ciphertexts");
}

TEST(LayoutDefaults, MeshesHaveUpToSixteenAxes) {
  const auto axes = [](int count) {
    std::vector<MeshAxis> result;
    for (int i = 0; i < count; ++i) result.push_back({std::string(1, static_cast<char>('a' + i)), 1});
    return base::refusal([&] { Mesh{result}; });
  };
  EXPECT_EQ(axes(16), base::kNotRefused);
  EXPECT_EQ(axes(17), "mesh: 17 axes; 1 to 16 are allowed");
  EXPECT_EQ(axes(0), "mesh: 0 axes; 1 to 16 are allowed");
  EXPECT_EQ(base::refusal([] {
              Mesh({{"x", kMaxCiphertexts}, {"y", 2}});
            }),
            "mesh: up to axis 'y' there are more than 16777216 ciphertexts; split less finely");
  EXPECT_EQ(base::refusal([] {
              static_cast<void>(Mesh({{"x", 4}}).extent(std::string(51, 'w')));
            }),
            "mesh [x=4] has no axis '" + std::string(50, 'w') + "'; name one of its axes");
}

TEST(LayoutDefaults, QuotientsAndRemaindersAreThoseOfAnyDivisor) {
  for (const Index by : {1, 2, 3, 6, 8, 12, 64}) {
    const Divisor divisor(by);
    EXPECT_EQ(divisor.value(), by);
    for (const Index x : {Index{0}, Index{1}, by - 1, by, by + 1, 7 * by + by / 2, Index{1} << 40}) {
      EXPECT_EQ(divisor.quotient(x), x / by) << x << " by " << by;
      EXPECT_EQ(divisor.remainder(x), x % by) << x << " by " << by;
    }
  }
  EXPECT_TRUE(is_power_of_two(1));
  for (const Index no : {-2, 0, 3, 12}) EXPECT_FALSE(is_power_of_two(no)) << no;
  EXPECT_EQ(next_power_of_two(1), 1);
  EXPECT_EQ(next_power_of_two(5), 8);
  EXPECT_EQ(next_power_of_two(8), 8);
}

}  // namespace
}  // namespace tacit::layout
