#include "layout/repeated_reals.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/error.h"

namespace tacit::layout {
namespace {

TEST(RepeatedReals, SumsAndProductsKeepTheFormOfEqualRuns) {
  const RepeatedReals channels({1, 2, 3}, 4), others({10, 20, 30}, 4);
  const RepeatedReals sum = channels.plus(others, 12), product = channels.times(others, 12);
  EXPECT_EQ(sum.values(), (std::vector<double>{11, 22, 33}));
  EXPECT_EQ(product.values(), (std::vector<double>{10, 40, 90}));
  EXPECT_EQ(sum.run(), 4);
  EXPECT_EQ(product.run(), 4);
}

TEST(RepeatedReals, OneNumberIsAddedToEveryRun) {
  const RepeatedReals sum = RepeatedReals({1, 2}, 3).plus(RepeatedReals(0.5), 6);
  EXPECT_EQ(sum.values(), (std::vector<double>{1.5, 2.5}));
  EXPECT_EQ(sum.expanded(6), (std::vector<double>{1.5, 1.5, 1.5, 2.5, 2.5, 2.5}));
  EXPECT_EQ(RepeatedReals(0.5).plus(RepeatedReals({1, 2}, 3), 6).expanded(6), sum.expanded(6));
}

TEST(RepeatedReals, NumbersThatRepeatInDifferentWaysAreCombinedByElement) {
  const RepeatedReals rows({1, 2}, 2), columns({10, 20}, 1);
  EXPECT_EQ(rows.plus(columns, 4).expanded(4), (std::vector<double>{11, 21, 12, 22}));
  EXPECT_EQ(rows.times(columns, 4).expanded(4), (std::vector<double>{10, 20, 20, 40}));
}

TEST(RepeatedReals, OneNumberKeepsTheFormOfOthersWhateverTheCount) {
  const RepeatedReals runs({1, 2}, 3), one(1);
  for (const RepeatedReals& sum : {runs.plus(one, 3), one.plus(runs, 3)}) {
    EXPECT_EQ(sum.values(), (std::vector<double>{2, 3}));
    EXPECT_EQ(sum.run(), 3);
  }
}

TEST(RepeatedReals, EqualRunsOfListsOfOtherSizesAreCombinedByElement) {
  const RepeatedReals sum = RepeatedReals({1, 2}, 2).plus(RepeatedReals({10, 20, 30}, 2), 12);
  EXPECT_EQ(sum.values(), (std::vector<double>{11, 22, 31, 12, 21, 32}));
  EXPECT_EQ(sum.run(), 2);
}

TEST(RepeatedReals, AListIsHeldInItsShortestForm) {
  const auto held = [](const std::vector<double>& all, const std::vector<double>& values, Index run) {
    const RepeatedReals made = RepeatedReals::of(all);
    EXPECT_EQ(made.values(), values);
    EXPECT_EQ(made.run(), run);
    if (!all.empty()) {
      EXPECT_EQ(made.expanded(static_cast<Index>(all.size())), all);
    }
  };
  held({}, {1}, 1);
  held({3, 3, 3}, {3}, 1);
  held({1, 2, 3}, {1, 2, 3}, 1);
  held({5, 5, 6, 6, 7, 7}, {5, 6, 7}, 2);
  held({1, 1, 2, 2, 1, 1, 2, 2}, {1, 2}, 2);
  held({1, 2, 1, 3, 1, 2, 1, 3}, {1, 2, 1, 3}, 1);
  held({1, 2, 3, 1, 2, 3}, {1, 2, 3}, 1);
  held({1, 2, 1, 2, 1}, {1, 2, 1, 2, 1}, 1);        // not a whole number of times
  held({1, 1, 1, 2, 2, 1}, {1, 1, 1, 2, 2, 1}, 1);  // runs of three, of two and of one
  held({1, 1, 1, 1, 2, 2}, {1, 1, 2}, 2);           // the length of a run divides that of the list
}

TEST(RepeatedReals, ElementsAreFoundWhateverTheSizesOfRunsAndLists) {
  for (const Index run : {1, 2, 3, 4, 6})
    for (const Index size : {1, 2, 3, 4, 5}) {
      std::vector<double> values;
      for (Index v = 0; v < size; ++v) values.push_back(static_cast<double>(10 + v));
      const RepeatedReals made(values, run);
      for (Index e = 0; e < 70; ++e) EXPECT_EQ(made[e], static_cast<double>(10 + e / run % size)) << run << " " << size;
      EXPECT_TRUE(made.repeats_with(2 * run * size));
      EXPECT_TRUE(made.repeats_with(run * size));
      EXPECT_EQ(made.repeats_with(run * size + 1), size == 1 || run * size == 1);
      EXPECT_EQ(made.all_equal(10), size == 1);
      EXPECT_FALSE(made.all_equal(11));
    }
}

TEST(RepeatedReals, AreRepeatedForTensorsThatFollowEachOtherAndInverted) {
  const RepeatedReals channels({2, 4}, 3);
  EXPECT_EQ(channels.repeated(6, 2).values(), channels.values());
  EXPECT_EQ(channels.repeated(6, 2).run(), 3);
  // Of three elements each tensor has the first run alone.
  EXPECT_EQ(channels.repeated(3, 2).expanded(6), (std::vector<double>(6, 2.0)));
  EXPECT_EQ(channels.repeated(3, 1).expanded(3), (std::vector<double>(3, 2.0)));
  EXPECT_EQ(channels.repeated(4, 2).expanded(8), (std::vector<double>{2, 2, 2, 4, 2, 2, 2, 4}));
  EXPECT_EQ(channels.inverse().values(), (std::vector<double>{0.5, 0.25}));
  EXPECT_EQ(channels.inverse().run(), 3);
}

TEST(RepeatedReals, RefusesWhatHoldsNoNumbers) {
  EXPECT_THROW(RepeatedReals({}, 1), base::InputError);
  EXPECT_THROW(RepeatedReals({1, 2}, 0), base::InputError);
  EXPECT_NO_THROW(RepeatedReals({1, 2}, 1));
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_THROW(RepeatedReals({1, bad}, 1), base::InputError);
}

TEST(RepeatedReals, NothingGivenIsOneForAllElements) {
  const RepeatedReals ones;
  EXPECT_EQ(ones.values(), std::vector<double>{1});
  EXPECT_EQ(ones.run(), 1);
  EXPECT_EQ(ones[7], 1);
}

}  // namespace
}  // namespace tacit::layout
