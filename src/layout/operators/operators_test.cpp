#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <numeric>
#include <random>

#include "base/error.h"
#include "layout/operators/combined.h"
#include "layout/operators/matrix.h"
#include "layout/operators/movement.h"
#include "layout/operators/repeated.h"
#include "layout/operators/rounded.h"
#include "layout/operators/row_band.h"
#include "layout/operators/window.h"
#include "layout/random_window_for_test.h"
#include "layout/serialize.h"
#include "layout/sparse_rows.h"

namespace tacit::layout {
namespace {

std::vector<double> apply(const LinearOperator& op, const std::vector<double>& x) {
  std::vector<double> y(static_cast<std::size_t>(element_count(op.out_shape())));
  for (std::size_t r = 0; r < y.size(); ++r)
    op.row(static_cast<Index>(r), [&](Index c, double w) { y[r] += w * x.at(static_cast<std::size_t>(c)); });
  return y;
}

std::vector<double> random_values(Index count, std::mt19937& random) {
  std::uniform_real_distribution<double> value(-1, 1);
  std::vector<double> values(static_cast<std::size_t>(count));
  for (double& v : values) v = value(random);
  return values;
}

/// out[e] = factors[e] * in[e].
LinearOperatorPtr diagonal_operator(const Shape& shape, const std::vector<double>& factors) {
  return scaled(std::make_shared<Identity>(shape), RepeatedReals::of(factors));
}

/// The operator itself, and again after a trip through bytes.
void expect_result(const LinearOperator& op, const std::vector<double>& x, const std::vector<double>& expected) {
  ByteWriter writer;
  write_operator(writer, op);
  const auto bytes = writer.take();
  ByteReader reader(bytes, "operator");
  const LinearOperatorPtr read = read_operator(reader);
  reader.expect_end();
  EXPECT_EQ(read->in_shape(), op.in_shape());
  EXPECT_EQ(read->out_shape(), op.out_shape());
  EXPECT_EQ(apply(*read, x), apply(op, x));
  const std::vector<double> y = apply(op, x);
  ASSERT_EQ(y.size(), expected.size());
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], expected[i], 1e-12) << i;
}

TEST(Operators, ConvolutionEqualsItsDefinitionForStridesPadsDilationsAndGroups) {
  std::mt19937 random(11);
  struct Case {
    Index channels, outputs, groups;
    WindowAxis y, x;
  };
  for (const Case& c :
       {Case{3, 4, 1, {3, 1, 1, 1, 1}, {3, 1, 1, 1, 1}}, Case{4, 6, 2, {3, 2, 1, 0, 1}, {2, 1, 2, 1, 0}},
        Case{4, 4, 4, {5, 3, 1, 2, 2}, {1, 2, 1, 0, 0}}}) {
    const Index h = 9, w = 8;
    const auto extent = [](Index n, const WindowAxis& a) {
      return (n + a.pad_begin + a.pad_end - (a.kernel - 1) * a.dilation - 1) / a.stride + 1;
    };
    const Index oh = extent(h, c.y), ow = extent(w, c.x), in_group = c.channels / c.groups;
    const auto weights = random_values(c.outputs * in_group * c.y.kernel * c.x.kernel, random);
    const auto x = random_values(2 * c.channels * h * w, random);
    std::vector<double> expected;
    for (Index b = 0; b < 2; ++b)
      for (Index m = 0; m < c.outputs; ++m)
        for (Index i = 0; i < oh; ++i)
          for (Index j = 0; j < ow; ++j) {
            double sum = 0;
            for (Index k = 0; k < in_group; ++k)
              for (Index u = 0; u < c.y.kernel; ++u)
                for (Index v = 0; v < c.x.kernel; ++v) {
                  const Index yy = i * c.y.stride - c.y.pad_begin + u * c.y.dilation;
                  const Index xx = j * c.x.stride - c.x.pad_begin + v * c.x.dilation;
                  if (yy < 0 || yy >= h || xx < 0 || xx >= w) continue;
                  const Index channel = m / (c.outputs / c.groups) * in_group + k;
                  sum += weights[static_cast<std::size_t>(((m * in_group + k) * c.y.kernel + u) * c.x.kernel + v)] *
                         x[static_cast<std::size_t>(((b * c.channels + channel) * h + yy) * w + xx)];
                }
            expected.push_back(sum);
          }
    expect_result(Convolution({2, c.channels, h, w}, {2, c.outputs, oh, ow}, {c.y, c.x}, c.groups, weights), x,
                  expected);
  }
}

