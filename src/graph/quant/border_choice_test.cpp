#include "graph/quant/border_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace tacit::graph::quant {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Ge;

constexpr base::Digest kSeed{1, 2, 3};

const std::vector<double> kShown{0, 1, 2, 3, 4, 5, 6, 7};

TEST(BorderChoice, KeepsAllThresholdsAmongDecoys) {
  const std::vector<Candidate> candidates{{-50, 1}, {2.25, 1}, {900, 1}};
  const ChosenBorders chosen = choose_borders(candidates, kShown, 15, true, kSeed, 0);
  ASSERT_EQ(chosen.borders.size(), 15u);
  ASSERT_EQ(chosen.points.size(), 16u);
  EXPECT_TRUE(std::ranges::is_sorted(chosen.borders));
  for (const Candidate& candidate : candidates) EXPECT_THAT(chosen.borders, Contains(candidate.border));
  // A point is above the border before its interval, and at most at the border after it.
  for (std::size_t i = 0; i < chosen.points.size(); ++i) {
    if (i > 0) {
      EXPECT_GT(chosen.points[i], chosen.borders[i - 1]);
    }
    if (i < chosen.borders.size()) {
      EXPECT_LE(chosen.points[i], chosen.borders[i]);
    }
  }
  for (const double border : chosen.borders) EXPECT_EQ(border, static_cast<double>(static_cast<float>(border)));
}

/// Another seed gives other decoys, the same seed the same ones.
TEST(BorderChoice, DecoysFollowTheSeed) {
  const std::vector<Candidate> candidates{{2.25, 1}};
  const auto of = [&](std::uint64_t stream) {
    return choose_borders(candidates, kShown, 15, true, kSeed, stream).borders;
  };
  EXPECT_EQ(of(1), of(1));
  EXPECT_NE(of(1), of(2));
  EXPECT_EQ(choose_borders({}, {}, 3, false, kSeed, 0).borders.size(), 3u) << "of a feature that no tree reads";
}

/// One of the borders 0.5, 1.5, 2.5 is left out: a single sample is between its neighbours.
TEST(BorderChoice, LeavesOutWhatSendsTheFewestSamplesAnotherWay) {
  const std::vector<Candidate> candidates{{0.5, 1}, {1.5, 1}, {2.5, 1}};
  const std::vector<double> shown{0, 0, 0, 1, 2, 2, 2, 2, 3, 3, 3};
  const ChosenBorders two = choose_borders(candidates, shown, 2, false, kSeed, 0);
  EXPECT_THAT(two.borders, ElementsAre(1.5, 2.5));
  EXPECT_LE(two.points[0], 0.5) << "most samples below 1.5 lie below 0.5, too";
  // If that threshold counts for more, another one is left out.
  const std::vector<Candidate> heavy{{0.5, 10}, {1.5, 1}, {2.5, 1}};
  const ChosenBorders other = choose_borders(heavy, shown, 2, false, kSeed, 0);
  EXPECT_THAT(other.borders, ElementsAre(0.5, 2.5));
  EXPECT_THAT(other.points, ElementsAre(0.5, Ge(1.5), Ge(2.5)));
}

}  // namespace
}  // namespace tacit::graph::quant
