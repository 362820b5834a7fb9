#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/refusal_for_test.h"
#include "graph/quant/compiled_for_test.h"
#include "graph/quant/quantised_for_test.h"
#include "layout/operators/matrix.h"

/// Inputs and sums of small programs where ranges, weights and steps meet their limits, and where elements differ.
namespace tacit::graph::quant {
namespace {

using passes::Affine;
using passes::Network;
using passes::Sketch;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A sum of two elements that no table reads.
Network sums_of_inputs(Numbers weights, std::int64_t rows) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  s.output(s.node("MatMul", {x, s.constant({2, rows}, std::move(weights))}, {1, rows}));
  return network_of(s.graph);
}

/// Adds `weights` times the input to the last sum of a network.
void add_input_term(Network& network, Numbers weights) {
  std::get<Affine>(network.values.back().operation)
      .terms.push_back(
          {0, std::make_shared<layout::Contraction>(layout::Contraction::dense({1, 2}, 1, std::move(weights)))});
}

// -- inputs -----------------------------------------------------------------------------------------------------------

/// The range of an element over the samples is not widened to the range of another element.
TEST(QuantisedLimits, ElementsOfInputsHaveRangesOfTheirOwn) {
  Network network = uneven();
  network.values.at(0).element_ranges = {{-1, 1}, {0, 0.5}};
  const Quantised made = quantised(network, approximate_of(4), std::nullopt);
  const integers::Quantiser& quantiser = made.client.inputs.at(0).quantiser;
  expect_meaning(quantiser.scale, quantiser.offset, 0, 4.0 / 65535, -2);
  expect_meaning(quantiser.scale, quantiser.offset, 1, 1.0 / 65535, -0.25);
}

TEST(QuantisedLimits, InputsOfAnUnknownRangeAreRefused) {
  Network trees;
  const auto ensemble = std::make_shared<const TreeEnsemble>(tree_ensemble(regressor(two_trees(), 3, 1).nodes[0]));
  trees.add({passes::Private{}, {1, 3}, "x", "Input", {}, {}});
  trees.add({passes::Trees{0, ensemble}, {1, 1}, "t", "Trees", {}});
  trees.outputs = {1};
  Network sum = sums_of_inputs({1, -0.5}, 1);
  sum.values[1].range = {-1, 1};
  for (const Network& network : {trees, sum})
    EXPECT_THAT(base::refusal([&] { quantised(network, approximate_of(4), std::nullopt); }),
                HasSubstr("integers need the range of this value"));
}

/// The least number of a range that does not begin at its middle counts in sums.
TEST(QuantisedLimits, SumsReadInputsFromTheirLeastNumberOn) {
  Network network = sums_of_inputs({1, -0.5}, 1);
  set_ranges(network, {{1, 3}, {-1.5, 1.5}});
  const Quantised made = quantised(network, approximate_of(6), std::pair{1.0, 3.0});
  EXPECT_EQ(made.client.inputs.at(0).quantiser.offset[0], 1);
  // (1 - 1/2 + 3) 2^29 / 6, and the rounding error of weights of 2730.7 and -1365.4 in the middle of their inputs.
  const double unit = 0x1p29 / 6 * 2 / 65535, rounding = (unit - 2731) - (unit / 2 - 1365);
  EXPECT_THAT(biases(made.program, 1), ElementsAre(std::llround(3.5 * 0x1p29 / 6 + rounding * 65535 / 2)));
}

/// A weight of 12 bits would be finer than the torus.
TEST(QuantisedLimits, StepsOfInputsAreOneOfTheTorusAtLeast) {
  Network network = sums_of_inputs({1, -0.5}, 1);
  set_ranges(network, {{-1, 1}, {-0x1p39, 0x1p39}});
  const Quantised made = quantised(network, approximate_of(6));
  expect_integers(made.program.value(0), 0, 0, 65535, true);
  expect_integers(made.program.value(1), 0, 0, std::int64_t{1} << 62, false);
}

TEST(QuantisedLimits, AnInputThatNobodyReadsFillsTheTorus) {
  Network network;
  network.add({passes::Private{}, {1, 2}, "x", "Input", {-1, 1}, {}});
  network.outputs = {0};
  const Quantised made = quantised(network, approximate_of(4));
  expect_integers(made.program.value(0), 47, 0, 65535, true);
  expect_integers(made.program.value(1), 55, 0, 256, true);
}

/// A table and a sum read the input. Both read it through tables, and its integers fill the boxes of these.
TEST(QuantisedLimits, AnInputThatTablesReadFillsBoxesWhateverItsSumsAskFor) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  s.output(s.node("MatMul", {s.node("Relu", {x}, {1, 2}), s.constant({2, 1}, {0.75, -2})}, {1, 1}));
  Network network = network_of(s.graph);
  ASSERT_EQ(network.values.size(), 3u);
  add_input_term(network, {0.5, 0.25});
  set_ranges(network, {{-1, 1}, {0, 1}, {-1, 1}});
  const Quantised made = quantised(network, approximate_of(4));
  ASSERT_EQ(made.program.instructions.size(), 5u);
  expect_integers(made.program.value(0), 47, 0, 65536 - 8192, true);
  // If the sum takes a 2^13th of the torus, a real 1 of the input is 2^44 steps.
  network.values.at(2).range = {-4096, 4096};
  expect_integers(quantised(network, approximate_of(4)).program.value(0), 47, 0, 65536 - 8192, true);
}