TEST(Operators, ConvolutionInOneAndThreeDimensions) {
  expect_result(Convolution({1, 1, 5}, {1, 1, 3}, {{3, 1, 1, 0, 0}}, 1, {1, 10, 100}), {1, 2, 3, 4, 5},
                {321, 432, 543});
  expect_result(Convolution({1, 1, 2, 2, 2}, {1, 1, 1, 1, 1}, {{2}, {2}, {2}}, 1, {1, 2, 3, 4, 5, 6, 7, 8}),
                {1, 1, 1, 1, 2, 2, 2, 2}, {10 + 52});
}

TEST(Operators, AveragePoolCountsPaddingOrNot) {
  const std::vector<double> x{1, 2, 3, 4, 5};
  const WindowAxis axis{2, 2, 1, 1, 0};
  expect_result(AveragePool({1, 1, 5}, {1, 1, 3}, {axis}, true), x, {0.5, 2.5, 4.5});
  expect_result(AveragePool({1, 1, 5}, {1, 1, 3}, {axis}, false), x, {1, 2.5, 4.5});
  // Ceil mode: the last window hangs over the edge by one element that is not padding.
  expect_result(AveragePool({1, 1, 5}, {1, 1, 3}, {{2, 2, 1, 0, 0}}, true), x, {1.5, 3.5, 5});
}

TEST(Operators, MatrixProducts) {
  expect_result(Contraction::dense({2, 3}, 2, {1, 2, 3, 4, 5, 6}), {1, 1, 1, 1, 0, -1}, {6, 15, -2, -2});
  // x^T A for x [2, 1] from the left: columns of A.
  expect_result(Contraction({2}, {3}, {{0, 0, 0}, {0, 1, 2}, 1, 3, 2, 0.5, {1, 2, 3, 4, 5, 6}}), {2, 4}, {9, 12, 15});
}

TEST(Operators, Reductions) {
  std::vector<double> x(12);
  std::iota(x.begin(), x.end(), 0.0);
  expect_result(Reduction({2, 3, 2}, {2, 1, 2}, {1}, 1), x, {6, 9, 24, 27});
  expect_result(Reduction({2, 3, 2}, {3}, {0, 2}, 1.0 / 4), x, {3.5, 5.5, 7.5});
}

TEST(Operators, MovementsAndCombinations) {
  const auto reverse = std::make_shared<Gather>(Shape{3}, Shape{4}, std::vector<Index>{2, 1, 0, Gather::kNothing});
  const LinearOperatorPtr twice = diagonal_operator({4}, std::vector<double>{1, 2, 3, 4});
  expect_result(*reverse, {5, 6, 7}, {7, 6, 5, 0});
  expect_result(Composed(twice, reverse), {5, 6, 7}, {7, 12, 15, 0});
  expect_result(Sum(twice, std::make_shared<Identity>(Shape{4})), {1, 1, 1, 1}, {2, 3, 4, 5});
  expect_result(Scaled(twice, RepeatedReals(-1), RepeatedReals(), {2, 2}, {1, 4}), {1, 1, 1, 1}, {-1, -2, -3, -4});
  expect_result(Identity({2, 2}, {4}), {1, 2, 3, 4}, {1, 2, 3, 4});
}

TEST(Operators, FactorsOfRowsAndColumnsJoinWhatTheyAreAround) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> real(-1, 1);
  const auto numbers = [&](std::size_t count) {
    std::vector<double> list(count);
    for (double& x : list) x = real(random);
    return list;
  };
  const LinearOperatorPtr window = std::make_shared<Convolution>(
      Shape{1, 2, 4, 4}, Shape{1, 3, 4, 4}, std::vector<WindowAxis>{{3, 1, 1, 1, 1}, {3, 1, 1, 1, 1}}, 1, numbers(54));
  // A normalisation behind the window and units in front of it, by channel.
  const auto by_channel = [](const std::vector<double>& list) {
    std::vector<double> all;
    for (const double x : list) all.insert(all.end(), 16, x);
    return all;
  };
  const std::vector<double> rows = by_channel({2, 3, 5}), columns = by_channel({7, 11}), input = numbers(32);
  LinearOperatorPtr op = composed(diagonal_operator({1, 3, 4, 4}, rows), window);
  op = composed(op, diagonal_operator({1, 2, 4, 4}, columns));
  const auto* factors = dynamic_cast<const Scaled*>(op.get());
  ASSERT_NE(factors, nullptr);
  EXPECT_EQ(factors->op(), window) << "a window stays a window";
  EXPECT_EQ(factors->rows().values(), (std::vector<double>{2, 3, 5}));
  EXPECT_EQ(factors->columns().values(), (std::vector<double>{7, 11}));
  std::vector<double> expected(48, 0.0), scaled_input = input;
  for (std::size_t i = 0; i < 32; ++i) scaled_input[i] *= columns[i];
  window->apply(scaled_input, expected, 1);
  for (std::size_t i = 0; i < 48; ++i) expected[i] *= rows[i];
  expect_result(*op, input, expected);
  EXPECT_EQ(scaled(op, factors->rows().inverse(), factors->columns().inverse())->in_shape(), window->in_shape());
  const auto both = composed(diagonal_operator({4}, std::vector<double>{1, 2, 3, 4}),
                             diagonal_operator({4}, std::vector<double>{2, 2, 2, 2}));
  EXPECT_EQ(both->diagonal()->values(), (std::vector<double>{2, 4, 6, 8}));
}

