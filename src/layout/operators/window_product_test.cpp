#include "layout/operators/window_product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>

#include "base/parallel.h"
#include "layout/operators/applied_for_test.h"
#include "layout/operators/combined.h"
#include "layout/operators/movement.h"
#include "layout/operators/repeated.h"
#include "layout/operators/row_band.h"
#include "layout/random_window_for_test.h"
#include "layout/serialize.h"
#include "layout/sparse_rows.h"

namespace tacit::layout {
namespace {

std::vector<double> numbers(Index count, std::mt19937& random) {
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<double> result(static_cast<std::size_t>(count));
  for (double& x : result) x = number(random);
  return result;
}

std::vector<double> applied_over_halves(const LinearOperator& op, const std::vector<double>& x, std::size_t lanes) {
  std::vector<double> y(static_cast<std::size_t>(element_count(op.out_shape())) * lanes, 0.5);
  op.apply(x, y, lanes);
  return y;
}

void expect_equal(const LinearOperator& op, const LinearOperator& by_lists, std::mt19937& random) {
  for (const std::size_t lanes : {std::size_t{1}, std::size_t{3}, std::size_t{16}}) {
    const std::vector<double> x = numbers(element_count(op.in_shape()) * static_cast<Index>(lanes), random);
    const std::vector<double> got = applied_over_halves(op, x, lanes), want = applied_over_halves(by_lists, x, lanes);
    for (std::size_t i = 0; i < want.size(); ++i) ASSERT_NEAR(got[i], want[i], 1e-12) << lanes << " lanes, " << i;
  }
  const SparseRows entries = SparseRows::of(op);
  const std::vector<double> x = numbers(element_count(op.in_shape()), random);
  const std::vector<double> got = applied_over_halves(entries, x, 1), want = applied_over_halves(by_lists, x, 1);
  for (std::size_t i = 0; i < want.size(); ++i) ASSERT_NEAR(got[i], want[i], 1e-12) << "entry by entry, " << i;
}

LinearOperatorPtr convolution(const Shape& in, const Shape& out, std::vector<WindowAxis> axes, std::mt19937& random,
                              Index groups = 1) {
  Index taps = 1;
  for (const WindowAxis& axis : axes) taps *= axis.kernel;
  return std::make_shared<Convolution>(in, out, std::move(axes), groups,
                                       numbers(out[1] * in[1] / groups * taps, random));
}

/// Channels of `shape` from the first on, among so many.
LinearOperatorPtr placed_among(const Shape& shape, Index first, Index channels) {
  const Index plane = element_count(shape) / shape[1];
  Shape out = shape;
  out[1] = channels;
  std::vector<Index> source(static_cast<std::size_t>(element_count(out)), Gather::kNothing);
  for (Index e = 0; e < element_count(shape); ++e) source[static_cast<std::size_t>(e + first * plane)] = e;
  return std::make_shared<Gather>(shape, out, std::move(source));
}

TEST(WindowProduct, MeansOfConvolutionsAreConvolutions) {
  std::mt19937 random(1);
  int made = 0;
  for (int round = 0; round < 200; ++round) {
    const RandomWindow window = random_window(random);
    const LinearOperatorPtr inner = convolution(window.in, window.out, window.axes, random, window.groups);
    const auto up_to = [&](Index most) { return std::uniform_int_distribution<Index>(1, most)(random); };
    std::vector<WindowAxis> axes;
    Shape out{window.out[0], window.out[1]};
    for (std::size_t d = 2; d < window.out.size(); ++d) {
      const WindowAxis axis{std::min(up_to(3), window.out[d]), up_to(2), 1, 0, 0};
      axes.push_back(axis);
      out.push_back((window.out[d] - axis.kernel) / axis.stride + 1);
    }
    const LinearOperatorPtr outer = std::make_shared<AveragePool>(window.out, out, axes, round % 2 == 0);
    const Composed both(outer, inner);
    expect_equal(both, Composed(listed(*outer), listed(*inner)), random);
    if (HasFatalFailure()) return;
    if (both.one_window()) {
      ++made;
      EXPECT_EQ(both.one_window()->op->window().out(), out);
      EXPECT_NE(both.window_pattern(), std::nullopt);
    }
  }
  EXPECT_GT(made, 150);
}

TEST(WindowProduct, APoolThatLeavesItsInputStaysApart) {
  std::mt19937 random(2);
  const Shape in{1, 2, 6, 6}, middle{1, 3, 6, 6}, out{1, 3, 3, 3};
  const WindowAxis three{3, 1, 1, 1, 1}, padded{3, 2, 1, 1, 1}, hanging{3, 2, 1, 0, 1}, inside{2, 2, 1, 0, 0};
  const LinearOperatorPtr inner = convolution(in, middle, {three, three}, random);
  for (const WindowAxis& axis : {padded, hanging, inside})
    for (const bool count_padding : {false, true}) {
      const LinearOperatorPtr pool =
          std::make_shared<AveragePool>(middle, out, std::vector<WindowAxis>{inside, axis}, count_padding);
      const Composed both(pool, inner);
      EXPECT_EQ(both.one_window().has_value(), axis == inside);
      expect_equal(both, Composed(listed(*pool), listed(*inner)), random);
    }
}

TEST(WindowProduct, BranchesOfAConcatenationAreOneConvolution) {
  std::mt19937 random(3);
  const Shape in{1, 4, 8, 8}, some{1, 7, 8, 8}, more{1, 6, 8, 8}, pooled_some{1, 7, 4, 4}, pooled_more{1, 6, 4, 4};
  const WindowAxis point{1, 1, 1, 0, 0}, three{3, 1, 1, 1, 1}, two{2, 2, 1, 0, 0};
  const LinearOperatorPtr a = convolution(in, some, {point, point}, random),
                          b = convolution(in, more, {three, three}, random);
  const auto pool = [&](const Shape& from, const Shape& to) {
    return std::make_shared<AveragePool>(from, to, std::vector<WindowAxis>{two, two}, false);
  };
  const auto sum = [&](const auto& of) -> LinearOperatorPtr {
    const LinearOperatorPtr left = std::make_shared<Composed>(of(pool(some, pooled_some)), of(a)),
                            right = std::make_shared<Composed>(of(pool(more, pooled_more)), of(b));
    return std::make_shared<Sum>(std::make_shared<Composed>(of(placed_among(pooled_some, 0, 13)), left),
                                 std::make_shared<Composed>(of(placed_among(pooled_more, 7, 13)), right));
  };
  const LinearOperatorPtr both = sum([](const LinearOperatorPtr& op) { return op; });
  ASSERT_TRUE(both->one_window());
  const Convolution& one = *both->one_window()->op;
  EXPECT_EQ(one.window().axes()[0], (WindowAxis{4, 2, 1, 1, 1}));
  // 2 x 2 taps of the pool alone in seven channels, and 4 x 4 in six.
  EXPECT_EQ(one.products(), 4.0 * (7 * 4 + 6 * 16) * 16);
  const LinearOperatorPtr lists = sum([](const LinearOperatorPtr& op) { return listed(*op); });
  expect_equal(*both, *lists, random);
  // Rows of it have the structure of a window, however many samples there are.
  for (const Index batch : {1, 2}) {
    Shape many_in = in, out{batch, 13, 4, 4};
    many_in[0] = batch;
    const LinearOperatorPtr many = batch == 1 ? both : repeated(both, batch);
    const RowSelection selection{many_in, out, 2, -1, -1, 0, 7};
    const RowBand band(many, selection), by_lists(batch == 1 ? lists : repeated(lists, batch), selection);
    EXPECT_NE(band.window_pattern(), std::nullopt);
    EXPECT_EQ(by_lists.window_pattern(), std::nullopt);
    expect_equal(band, by_lists, random);
  }
}

TEST(WindowProduct, ConvolutionsReadTheChannelsAloneThatArePlacedBeforeThem) {
  std::mt19937 random(7);
  const Shape some{1, 5, 6, 8}, all{1, 12, 6, 8}, out{1, 9, 3, 4};
  const WindowAxis axis{3, 2, 1, 1, 0};
  const LinearOperatorPtr read = convolution(all, out, {axis, axis}, random), place = placed_among(some, 4, 12);
  const LinearOperatorPtr both = composed(read, place);
  ASSERT_TRUE(both->one_window());
  EXPECT_EQ(both->one_window()->op->products() * 12, read->one_window()->op->products() * 5);
  const LinearOperatorPtr lists = std::make_shared<Composed>(listed(*read), listed(*place));
  EXPECT_FALSE(lists->one_window());
  expect_equal(*both, *lists, random);
  const RowSelection selection{some, {1, 9, 3, 4}, 2, -1, -1, 0, 5};
  const RowBand band(both, selection), by_lists(lists, selection);
  EXPECT_NE(band.window_pattern(), std::nullopt);
  expect_equal(band, by_lists, random);

  // Channels in another order, one of them twice; columns of a channel that change places are no channels.
  std::vector<Index> source;
  for (const Index channel : {2, 0, 4, 2})
    for (Index e = 0; e < 48; ++e) source.push_back(channel * 48 + e);
  const Shape few{1, 4, 6, 8};
  const auto order = [&] { return std::make_shared<Gather>(some, few, source); };
  const LinearOperatorPtr narrow = convolution(few, out, {axis, axis}, random);
  EXPECT_FALSE(composed(narrow, order())->one_window()) << "it would read more channels than before";
  std::swap(source[0], source[1]);
  EXPECT_FALSE(composed(narrow, order())->one_window());
  const Shape twice{1, 6, 6, 8};
  source.clear();
  for (const Index channel : {2, 0, 4, 2, 1, 3})
    for (Index e = 0; e < 48; ++e) source.push_back(channel * 48 + e);
  const LinearOperatorPtr wide = convolution(twice, out, {axis, axis}, random);
  const auto repeat = std::make_shared<Gather>(some, twice, source);
  ASSERT_TRUE(composed(wide, repeat)->one_window());
  expect_equal(*composed(wide, repeat), Composed(listed(*wide), listed(*repeat)), random);
  const LinearOperatorPtr grouped = convolution(all, {1, 8, 3, 4}, {axis, axis}, random, 4);
  EXPECT_FALSE(composed(grouped, place)->one_window());
}

TEST(WindowProduct, FilesHoldTheParts) {
  std::mt19937 random(4);
  const Shape in{1, 4, 8, 8}, middle{1, 6, 8, 8}, out{1, 6, 4, 4};
  const WindowAxis three{3, 1, 1, 1, 1}, two{2, 2, 1, 0, 0};
  const LinearOperatorPtr inner = convolution(in, middle, {three, three}, random);
  const LinearOperatorPtr pool = std::make_shared<AveragePool>(middle, out, std::vector<WindowAxis>{two, two}, false);
  const auto bytes_of = [](const LinearOperator& op) {
    ByteWriter writer;
    write_operator(writer, op);
    return writer.take();
  };
  const Composed both(pool, inner);
  const auto bytes = bytes_of(both);
  EXPECT_LT(bytes.size(), bytes_of(*inner).size() + 400);
  ByteReader reader(bytes, "operator");
  const LinearOperatorPtr read = read_operator(reader);
  ASSERT_TRUE(read->one_window());
  EXPECT_EQ(read->one_window()->op->weights(), both.one_window()->op->weights());
}

TEST(WindowProduct, WhatGrowsOutOfProportionStaysApart) {
  std::mt19937 random(5);
  const Index n = 300;
  const Shape in{1, 1, n}, middle{1, 1, n}, far{1, 1, n - 256};
  const LinearOperatorPtr inner = convolution(in, middle, {{1, 1, 1, 0, 0}}, random);
  // Seventeen weights where one was held.
  const LinearOperatorPtr pool =
      std::make_shared<AveragePool>(middle, far, std::vector<WindowAxis>{{17, 1, 1, 0, 0}}, false);
  EXPECT_FALSE(Composed(pool, inner).one_window());
  const LinearOperatorPtr near =
      std::make_shared<AveragePool>(middle, far, std::vector<WindowAxis>{{16, 1, 1, 0, 0}}, false);
  EXPECT_TRUE(Composed(near, inner).one_window());
  const LinearOperatorPtr left = convolution(in, middle, {{3, 1, 40, 40, 40}}, random),
                          right = convolution(in, middle, {{3, 1, 1, 1, 1}}, random);
  const Sum sum(left, right);
  EXPECT_TRUE(sum.one_window());
  expect_equal(sum, Sum(listed(*left), listed(*right)), random);
  const LinearOperatorPtr farther = convolution(in, middle, {{3, 1, 48, 48, 48}}, random);
  EXPECT_FALSE(Sum(farther, right).one_window());
}

// Sums are in one order, and every product is fused with one: equal bits, whatever the processor and the threads.
class Lanes : public testing::TestWithParam<std::size_t> {};

TEST_P(Lanes, AreTheSameToTheBit) {
  std::mt19937 random(6);
  const std::size_t lanes = GetParam();
  const Shape in{2, 10, 9, 11}, out{2, 14, 5, 11};
  const std::vector<WindowAxis> axes{{3, 2, 1, 1, 1}, {3, 1, 2, 2, 2}};
  const LinearOperatorPtr op = convolution(in, out, axes, random, 2);
  const std::vector<double> x = numbers(element_count(in) * static_cast<Index>(lanes), random);
  std::vector<double> want;
  RowEntries entries;
  for (Index row = 0; row < element_count(out); ++row) {
    entries.clear();
    op->append_row(row, entries);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      double sum = 0;
      for (std::size_t k = 0; k < entries.size(); ++k)
        sum = std::fma(entries.weights[k], x[static_cast<std::size_t>(entries.columns[k]) * lanes + lane], sum);
      want.push_back(0.5 + sum);
    }
  }
  const int limit = base::thread_limit();
  for (const int threads : {1, 4}) {
    base::set_thread_limit(threads);
    EXPECT_EQ(applied_over_halves(*op, x, lanes), want);
  }
  base::set_thread_limit(limit);
}

// One vector, whose outputs lie side by side; two registers of lanes, four, and three times two.
INSTANTIATE_TEST_SUITE_P(Convolutions, Lanes, testing::Values(1, 8, 16, 24));

TEST(WindowProduct, WindowsOfMoreThanAThousandTapsStayApart) {
  std::mt19937 random(7);
  const auto is_one = [&](const Shape& in, const std::vector<WindowAxis>& inner, const std::vector<WindowAxis>& pool) {
    Shape middle = in, out = in;
    for (std::size_t d = 0; d < inner.size(); ++d) {
      middle[d + 2] = in[d + 2] - inner[d].kernel + 1;
      out[d + 2] = middle[d + 2] - pool[d].kernel + 1;
    }
    const Composed both(std::make_shared<AveragePool>(middle, out, pool, false),
                        convolution(in, middle, inner, random));
    return both.one_window().has_value();
  };
  EXPECT_TRUE(is_one({1, 1, 1100}, {{100}}, {{925}}));  // 1,024 taps
  EXPECT_FALSE(is_one({1, 1, 1100}, {{100}}, {{926}}));
  EXPECT_TRUE(is_one({1, 1, 40, 40}, {{8}, {8}}, {{25}, {25}}));  // 32 x 32
  EXPECT_FALSE(is_one({1, 1, 40, 40}, {{9}, {8}}, {{25}, {25}}));
}

}  // namespace
}  // namespace tacit::layout
