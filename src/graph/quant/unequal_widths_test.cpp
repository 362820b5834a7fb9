#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "graph/quant/compiled_for_test.h"

/// Networks whose elements differ by orders of magnitude are as exact as networks with even elements. The error of an
/// output is compared with the range of this output.
namespace tacit::graph::quant {
namespace {

using passes::Sketch;
using Numbers = std::vector<double>;

/// Rows of normal numbers of these deviations.
std::vector<std::vector<Tensor>> rows(const Numbers& deviations, std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> draw;
  std::vector<std::vector<Tensor>> result;
  for (std::size_t i = 0; i < count; ++i) {
    Tensor row{{1, static_cast<std::int64_t>(deviations.size())}, {}, false};
    for (const double deviation : deviations) row.data.push_back(std::clamp(draw(random), -3.0, 3.0) * deviation);
    result.push_back({std::move(row)});
  }
  return result;
}

/// The root of the mean squared error of every element of the first output, as a share of its range over the rows.
Numbers errors(const Graph& graph, const Numbers& deviations, int bits) {
  CompileOptions options;
  options.bits = bits;
  options.calibration = rows(deviations, 300, 1);
  const CompiledIntegers model = compile(graph, options);
  Numbers squares;
  std::vector<Range> ranges;
  const auto fresh = rows(deviations, 60, 2);
  for (const auto& row : fresh) {
    const Numbers expected = reference::run(graph, row).at(0).data, got = answer(model, row).at(0).data;
    squares.resize(expected.size());
    ranges.resize(expected.size());
    for (std::size_t e = 0; e < expected.size(); ++e) {
      squares[e] += (got[e] - expected[e]) * (got[e] - expected[e]) / static_cast<double>(fresh.size());
      ranges[e].include(expected[e]);
    }
  }
  for (std::size_t e = 0; e < squares.size(); ++e) squares[e] = std::sqrt(squares[e]) / ranges[e].width();
  return squares;
}

void expect_all_below(const Numbers& errors, double bound) {
  for (const double error : errors) EXPECT_LT(error, bound);
}

/// A sum of squares of features, each divided by its variance.
TEST(UnequalWidths, SquaresOfFeatures) {
  const Numbers widths{1, 1e4, 1e-3};
  Sketch s;
  const TensorId x = s.input({1, 3}), squares = s.node("Mul", {x, x}, {1, 3});
  s.output(s.node("MatMul", {squares, s.constant({3, 1}, {1, 1e-8, 1e6})}, {1, 1}));
  expect_all_below(errors(s.graph, widths, 8), 0.01);
}

/// A layer whose units are scaled by `factors`, which the next layer undoes.
Graph perceptron(const Numbers& factors) {
  const Numbers into{1, -0.5, 0.3, 0.8, 0.2, 0.7, -1, 0.4}, out{1, -0.6, 0.5, 0.9};
  Numbers first, second;
  for (std::size_t i = 0; i < into.size(); ++i) first.push_back(into[i] * factors[i % 4]);
  for (std::size_t i = 0; i < out.size(); ++i) second.push_back(out[i] / factors[i]);
  Sketch s;
  const TensorId h = s.node("MatMul", {s.input({1, 2}), s.constant({2, 4}, first)}, {1, 4});
  s.output(s.node("MatMul", {s.node("Relu", {h}, {1, 4}), s.constant({4, 1}, second)}, {1, 1}));
  return s.graph;
}

TEST(UnequalWidths, ScaledUnitsChangeNothing) {
  const Numbers even{1, 1, 1, 1}, uneven{1, 1e4, 1e-4, 50};
  const double with_even = errors(perceptron(even), {1, 1}, 6).at(0);
  const double with_uneven = errors(perceptron(uneven), {1, 1}, 6).at(0);
  EXPECT_LT(with_even, 0.03);
  EXPECT_LT(with_uneven, 1.5 * with_even);
}

TEST(UnequalWidths, AGateTimesAWideValue) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId gate =
      s.node("Sigmoid", {s.node("MatMul", {x, s.constant({2, 2}, {1, 0.5, -0.5, 1})}, {1, 2})}, {1, 2});
  const TensorId wide = s.node("MatMul", {x, s.constant({2, 2}, {250, -4000, 100, 900})}, {1, 2});
  s.output(s.node("Mul", {gate, wide}, {1, 2}));
  expect_all_below(errors(s.graph, {1, 1}, 8), 0.02);
}

/// A million to one: sums of tables, and sums of inputs.
TEST(UnequalWidths, Targets) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId h =
      s.node("Tanh", {s.node("MatMul", {x, s.constant({2, 3}, {1, 0.5, -1, 0.3, -0.8, 1})}, {1, 3})}, {1, 3});
  s.output(s.node("MatMul", {h, s.constant({3, 2}, {1, 1e6, -0.5, 7e5, 0.7, -1e6})}, {1, 2}));
  expect_all_below(errors(s.graph, {1, 1}, 8), 0.015);
  Sketch linear;
  linear.output(linear.node("MatMul", {linear.input({1, 2}), linear.constant({2, 2}, {1, 1e6, -0.5, 3e5})}, {1, 2}));
  expect_all_below(errors(linear.graph, {1, 1}, 6), 0.005);
}

/// Differences of elements of unequal widths, which are sums of equal weights: the narrow ones keep their bits.
TEST(UnequalWidths, SumsOfEqualWeights) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId p = s.node("Tanh", {s.node("MatMul", {x, s.constant({2, 2}, {1, 300, 0.4, -200})}, {1, 2})}, {1, 2});
  const TensorId scaled = s.node("Mul", {p, s.constant({1, 2}, {1, 1e-3})}, {1, 2});
  const TensorId q = s.node("Sigmoid", {s.node("MatMul", {x, s.constant({2, 2}, {0.5, 1, 1, -1})}, {1, 2})}, {1, 2});
  const TensorId small = s.node("Mul", {q, s.constant({1, 2}, {1, 1e-3})}, {1, 2});
  s.output(s.node("Sub", {scaled, small}, {1, 2}));
  expect_all_below(errors(s.graph, {1, 1}, 8), 0.03);
}

/// More bits never cost precision.
TEST(UnequalWidths, ErrorsFallWithBits) {
  double before = 1;
  for (const int bits : {4, 6, 8}) {
    const double error = errors(perceptron({1, 10, 0.1, 3}), {1, 1}, bits).at(0);
    EXPECT_LT(error, before) << bits;
    before = error;
  }
}

}  // namespace
}  // namespace tacit::graph::quant