TEST(Operators, StructureGivesWhatEntriesGive) {
  std::mt19937 random(12);
  for (int trial = 0; trial < 60; ++trial) {
    const RandomWindow window = random_window(random);
    const Shape& in = window.in;
    LinearOperatorPtr op = std::make_shared<Convolution>(in, window.out, window.axes, window.groups,
                                                         random_values(window.weights(), random));
    if (trial % 5 == 1)
      op = std::make_shared<Contraction>(Contraction::dense(in, 4, random_values(4 * in.back(), random)));
    if (trial % 3 == 0) op = scaled(op, RepeatedReals::of(random_values(element_count(op->out_shape()), random)));
    if (trial % 3 == 1) op = scaled(op, RepeatedReals(-2.0), RepeatedReals(0.5));
    if (trial % 6 == 2) op = scaled(op, RepeatedReals(), RepeatedReals::of(random_values(element_count(in), random)));

    const auto rows = static_cast<std::size_t>(element_count(op->out_shape()));
    const auto columns = static_cast<std::size_t>(element_count(in));
    const LinearOperator::SignedSums sums = op->signed_sums();
    std::vector<double> positive(rows), negative(rows);
    for (std::size_t r = 0; r < rows; ++r)
      op->row(static_cast<Index>(r), [&](Index, double w) { (w > 0 ? positive : negative)[r] += w; });
    for (const std::size_t lanes : {1u, 5u, 16u}) {
      const std::vector<double> x = random_values(static_cast<Index>(columns * lanes), random);
      std::vector<double> y(rows * lanes, 1.0);
      op->apply(x, y, lanes);
      for (std::size_t r = 0; r < rows; ++r) {
        std::vector<double> expected(lanes, 1.0);
        op->row(static_cast<Index>(r), [&](Index c, double w) {
          for (std::size_t i = 0; i < lanes; ++i) expected[i] += w * x[static_cast<std::size_t>(c) * lanes + i];
        });
        for (std::size_t i = 0; i < lanes; ++i) ASSERT_NEAR(y[r * lanes + i], expected[i], 1e-12) << trial;
        ASSERT_NEAR(sums.positive[r], positive[r], 1e-12) << trial;
        ASSERT_NEAR(sums.negative[r], negative[r], 1e-12) << trial;
      }
    }
  }
}

TEST(Operators, ManyVectorsSideBySideGiveWhatEachGives) {
  std::mt19937 random(6);
  std::uniform_real_distribution<double> real(-1, 1);
  std::vector<double> weights(2 * 3 * 9), input(2 * 25 * 16);
  for (double& x : weights) x = real(random);
  for (double& x : input) x = real(random);
  const LinearOperatorPtr window = std::make_shared<Convolution>(
      Shape{1, 2, 5, 5}, Shape{1, 3, 3, 3}, std::vector<WindowAxis>{{3, 1, 1, 0, 0}, {3, 1, 1, 0, 0}}, 1, weights);
  const LinearOperatorPtr mean = std::make_shared<Reduction>(Reduction({1, 3, 3, 3}, {1, 3}, {2, 3}, 1.0 / 9));
  const LinearOperatorPtr chain = std::make_shared<Composed>(mean, scaled(window, RepeatedReals({1, 2, 3}, 9)));
  const LinearOperatorPtr op = std::make_shared<Sum>(chain, scaled(chain, RepeatedReals(-0.5)));
  std::vector<double> together(3 * 16, 0.0);
  op->apply(input, together, 16);
  for (std::size_t lane = 0; lane < 16; ++lane) {
    std::vector<double> one(50);
    for (std::size_t e = 0; e < 50; ++e) one[e] = input[e * 16 + lane];
    std::vector<double> alone(3, 0.0);
    for (std::size_t r = 0; r < 3; ++r)
      op->row(static_cast<Index>(r), [&](Index c, double w) { alone[r] += w * one[static_cast<std::size_t>(c)]; });
    for (std::size_t r = 0; r < 3; ++r) EXPECT_NEAR(together[r * 16 + lane], alone[r], 1e-12);
  }
}

