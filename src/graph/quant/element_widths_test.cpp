#include "graph/quant/element_widths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/quant/quantised_for_test.h"
#include "layout/operators/combined.h"
#include "layout/operators/matrix.h"

namespace tacit::graph::quant {
namespace {

using ::testing::ElementsAre;

/// Three steps of two features: the features are alike over the steps, the steps are not.
TEST(ElementWidths, ChannelsMayBeTheLastAxis) {
  const auto seen = seen_ranges(value_of({1, 3, 2}, {{0, 1}, {0, 1000}, {0, 2}, {0, 900}, {-1, 1}, {0, 800}}));
  EXPECT_THAT(seen,
              ElementsAre(Range{-1, 2}, Range{0, 1000}, Range{-1, 2}, Range{0, 1000}, Range{-1, 2}, Range{0, 1000}));
}

/// One row of features of unequal widths is no channel.
TEST(ElementWidths, UnlikeElementsShareNothing) {
  const std::vector<Range> unlike{{0, 1}, {0, 1000}, {0, 1e6}, {0, 1e9}};
  EXPECT_EQ(seen_ranges(value_of({1, 1, 2, 2}, unlike)), unlike);
}

TEST(ElementWidths, ReachesAreDistancesFromTheCentre) {
  const std::vector<Range> seen{{-1, 1}, {0, 4}, {100, 101}, {-0.5, 0.6}, {7, 7}, {0, 0}};
  EXPECT_EQ(centre_of(seen[0]), 0);
  EXPECT_EQ(centre_of(seen[1]), 2);
  EXPECT_EQ(centre_of(seen[2]), 100.5);
  EXPECT_EQ(centre_of(seen[3]), 0) << "an eighth of the width is near";
  EXPECT_EQ(centre_of(seen[4]), 7);
  EXPECT_THAT(reaches(seen), ElementsAre(1, 2, 0.5, 0.6, 2, 2));
  EXPECT_THAT(reaches({{3, 3}}), ElementsAre(1));
}

TEST(ElementWidths, ASumMayBeAsWideAsItsOperandsTogether) {
  passes::Network network;
  network.add(value_of({1, 2}, {{0, 1}, {-10, 10}}));
  const auto op = std::make_shared<layout::Contraction>(layout::Contraction::dense({1, 2}, 2, {1, 0.5, -2, 0}));
  const passes::Affine sum{{{0, op}}};
  EXPECT_THAT(possible_widths(network, sum, 2), ElementsAre(1 + 0.5 * 20, 2));
}

}  // namespace
}  // namespace tacit::graph::quant