/// With exact rounding, a table's argument reads one of two inputs. Only a result reads the other, which has the bits
/// of results.
TEST(QuantisedLimits, InputsAreAsCoarseAsWhatReadsThem) {
  Sketch s;
  const TensorId x = s.input({1, 2}), z = s.input({1, 2}, "z");
  const TensorId p = s.node("MatMul", {z, s.constant({2, 2}, {1, 0.25, -0.5, 0.7})}, {1, 2});
  s.output(s.node("MatMul", {s.node("Relu", {p}, {1, 2}), s.constant({2, 1}, {0.75, -2})}, {1, 1}));
  s.output(s.node("MatMul", {x, s.constant({2, 1}, {1, -0.5})}, {1, 1}));
  Network network = network_of(s.graph);
  for (passes::Value& value : network.values) value.range = {-1, 1};
  const Quantised made = quantise(network, {"x", "z"}, {"y", "w"}, exact_of(4), std::pair{-1.0, 1.0});
  ASSERT_EQ(made.client.inputs.size(), 2u);
  EXPECT_EQ(made.client.inputs[0].quantiser.highest, 4095);
  EXPECT_EQ(made.client.inputs[1].quantiser.highest, 63);
}

/// Trees compare an input, and a sum adds it to their scores: it must not end where the grid of its samples does.
TEST(QuantisedLimits, InputsOfTreesAndSumsDoNotSaturate) {
  Network network;
  const auto ensemble = std::make_shared<const TreeEnsemble>(tree_ensemble(regressor(two_trees(), 3, 1).nodes[0]));
  const auto dense = [](layout::Index columns, Numbers weights) -> layout::LinearOperatorPtr {
    return std::make_shared<layout::Contraction>(layout::Contraction::dense({1, columns}, 1, std::move(weights)));
  };
  network.add({passes::Private{}, {1, 3}, "x", "Input", {-1, 1}, {}});
  network.add({passes::Trees{0, ensemble}, {1, 1}, "t", "Trees", {}});
  network.add({Affine{{{1, dense(1, {1})}, {0, dense(3, {0.5, -1, 0.25})}}}, {1, 1}, "s", "Add", {-1, 1}});
  network.outputs = {2};
  const Quantised made = quantised(network, approximate_of(4), std::pair{-8.0, 8.0});
  const integers::ClientInput& input = made.client.inputs.at(0);
  EXPECT_FALSE(input.saturates);
  EXPECT_EQ(input.quantiser.highest, 15);
  expect_meaning(input.quantiser.scale, input.quantiser.offset, 0, 16.0 / 15, -8);
}