TEST(Operators, ARepeatedOperatorDoesTheSameToEveryTensor) {
  std::mt19937 random(15);
  const WindowAxis axis{3, 2, 1, 1, 1};
  const Shape in{1, 2, 5, 4}, out{1, 4, 3, 2};
  const LinearOperatorPtr window =
      std::make_shared<Convolution>(in, out, std::vector<WindowAxis>{axis, axis}, 1, random_values(4 * 2 * 9, random));
  const LinearOperatorPtr one = scaled(window, RepeatedReals::of(random_values(24, random)), RepeatedReals({2, 3}, 20));
  const LinearOperatorPtr three = repeated(one, 3);
  EXPECT_EQ(three->in_shape(), (Shape{3, 2, 5, 4}));
  EXPECT_EQ(three->out_shape(), (Shape{3, 4, 3, 2}));
  const std::vector<double> x = random_values(120, random);
  std::vector<double> expected;
  for (std::size_t t = 0; t < 3; ++t) {
    const auto begin = x.begin() + static_cast<std::ptrdiff_t>(40 * t);
    const std::vector<double> y = apply(*one, {begin, begin + 40});
    expected.insert(expected.end(), y.begin(), y.end());
  }
  expect_result(*three, x, expected);
  std::vector<double> streamed(72);
  three->apply(x, streamed, 1);
  for (std::size_t i = 0; i < 72; ++i) EXPECT_NEAR(streamed[i], expected[i], 1e-12);
  const auto sums = three->signed_sums(), defined = three->LinearOperator::signed_sums();
  for (std::size_t i = 0; i < 72; ++i) {
    EXPECT_NEAR(sums.positive[i], defined.positive[i], 1e-12);
    EXPECT_NEAR(sums.negative[i], defined.negative[i], 1e-12);
  }
  const auto pattern = three->window_pattern();
  ASSERT_TRUE(pattern.has_value());
  EXPECT_EQ(pattern->window.in(), three->in_shape());
  EXPECT_EQ(pattern->window.out(), three->out_shape());

  EXPECT_EQ(three->equal_part(2), nullptr);
  const LinearOperatorPtr part = three->equal_part(3);
  ASSERT_NE(part, nullptr);
  EXPECT_EQ(apply(*part, {x.begin(), x.begin() + 40}), std::vector<double>(expected.begin(), expected.begin() + 24));
  EXPECT_EQ(one->equal_part(1), nullptr);
  // Factors that differ from tensor to tensor.
  const LinearOperatorPtr uneven = scaled(repeated(window, 3), RepeatedReals::of(random_values(72, random)));
  EXPECT_EQ(uneven->equal_part(3), nullptr);
}

TEST(Operators, ARepeatedShapeIsABatch) {
  EXPECT_EQ(side_by_side({1, 3, 8}, 4), (Shape{4, 3, 8}));
  EXPECT_EQ(side_by_side({3, 8}, 4), (Shape{4, 3, 8}));
  EXPECT_EQ(side_by_side({}, 4), Shape{4});
  const auto diagonal = repeated(diagonal_operator({2}, {3, 5}), 3)->diagonal();
  ASSERT_TRUE(diagonal.has_value());
  EXPECT_EQ(diagonal->expanded(6), (std::vector<double>{3, 5, 3, 5, 3, 5}));
  EXPECT_THROW(Repeated(std::make_shared<Identity>(Shape{2}), 0), base::InputError);
}

