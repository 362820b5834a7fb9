#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "layout/operators/applied_for_test.h"
#include "layout/operators/combined.h"
#include "layout/operators/movement.h"
#include "layout/operators/window_product.h"
#include "layout/sparse_rows.h"

// The taps and weights of one convolution that two operators are together, and what stays apart.
namespace tacit::layout {
namespace {

constexpr Index kStep = Index{1} << 28, kHalf = Index{1} << 14;

LinearOperatorPtr mean(const Shape& in, const Shape& out, const WindowAxis& axis) {
  return std::make_shared<AveragePool>(in, out, std::vector<WindowAxis>{axis}, false);
}

OneWindow as_window(const std::shared_ptr<const Convolution>& op) {
  return {op.get(), static_cast<double>(op->weights().size())};
}

/// The numbers from `first` on, as many.
std::vector<Index> from(Index first, Index count) {
  std::vector<Index> source;
  for (Index e = first; e < first + count; ++e) source.push_back(e);
  return source;
}

std::vector<Index> joined(std::vector<Index> one, const std::vector<Index>& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

TEST(WindowParts, AMeanOfAWindowHasTheTapsThatEitherReaches) {
  struct Case {
    WindowAxis pool, window;
    Index in, middle, out;
    WindowAxis one;
  };
  for (const Case& c : {Case{{1, 2}, {2, 2, 3}, 8, 3, 2, {2, 4, 3}},     // a pool of one tap only strides
                        Case{{3, 1}, {1, 2, 3}, 7, 4, 2, {3, 2, 2}},     // and a dilation between none says nothing
                        Case{{2, 1, 2}, {2, 2, 4}, 9, 3, 1, {3, 2, 4}},  // taps that meet
                        Case{{2, 1}, {2, 1, 3, 2, 1}, 5, 5, 3, {5, 1, 1, 2, 1}}}) {
    const Shape in{1, 1, c.in}, middle{1, 1, c.middle}, out{1, 1, c.out};
    const LinearOperatorPtr window = counted_convolution(in, middle, {c.window}), pool = mean(middle, out, c.pool);
    const Composed both(pool, window);
    ASSERT_TRUE(both.one_window());
    const Convolution& one = *both.one_window()->op;
    EXPECT_EQ(one.window().axes(), std::vector<WindowAxis>{c.one});
    EXPECT_EQ(both.one_window()->held, c.window.kernel);
    const SparseRows made = SparseRows::of(one), by_lists = SparseRows::of(Composed(listed(*pool), listed(*window)));
    EXPECT_EQ(made.columns(), by_lists.columns());
    EXPECT_EQ(made.weights(), by_lists.weights());
  }
}

TEST(WindowParts, AMeanWithGapsLiesWithinItsInput) {
  const auto is_one = [](Index middle) {
    const LinearOperatorPtr window = counted_convolution({1, 1, 6}, {1, 1, middle}, {{.kernel = 2}});
    return Composed(mean({1, 1, middle}, {1, 1, 1}, {3, 1, 2}), window).one_window().has_value();
  };
  EXPECT_TRUE(is_one(5));
  EXPECT_FALSE(is_one(4));
}

TEST(WindowParts, StepsOfOneWindowAreBounded) {
  const auto one = [](const WindowAxis& pool, const Shape& middle) {
    const Composed both(mean(middle, {1, 1, 1}, pool), counted_convolution({1, 1, 4}, middle, {{1, kHalf}}));
    const auto window = both.one_window();
    return window ? window->op->window().axes().front() : WindowAxis{.kernel = 0};
  };
  const WindowAxis apart{.kernel = 0};
  EXPECT_EQ(one({2, kHalf}, {1, 1, 2}), (WindowAxis{2, kStep, kHalf, 0, 0}));
  EXPECT_EQ(one({2, kHalf + 1}, {1, 1, 2}), apart);
  EXPECT_EQ(one({2, 1, kHalf}, {1, 1, kHalf + 2}), (WindowAxis{2, kHalf, kStep, 0, 0}));
  EXPECT_EQ(one({2, 1, kHalf + 1}, {1, 1, kHalf + 2}), apart);
}

TEST(WindowParts, GrowthIsThatOfTheWeightsOfAllChannels) {
  const auto is_one = [](Index kernel) {
    const Shape middle{1, 2, 20};
    return Composed(mean(middle, {1, 2, 21 - kernel}, {kernel}), counted_convolution({1, 1, 20}, middle, {{1, 1}}))
        .one_window()
        .has_value();
  };
  EXPECT_TRUE(is_one(16));  // 32 weights of two
  EXPECT_FALSE(is_one(17));
}

TEST(WindowParts, PlacedChannelsAreAWindowAndOtherMovementsAreNot) {
  const Shape middle{1, 2, 8};
  const std::vector<Index> nothing(8, Gather::kNothing);
  const auto behind = [&](const std::shared_ptr<const Convolution>& window, const Shape& out,
                          const std::vector<Index>& source, const std::vector<double>& weights = {}) {
    return std::make_shared<Composed>(std::make_shared<Gather>(middle, out, source, weights), window);
  };
  const auto window = counted_convolution({1, 1, 8}, middle, {{1, 1}});
  const std::vector<Index> placed = joined(from(8, 8), joined(nothing, from(0, 8)));
  const auto one = behind(window, {1, 3, 8}, placed);
  ASSERT_TRUE(one->one_window());
  EXPECT_EQ(one->one_window()->op->weights(), (std::vector<double>{2, 0, 1}));

  std::vector<Index> swapped = placed;
  std::swap(swapped[1], swapped[2]);
  EXPECT_FALSE(behind(window, {1, 3, 8}, swapped)->one_window());
  EXPECT_FALSE(behind(window, {1, 3, 8, 1}, placed)->one_window());
  EXPECT_FALSE(behind(window, {2, 1, 8}, from(0, 16))->one_window());
  const auto doubled = behind(window, {1, 3, 8}, placed, std::vector<double>(24, 2.0));
  EXPECT_FALSE(doubled->one_window());
  EXPECT_EQ(applied(*doubled, {1, 2, 3, 4, 5, 6, 7, 8}),
            (std::vector<double>{4, 8, 12, 16, 20, 24, 28, 32, 0, 0, 0, 0, 0, 0, 0, 0, 2, 4, 6, 8, 10, 12, 14, 16}));
  EXPECT_FALSE(behind(counted_convolution(middle, middle, {{1, 1}}, 2), {1, 3, 8}, placed)->one_window());
}

TEST(WindowParts, AChannelIsPlacedAmongSixteenAtMost) {
  const Shape one{1, 1, 8};
  const auto is_one = [&](Index channels, Index kernel) {
    const std::vector<Index> source =
        joined(from(0, 8), std::vector<Index>(static_cast<std::size_t>(8 * channels - 8), Gather::kNothing));
    return Composed(std::make_shared<Gather>(one, Shape{1, channels, 8}, source),
                    counted_convolution(one, one, {{kernel, 1, 1, kernel / 2, kernel / 2}}))
        .one_window()
        .has_value();
  };
  for (const Index kernel : {1, 3}) {
    EXPECT_TRUE(is_one(16, kernel));
    EXPECT_FALSE(is_one(17, kernel));
  }
}

TEST(WindowParts, AWindowReadsFewerChannelsWhereTheyArePlacedBeforeIt) {
  const Shape four{1, 4, 4}, two{1, 2, 4}, one{1, 1, 4};
  const auto gather = [](const Shape& in, const Shape& out, const std::vector<Index>& source) {
    return std::make_shared<Gather>(in, out, source);
  };
  const std::vector<Index> nothing(4, Gather::kNothing), second = joined(nothing, from(0, 4));
  const Composed fewer(counted_convolution(two, one, {{1, 1}}), gather(one, two, second));
  ASSERT_TRUE(fewer.one_window());
  EXPECT_EQ(fewer.one_window()->op->weights(), std::vector<double>{2});
  // As many channels in another order.
  const LinearOperatorPtr order = gather(two, two, joined(from(4, 4), from(0, 4)));
  EXPECT_FALSE(Composed(counted_convolution(two, one, {{1, 1}}), order).one_window());
  // Four channels of four are two of eight to the window.
  const Composed other(counted_convolution({1, 2, 8}, {1, 1, 8}, {{1, 1}}),
                       gather(one, four, joined(second, joined(nothing, nothing))));
  EXPECT_FALSE(other.one_window());
  EXPECT_EQ(applied(other, {1, 2, 3, 4}), (std::vector<double>{0, 0, 0, 0, 1, 2, 3, 4}));
  // A list of entries.
  const Composed list(counted_convolution(two, one, {{1, 1}}), listed(*gather(one, two, second)));
  EXPECT_FALSE(list.one_window());
  EXPECT_EQ(applied(list, {1, 2, 3, 4}), (std::vector<double>{2, 4, 6, 8}));
}

TEST(WindowParts, FactorsAreByChannelWhereNoneChangesWithinOne) {
  const Shape shape{2, 2, 4, 4};
  EXPECT_TRUE(is_by_channel(RepeatedReals(3), shape));
  EXPECT_TRUE(is_by_channel(RepeatedReals({2, 3}, 16), shape));
  EXPECT_TRUE(is_by_channel(RepeatedReals({2, 3}, 32), shape));
  EXPECT_FALSE(is_by_channel(RepeatedReals({2, 3}, 8), shape));
  EXPECT_FALSE(is_by_channel(RepeatedReals({2, 3}, 1), shape));
  EXPECT_FALSE(is_by_channel(RepeatedReals({2, 3}, 24), shape));
}

TEST(WindowParts, FactorsOfChannelsJoinTheWeightsOfTheirGroups) {
  const auto op = counted_convolution({2, 4, 3}, {2, 6, 3}, {{1, 1}}, 2);
  const RepeatedReals rows({1, 2, 3, 4, 5, 6}, 3), columns({1, 10, 100, 1000}, 3);
  const auto made = window_with_factors(*op, rows, columns);
  ASSERT_NE(made, nullptr);
  // The first three output channels read the first two inputs.
  EXPECT_EQ(made->weights(),
            (std::vector<double>{1 * 1, 2 * 10, 3 * 2 * 1, 4 * 2 * 10, 5 * 3 * 1, 6 * 3 * 10, 7 * 4 * 100, 8 * 4 * 1000,
                                 9 * 5 * 100, 10 * 5 * 1000, 11 * 6 * 100, 12 * 6 * 1000}));
  EXPECT_EQ(made->groups(), 2);
  // Factors that differ from one batch to another.
  EXPECT_EQ(window_with_factors(*op, RepeatedReals(counted(12), 3), columns), nullptr);
  EXPECT_EQ(window_with_factors(*op, rows, RepeatedReals(counted(8), 3)), nullptr);
}

TEST(WindowParts, ASumHasTheTapsOfBoth) {
  struct Case {
    WindowAxis left, right, one;
    std::vector<double> weights;  // of 1, 2, 3 and 10, 20, 30
  };
  const Shape shape{1, 1, 8};
  const auto window = [&](const WindowAxis& axis, double unit) {
    std::vector<double> weights = counted(axis.kernel);
    for (double& weight : weights) weight *= unit;
    return std::make_shared<const Convolution>(shape, shape, std::vector<WindowAxis>{axis}, 1, std::move(weights));
  };
  for (const Case& c : std::vector<Case>{// A dilation between one tap says nothing.
                                         {{1, 1, 5, 0, 1}, {3, 1, 2, 2, 4}, {3, 1, 2, 2, 4}, {10, 1 + 20, 30}},
                                         {{3, 1, 2, 2, 4}, {1, 1, 5, 0, 1}, {3, 1, 2, 2, 4}, {1, 2 + 10, 3}},
                                         // Taps of the one lie between those of the other.
                                         {{2, 1, 4, 3, 0}, {2, 1, 4, 1, 0}, {4, 1, 2, 3, 0}, {1, 10, 2, 20}},
                                         {{2, 1, 4, 1, 0}, {2, 1, 4, 3, 0}, {4, 1, 2, 3, 0}, {10, 1, 20, 2}},
                                         {{2, 1, 3, 0, 0}, {1, 1, 1, 0, 0}, {2, 1, 3, 0, 0}, {1 + 10, 2}},
                                         {{1, 1, 1, 0, 0}, {2, 1, 3, 0, 0}, {2, 1, 3, 0, 0}, {1 + 10, 20}},
                                         {{2, 2, 1, 0, 0}, {2, 2, 1, 0, 0}, {2, 2, 1, 0, 0}, {1 + 10, 2 + 20}}}) {
    const auto left = window(c.left, 1), right = window(c.right, 10);
    const auto one = window_of_sum(as_window(left), as_window(right));
    ASSERT_NE(one, nullptr);
    EXPECT_EQ(one->window().axes(), std::vector<WindowAxis>{c.one});
    EXPECT_EQ(one->weights(), c.weights);
  }
}

TEST(WindowParts, OnlyWindowsOfTheSameMapsGroupsAndStridesAddUp) {
  const auto window = [](Index in, Index out, Index groups, Index stride) {
    return counted_convolution({1, 2, in}, {1, 2, out}, {{1, stride}}, groups);
  };
  const auto add = [](const std::shared_ptr<const Convolution>& left, const std::shared_ptr<const Convolution>& right) {
    return window_of_sum(as_window(left), as_window(right)) != nullptr;
  };
  const auto op = window(8, 8, 1, 1);
  EXPECT_TRUE(add(op, window(8, 8, 1, 1)));
  EXPECT_FALSE(add(op, window(9, 8, 1, 1)));
  EXPECT_FALSE(add(op, window(8, 7, 1, 1)));
  EXPECT_FALSE(add(op, window(8, 8, 2, 1)));
  EXPECT_FALSE(add(op, window(8, 8, 1, 2)));
}

}  // namespace
}  // namespace tacit::layout
