#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/passes/linearise.h"
#include "graph/passes/recognise.h"
#include "graph/passes/sketch.h"
#include "graph/quant/quantise.h"
#include "layout/operators/combined.h"
#include "layout/operators/movement.h"

/// Small networks with ranges that are set by hand, and the numbers of the programs that they become.
namespace tacit::graph::quant {

using Numbers = std::vector<double>;

inline passes::Network network_of(const Graph& graph) { return passes::linearise(passes::recognise(graph)); }

/// Returns a value of these ranges, element by element.
inline passes::Value value_of(const Shape& shape, std::vector<Range> ranges) {
  passes::Value made{passes::Private{}, shape, "n", "Gemm", {}};
  for (const Range& range : ranges) made.range.include(range);
  made.element_ranges = std::move(ranges);
  return made;
}

/// Returns the operator that multiplies each element of a row by its factor.
inline layout::LinearOperatorPtr by_element(const Numbers& factors) {
  const Shape row{1, static_cast<std::int64_t>(factors.size())};
  return layout::scaled(std::make_shared<layout::Identity>(row), layout::RepeatedReals::of(factors));
}

/// x [1, 2] -> Relu of a sum of two elements -> a sum of one.
inline passes::Network relu_between_sums(Numbers first, Numbers last) {
  passes::Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId p = s.node("MatMul", {x, s.constant({2, 2}, std::move(first))}, {1, 2});
  const TensorId r = s.node("Relu", {p}, {1, 2});
  s.output(s.node("MatMul", {r, s.constant({2, 1}, std::move(last))}, {1, 1}));
  return network_of(s.graph);
}

/// What the samples showed of the values behind the input.
inline void set_ranges(passes::Network& network, const std::vector<Range>& ranges) {
  for (std::size_t i = 0; i < ranges.size(); ++i) network.values.at(i).range = ranges[i];
}

/// x = (a, b). Two sums, `p` = a - b / 2 from -1 to 1 and `q` = a / 4 + 0.7 b from -1/4 to 3/4.
/// The output is 3/4 Relu(p) - 2 Relu(q) + 1/2.
inline passes::Network uneven() {
  passes::Network network = relu_between_sums({1, 0.25, -0.5, 0.7}, {0.75, -2});
  set_ranges(network, {{-1, 1}, {-1, 1}, {0, 1}, {-1, 1}});
  network.values.at(1).element_ranges = {{-1, 1}, {-0.25, 0.75}};
  std::get<passes::Affine>(network.values.at(3).operation).bias = layout::RepeatedReals(0.5);
  return network;
}

/// Both elements from 0 to 1: tables of two bits, a box 1 wide, are centred on -1, 0, 1 and 2.
inline passes::Network whole_boxes(Numbers last) {
  passes::Network network = relu_between_sums({1, 0.25, -0.5, 0.7}, std::move(last));
  set_ranges(network, {{-1, 1}, {0, 1}, {0, 1}, {-1, 1}});
  return network;
}

/// Squares of two sums of two elements, and a sum of these.
inline passes::Network squares_between_sums() {
  passes::Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId p = s.node("MatMul", {x, s.constant({2, 2}, {1, 0.25, -0.5, 0.7})}, {1, 2});
  s.output(s.node("MatMul", {s.node("Mul", {p, p}, {1, 2}), s.constant({2, 1}, {0.75, -2})}, {1, 1}));
  return network_of(s.graph);
}

inline Precision approximate_of(int bits) {
  Precision precision;
  precision.bits = bits;
  return precision;
}

inline Precision exact_of(int bits) {
  Precision precision{.rounding = Rounding::exact, .bits = bits, .weight_bits = 4};
  precision.input_bits = 12;
  precision.first_weight_bits = 8;
  precision.result_bits = 3;
  precision.coarse_input_bits = 6;
  precision.coarse_weight_bits = 4;
  return precision;
}

inline Quantised quantised(const passes::Network& network, const Precision& precision,
                           const std::optional<std::pair<double, double>>& input_range = std::pair{-1.0, 1.0}) {
  std::vector<std::string> outputs{"y", "z"};
  outputs.resize(network.outputs.size());
  return quantise(network, {"x"}, outputs, precision, input_range);
}

/// What a table of Relu gives for a box: its mean at four points, or its value at the centre where that is linear.
inline double mean_of_relu(double centre, double width) {
  double sum = 0;
  for (const double shift : {-3.0 / 8, -1.0 / 8, 1.0 / 8, 3.0 / 8}) sum += std::max(0.0, centre + shift * width);
  return sum / 4;
}

/// The weights of a term of a sum, by row.
inline Numbers weights(const integers::Program& program, std::size_t at, std::size_t term = 0) {
  const auto& op = std::get<integers::Linear>(program.instructions.at(at).operation).terms.at(term).op;
  const auto rows = static_cast<std::size_t>(layout::element_count(op->out_shape()));
  const auto columns = static_cast<std::size_t>(layout::element_count(op->in_shape()));
  Numbers all(rows * columns, 0.0);
  for (std::size_t c = 0; c < columns; ++c) {
    Numbers unit(columns, 0.0), out(rows, 0.0);
    unit[c] = 1;
    op->apply(unit, out, 1);
    for (std::size_t r = 0; r < rows; ++r) all[r * columns + c] = out[r];
  }
  return all;
}

inline const std::vector<std::int64_t>& biases(const integers::Program& program, std::size_t at) {
  return std::get<integers::Linear>(program.instructions.at(at).operation).bias;
}

inline const integers::Lookup& lookup_of(const integers::Program& program, std::size_t at) {
  return std::get<integers::Lookup>(program.instructions.at(at).operation);
}

inline void expect_integers(const integers::Instruction& made, int step, std::int64_t lowest, std::int64_t highest,
                            bool exact) {
  EXPECT_EQ(made.step, step) << made.source;
  EXPECT_EQ(made.lowest, lowest) << made.source;
  EXPECT_EQ(made.highest, highest) << made.source;
  EXPECT_EQ(made.exact, exact) << made.source;
}

/// Element e stands for scale v + offset.
inline void expect_meaning(const layout::RepeatedReals& scale, const layout::RepeatedReals& offset, layout::Index e,
                           double of_one, double of_zero) {
  EXPECT_NEAR(scale[e] / of_one, 1, 1e-12) << e;
  EXPECT_NEAR(offset[e], of_zero, 1e-9) << e;
}

}  // namespace tacit::graph::quant