// -- sums -------------------------------------------------------------------------------------------------------------

TEST(QuantisedLimits, NarrowResultsFillTheTorusAsWideOnesDo) {
  Network network = sums_of_inputs({1, -0.5}, 1);
  set_ranges(network, {{-1, 1}, {-0.125, 0.125}});
  const Quantised made = quantised(network, approximate_of(6));
  expect_integers(made.program.value(0), 37, 0, 65535, true);  // 2^63 * 2 / 65535 / 2047
  expect_integers(made.program.value(1), 37, 0, 1 << 25, false);
  expect_meaning(made.meanings.at(1).scale, made.meanings.at(1).offset, 0, 0x1p-26, -0.25);
}

/// The range of every element of a result fills the same part of the torus.
TEST(QuantisedLimits, ElementsOfResultsHaveUnitsOfTheirOwn) {
  Network network = sums_of_inputs({1, 0.25, -0.5, 0.7}, 2);
  set_ranges(network, {{-1, 1}, {-1.5, 1.5}});
  network.values.at(1).element_ranges = {{-1.5, 1.5}, {-0.5, 0.5}};
  const Quantised made = quantised(network, approximate_of(6));
  expect_integers(made.program.value(1), 34, 0, 1 << 28, false);
  expect_meaning(made.meanings.at(1).scale, made.meanings.at(1).offset, 0, 6 / 0x1p28, -3);
  expect_meaning(made.meanings.at(1).scale, made.meanings.at(1).offset, 1, 2 / 0x1p28, -1);
}

/// Units of sums and differences differ by powers of two: then all weights are whole multiples of one.
TEST(QuantisedLimits, UnitsOfSumsOfEqualWeightsDifferByPowersOfTwo) {
  Network network = relu_between_sums({1, 1, -1, 1}, {0.75, -2});
  set_ranges(network, {{-1, 1}, {-1, 1}, {0, 1}, {-1, 1}});
  network.values.at(1).element_ranges = {{-1, 1}, {-0.25, 0.25}};
  const Quantised made = quantised(network, approximate_of(4));
  // The unit is 7 * 2^60 for an interval of 1, and a quarter of that for 4. 7 * 2^60 / 2047 * 2 / 65535 is more than
  // 2^36.
  expect_integers(made.program.value(1), 36, 0, std::int64_t{7} << 24, false);
  expect_meaning(made.meanings.at(1).scale, made.meanings.at(1).offset, 0, 4 / (7 * 0x1p24), -2);
  expect_meaning(made.meanings.at(1).scale, made.meanings.at(1).offset, 1, 1 / (7 * 0x1p24), -0.5);
}

/// A sum and a difference that a table reads. Another sum requires a finer operand. 7 / 1.2 times a whole weight fits,
/// which is five, so that the interval leaves a part of the boxes unused.
TEST(QuantisedLimits, SumsOfWholeWeightsAreAsWideAsTheseMakeThem) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId p = s.node("MatMul", {x, s.constant({2, 2}, {1, 0.25, -0.5, 0.7})}, {1, 2});
  const TensorId r = s.node("Relu", {p}, {1, 2});
  const TensorId q = s.node("MatMul", {r, s.constant({2, 2}, {1, 1, -1, 1})}, {1, 2});
  const TensorId t = s.node("Relu", {q}, {1, 2});
  s.output(s.node("MatMul", {t, s.constant({2, 1}, {0.75, -2})}, {1, 1}));
  s.output(s.node("MatMul", {r, s.constant({2, 1}, {0.3, 0.3})}, {1, 1}));
  Network network = network_of(s.graph);
  ASSERT_EQ(network.values.size(), 7u);
  set_ranges(network, {{-1, 1}, {0, 1}, {0, 1}, {-1, 1}, {0, 1}, {-1, 1}, {-1, 1}});
  const Quantised made = quantised(network, approximate_of(4));
  EXPECT_THAT(weights(made.program, 3), ElementsAre(5, -5, 5, 5));
  expect_integers(made.program.value(3), 42, 0, 24 << 16, false);
  expect_meaning(made.meanings.at(3).scale, made.meanings.at(3).offset, 0, 1 / (6 * 0x1p16), -2);
}