TEST(Operators, NumbersThatRepeatAreHeldOnce) {
  const RepeatedReals channels = RepeatedReals::of(std::vector<double>{1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 3});
  EXPECT_EQ(channels.values(), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(channels.run(), 2);
  EXPECT_EQ(RepeatedReals::of(std::vector<double>(7, 4.0)).values(), std::vector<double>{4.0});
  const std::vector<double> odd{1, 1, 1, 2, 2};
  EXPECT_EQ(RepeatedReals::of(odd).expanded(5), odd);
  EXPECT_EQ(channels.times(RepeatedReals({1, 10}, 6), 12).expanded(12),
            (std::vector<double>{1, 1, 2, 2, 3, 3, 10, 10, 20, 20, 30, 30}));
  EXPECT_THROW(RepeatedReals(std::vector<double>{}, 1), base::InputError);
  EXPECT_THROW(RepeatedReals({1, 2}, 0), base::InputError);
  EXPECT_THROW(RepeatedReals({1, HUGE_VAL}, 1), base::InputError);
}

TEST(Operators, RefuseWhatDoesNotFit) {
  EXPECT_THROW(Identity({2, 2}, {5}), base::InputError);
  EXPECT_THROW(Gather({2}, {2}, {0, 2}), base::InputError);
  EXPECT_THROW(Gather({2}, {2}, {0}), base::InputError);
  EXPECT_THROW(Convolution({1, 3, 4}, {1, 4, 4}, {{1}}, 2, std::vector<double>(6)), base::InputError);
  EXPECT_THROW(Convolution({1, 2, 4}, {1, 4, 4}, {{1}}, 2, std::vector<double>(5)), base::InputError);
  EXPECT_THROW(Convolution({1, 2, 4}, {1, 4, 4}, {{1, 0}}, 2, std::vector<double>(4)), base::InputError);
  EXPECT_THROW(AveragePool({1, 2, 4}, {1, 3, 4}, {{1}}, true), base::InputError);
  EXPECT_THROW(Contraction({2}, {1}, {{1}, {0}, 1, 1, 2, 1, {1, 2}}), base::InputError);
  EXPECT_THROW(Reduction({2, 2}, {2}, {2}, 1), base::InputError);
  EXPECT_THROW(Composed(std::make_shared<Identity>(Shape{2}), std::make_shared<Identity>(Shape{3})), base::InputError);
}

std::string written(const LinearOperator& op) {
  ByteWriter writer;
  write_operator(writer, op);
  const std::vector<std::uint8_t> bytes = writer.take();
  return {bytes.begin(), bytes.end()};
}

LinearOperatorPtr read(const std::string& text) {
  const std::vector<std::uint8_t> bytes(text.begin(), text.end());
  ByteReader reader(bytes, "operator");
  return read_operator(reader);
}

// Operators as deep as the bound are written and read. One that is deeper is refused, whatever holds the others.
TEST(Operators, NestingIsBounded) {
  const LinearOperatorPtr one = std::make_shared<Identity>(Shape{1, 1, 1, 1});
  using Wrap = std::function<LinearOperatorPtr(const LinearOperatorPtr&)>;
  const std::map<std::string, Wrap> wraps = {
      {"scaled",
       [](const auto& op) {
         return std::make_shared<Scaled>(op, RepeatedReals(), RepeatedReals(), op->in_shape(), op->out_shape());
       }},
      {"repeated", [](const auto& op) { return std::make_shared<Repeated>(op, 1); }},
      {"rounded", [](const auto& op) { return std::make_shared<Rounded>(op); }},
      {"composed first", [&](const auto& op) { return std::make_shared<Composed>(op, one); }},
      {"composed second", [&](const auto& op) { return std::make_shared<Composed>(one, op); }},
      {"sum first", [&](const auto& op) { return std::make_shared<Sum>(op, one); }},
      {"sum second", [&](const auto& op) { return std::make_shared<Sum>(one, op); }},
      {"row band", [](const auto& op) {
         return std::make_shared<RowBand>(op, RowSelection{.in = op->in_shape(), .out = op->out_shape(), .rows = 1});
       }}};
  for (const auto& [name, wrap] : wraps) {
    SCOPED_TRACE(name);
    LinearOperatorPtr op = one;
    for (int i = 1; i < kMaxOperatorDepth; ++i) op = wrap(op);
    const std::string inner = written(*op);
    op = wrap(op);
    const std::string outer = written(*op);
    EXPECT_EQ(written(*read(outer)), outer);
    EXPECT_THROW(written(*wrap(op)), base::InternalError);
    const std::size_t at = outer.find(inner);
    ASSERT_NE(at, std::string::npos);
    EXPECT_THROW(read(outer.substr(0, at) + outer + outer.substr(at + inner.size())), base::InputError);
  }
}

}  // namespace
}  // namespace tacit::layout
