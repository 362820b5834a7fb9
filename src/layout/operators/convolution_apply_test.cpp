#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "layout/operators/window.h"
#include "layout/random_window_for_test.h"

// Convolutions are carried out in blocks of output channels and of lanes, of which there may be fewer or more than fit.
namespace tacit::layout {
namespace {

std::vector<double> small_integers(Index count, std::mt19937& random) {
  std::vector<double> result(static_cast<std::size_t>(count));
  for (double& x : result) x = std::uniform_int_distribution<int>(-3, 3)(random);
  return result;
}

/// As its entries say; numbers are small integers, so that sums are exact in any order.
void expect_as_by_entries(const Convolution& op, std::mt19937& random) {
  const Index inputs = element_count(op.in_shape()), outputs = element_count(op.out_shape());
  for (const Index lanes : {1, 2, 8, 16, 24}) {
    const std::vector<double> in = small_integers(inputs * lanes, random);
    std::vector<double> out = small_integers(outputs * lanes, random), expected = out;
    for (Index row = 0; row < outputs; ++row)
      op.row(row, [&](Index column, double weight) {
        for (Index i = 0; i < lanes; ++i)
          expected[static_cast<std::size_t>(row * lanes + i)] +=
              weight * in[static_cast<std::size_t>(column * lanes + i)];
      });
    op.apply(in, out, static_cast<std::size_t>(lanes));
    ASSERT_EQ(out, expected) << lanes << " lanes";
  }
}

TEST(ConvolutionApply, AnyNumberOfOutputChannelsGivesWhatEntriesGive) {
  std::mt19937 random(31);
  for (Index outputs = 1; outputs <= 13; ++outputs)
    for (const Index groups : {1, 2}) {
      const Shape in{2, groups * 5, 3, 11}, out{2, groups * outputs, 2, 9};
      const WindowAxis y{3, 1, 1, 1, 0}, x{3, 1, 1, 0, 0};
      SCOPED_TRACE(outputs);
      expect_as_by_entries(Convolution(in, out, {y, x}, groups, small_integers(groups * outputs * 5 * 9, random)),
                           random);
    }
}

TEST(ConvolutionApply, AnyWindowGivesWhatEntriesGive) {
  std::mt19937 random(32);
  for (int trial = 0; trial < 60; ++trial) {
    RandomWindow window = random_window(random);
    window.out[1] = window.groups * std::uniform_int_distribution<Index>(4, 7)(random);
    std::vector<double> weights = small_integers(window.weights(), random);
    if (trial % 3 == 0)  // taps that some output channels read, and some that none does
      for (std::size_t w = 0; w < weights.size(); ++w)
        if (static_cast<Index>(w) % window.taps % 2 == 1 || w % 5 == 0) weights[w] = 0;
    SCOPED_TRACE(trial);
    expect_as_by_entries(Convolution(window.in, window.out, window.axes, window.groups, std::move(weights)), random);
  }
}

// Enough products for several threads.
TEST(ConvolutionApply, LargeConvolutionsGiveWhatEntriesGive) {
  std::mt19937 random(33);
  const Shape in{1, 8, 24, 20}, out{1, 8, 12, 20};
  const WindowAxis y{5, 2, 1, 2, 2}, x{5, 1, 1, 2, 2};
  expect_as_by_entries(Convolution(in, out, {y, x}, 1, small_integers(8 * 8 * 25, random)), random);
}

TEST(ConvolutionApply, ProductsAreThoseOfTheTapsThatAreRead) {
  const Shape in{2, 4, 6}, out{2, 2, 4};
  std::vector<double> weights(2 * 4 * 3, 1.0);
  EXPECT_EQ(Convolution(in, out, {{3}}, 1, weights).products(), 2 * 4 * 3 * 8);
  for (std::size_t c = 0; c < 4; ++c) weights[3 * c + 1] = 0;  // the first output leaves out the tap in the middle
  const Convolution op(in, out, {{3}}, 1, weights);
  EXPECT_EQ(op.products(), (2 + 3) * 4 * 8);
  EXPECT_TRUE(op.reads(0, 0));
  EXPECT_FALSE(op.reads(0, 1));
  EXPECT_TRUE(op.reads(1, 1));
}

}  // namespace
}  // namespace tacit::layout