/// An element that is 0.1 on all samples, and 0.3 in a result. Constants are moved to the middle of a box if a table
/// rounds them, and stay otherwise.
TEST(QuantisedLimits, ConstantsAreMovedWhereTablesRoundThem) {
  Network network = uneven();
  network.values.at(1).element_ranges = {{-1, 1}, {0.1, 0.1}};
  network.values.at(3).range = {0.3, 0.3};
  network.values.at(3).element_ranges = {{0.3, 0.3}};
  const Quantised approximate = quantised(network, approximate_of(4)), exact = quantised(network, exact_of(4));
  // The width is a sixteenth of the width for inputs from -1 to 1: 1.9 for the element and 2.75 for the result.
  const double width = 1.9 / 16, lowest = 0.1 - width / 2, lowest_result = 0.3 - 2.75 / 16 / 2;
  EXPECT_NEAR(std::abs(approximate.meanings.at(1).offset[1] - lowest), width / 14 / 2, 1e-9);
  EXPECT_NEAR(exact.meanings.at(1).offset[1], lowest, 1e-9);
  for (const Quantised& made : {approximate, exact}) {
    EXPECT_NEAR(made.meanings.at(1).offset[0], -2, 1e-9);
    EXPECT_NEAR(made.client.outputs.at(0).quantiser.offset[0], lowest_result, 1e-9);
  }
}

/// With exact rounding, a result that adds an input to results of tables is as coarse as these.
TEST(QuantisedLimits, ResultsOfInputsAndTablesAreCoarse) {
  Network network = uneven();
  add_input_term(network, {0.5, 1});
  expect_integers(quantised(network, exact_of(4)).program.value(0), 52, 0, 63, true);  // 2 / 63 * 2^60 / 7
}

TEST(QuantisedLimits, OneBitMoreThanThatOfATableIsRoundedAway) {
  Network network = relu_between_sums({1, 0.25, -0.5, 0.7}, {0.75, -2});
  set_ranges(network, {{-1, 1}, {-4, 4}, {0, 4}, {-1, 1}});
  Precision precision = exact_of(4);
  precision.coarse_input_bits = precision.coarse_weight_bits = 2;
  const Quantised made = quantised(network, precision);
  const integers::Program& program = made.program;
  ASSERT_EQ(program.instructions.size(), 6u);
  // Inputs of 2 / 3 each, in an interval of 16: 2 / 3 * 15 * 2^55 is 1.25 * 2^58.
  expect_integers(program.value(0), 58, 0, 3, true);
  EXPECT_THAT(weights(program, 1), ElementsAre(1, -1, 0, 1));  // 1.25 times the model's
  EXPECT_THAT(biases(program, 1), ElementsAre(15, 14));  // 7.5 and 7.05 times 1.875, and 1.5 times what rounding takes
  expect_integers(program.value(1), 58, 0, 30, false);
  EXPECT_EQ(std::get<integers::Round>(program.value(2).operation).dropped, 1);
  expect_integers(program.value(2), 59, 0, 15, false);
}

TEST(QuantisedLimits, AsManyBitsAsThoseOfATableAreNotRounded) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  s.output(s.node("MatMul", {s.node("Relu", {x}, {1, 2}), s.constant({2, 1}, {0.75, -2})}, {1, 1}));
  Network network = network_of(s.graph);
  set_ranges(network, {{-1, 1}, {0, 1}, {-1, 1}});
  EXPECT_EQ(quantised(network, exact_of(4)).program.instructions.size(), 4u);
}

}  // namespace
}  // namespace tacit::graph::quant
