#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "graph/quant/compiled_for_test.h"
#include "graph/quant/quantised_for_test.h"

/// Every number of small programs, from ranges that are set by hand.
namespace tacit::graph::quant {
namespace {

using passes::Network;
using passes::Sketch;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(QuantisedNumbers, ASumOfInputs) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  s.output(s.node("MatMul", {x, s.constant({2, 1}, {1, -0.5})}, {1, 1}));
  Network network = network_of(s.graph);
  set_ranges(network, {{-1, 1}, {-1.5, 1.5}});
  // Inputs of 16 bits, 2 / 65535 each; the sum goes from -3 to 3, which is half of the torus' messages. The largest
  // weight has 11 bits and a sign.
  const Quantised made = quantised(network, approximate_of(6));
  const integers::Program& program = made.program;
  EXPECT_EQ(program.bits, 6);
  ASSERT_EQ(program.instructions.size(), 3u);
  expect_integers(program.value(0), 33, 0, 65535, true);
  ASSERT_EQ(made.client.inputs.size(), 1u);
  const integers::ClientInput& input = made.client.inputs[0];
  EXPECT_EQ(input.name, "x");
  EXPECT_EQ(input.step, 33);
  EXPECT_FALSE(input.saturates);
  EXPECT_EQ(input.quantiser.lowest, 0);
  EXPECT_EQ(input.quantiser.highest, 65535);
  expect_meaning(input.quantiser.scale, input.quantiser.offset, 0, 2.0 / 65535, -1);
  EXPECT_THAT(weights(program, 1), ElementsAre(2731, -1365));  // 2^29 / 6 * 2 / 65535 = 2730.7
  // 2.5 * 2^29 / 6, and the rounding error of weights in the middle of their inputs.
  const double unit = 0x1p29 / 6 * 2 / 65535, rounding = (unit - 2731) - (unit / 2 - 1365);
  EXPECT_THAT(biases(program, 1), ElementsAre(std::llround(2.5 * 0x1p29 / 6 + rounding * 65535 / 2)));
  expect_integers(program.value(1), 33, 0, 1 << 29, false);
  expect_meaning(made.meanings.at(1).scale, made.meanings.at(1).offset, 0, 6 / 0x1p29, -3);
  // Results keep eight bits.
  expect_integers(program.value(2), 55, 0, 128, false);
  ASSERT_EQ(made.client.outputs.size(), 1u);
  EXPECT_EQ(made.client.outputs[0].name, "y");
  EXPECT_EQ(made.client.outputs[0].step, 55);
  expect_meaning(made.client.outputs[0].quantiser.scale, made.client.outputs[0].quantiser.offset, 0, 6.0 / 128, -3);

  // Bits that no table reads cost no bootstrap: inputs have 12 bits, weights 8.
  const Quantised exact = quantised(network, exact_of(6));
  expect_integers(exact.program.value(0), 41, 0, 4095, true);
  EXPECT_THAT(weights(exact.program, 1), ElementsAre(171, -85));  // 2^21 / 6 * 2 / 4095 = 170.7
  const double coarse = 0x1p21 / 6 * 2 / 4095, coarse_rounding = (coarse - 171) - (coarse / 2 - 85);
  EXPECT_THAT(biases(exact.program, 1), ElementsAre(std::llround(2.5 * 0x1p21 / 6 + coarse_rounding * 4095 / 2)));
  expect_integers(exact.program.value(1), 41, 0, 1 << 21, false);
  expect_integers(exact.program.value(2), 41, 0, 1 << 21, false);
  expect_meaning(exact.client.outputs.at(0).quantiser.scale, exact.client.outputs.at(0).quantiser.offset, 0, 6 / 0x1p21,
                 -3);
}

TEST(QuantisedNumbers, ATableBetweenSums) {
  const Quantised made = quantised(uneven(), approximate_of(4));
  const integers::Program& program = made.program;
  ASSERT_EQ(program.instructions.size(), 5u);
  // Sums span 14 of 16 boxes: 4 are 7 * 2^60, and 2 are.
  expect_integers(program.value(0), 35, 0, 65535, true);
  expect_integers(program.value(1), 35, 0, std::int64_t{7} << 25, false);
  expect_meaning(made.meanings.at(1).scale, made.meanings.at(1).offset, 0, 1 / (7 * 0x1p23), -2);
  expect_meaning(made.meanings.at(1).scale, made.meanings.at(1).offset, 1, 1 / (7 * 0x1p24), -0.75);
  const double unit = 7 * 0x1p23 * 2 / 65535;
  const auto rounding = [](double weight) { return (weight - std::round(weight)) * 65535 / 2; };
  EXPECT_THAT(biases(program, 1),
              ElementsAre(std::llround(1.5 * 7 * 0x1p23 + rounding(unit) + rounding(-unit / 2)),
                          std::llround(-0.2 * 7 * 0x1p24 + rounding(unit / 2) + rounding(unit * 1.4))));
  EXPECT_THAT(weights(program, 1),
              ElementsAre(std::round(unit), std::round(-unit / 2), std::round(unit / 2), std::round(unit * 1.4)));

  // The centre of box b is (2 b - 1) / 7 - 2 for the first element, and (2 b - 1) / 14 - 3/4 for the second.
  const integers::Lookup& lookup = lookup_of(program, 2);
  EXPECT_EQ(lookup.input, 1u);
  EXPECT_THAT(lookup.table_of, ElementsAre(0, 1));
  ASSERT_EQ(lookup.tables.size(), 2u);
  // Boxes up to one outside the seen range lead to at most 9/7 and 25/28. Half of that is subtracted. Results reach
  // half of the seen 1 outside it. A weight of 2 with 31 is 2^60 of the torus for a half.
  const Numbers centres{9.0 / 14, 25.0 / 56};
  std::vector<std::int64_t> expected[2];
  for (int box = 0; box < 16; ++box) {
    expected[0].push_back(std::llround((std::max(0.0, (2 * box - 1) / 7.0 - 2) - centres[0]) * 0x1p21 / 31));
    expected[1].push_back(
        std::llround((mean_of_relu((2 * box - 1) / 14.0 - 0.75, 1.0 / 7) - centres[1]) * 0x1p21 / 31));
  }
  EXPECT_EQ(lookup.tables[0], expected[0]);
  EXPECT_EQ(lookup.tables[1], expected[1]);
  expect_integers(program.value(2), 40, -43489, 101475, true);
  expect_meaning(made.meanings.at(2).scale, made.meanings.at(2).offset, 0, 31 / 0x1p21, centres[0]);
  expect_meaning(made.meanings.at(2).scale, made.meanings.at(2).offset, 1, 31 / 0x1p21, centres[1]);
  EXPECT_EQ(program.value(2).source, "Relu 'Relu1'");
  EXPECT_EQ(program.value(2).node, "Relu1");

  EXPECT_THAT(weights(program, 3), ElementsAre(12, -31));
  EXPECT_THAT(biases(program, 3), ElementsAre(std::llround((2.5 + 0.75 * centres[0] - 2 * centres[1]) * 0x1p20)));
  expect_integers(program.value(3), 40, 0, 1 << 22, false);
  expect_integers(program.value(4), 55, 0, 128, false);
  expect_meaning(made.client.outputs.at(0).quantiser.scale, made.client.outputs.at(0).quantiser.offset, 0, 1.0 / 32,
                 -2);
}

TEST(QuantisedNumbers, ATableBetweenSumsWithExactRounding) {
  const Quantised made = quantised(uneven(), exact_of(4));
  const integers::Program& program = made.program;
  ASSERT_EQ(program.instructions.size(), 6u);
  // Inputs of 6 bits, weights of 3 bits and a sign; sums span 15 boxes.
  expect_integers(program.value(0), 53, 0, 63, true);
  EXPECT_THAT(weights(program, 1), ElementsAre(8, -4, 4, 11));
  // 360 and -96, and half of 63 times the rounding error of 8, -4, 4 and 11.2 of 15 * 2^59 / 4.
  EXPECT_THAT(biases(program, 1), ElementsAre(354, -113));
  expect_integers(program.value(1), 53, 0, 960, false);
  const auto& round = std::get<integers::Round>(program.value(2).operation);
  EXPECT_EQ(round.input, 1u);
  EXPECT_EQ(round.dropped, 6);
  expect_integers(program.value(2), 59, 0, 15, false);
  expect_meaning(made.meanings.at(2).scale, made.meanings.at(2).offset, 0, 4.0 / 15, -2);
  expect_meaning(made.meanings.at(2).scale, made.meanings.at(2).offset, 1, 2.0 / 15, -0.75);
  // Numbers more than half of the seen width outside the seen range are cut off, at 1.5. Boxes up to one outside it
  // lead to at most 1.2 and 0.85. Half of that is subtracted.
  const integers::Lookup& lookup = lookup_of(program, 3);
  EXPECT_EQ(lookup.input, 2u);
  EXPECT_THAT(lookup.table_of, ElementsAre(0, 1));
  const Numbers centres{0.6, 0.425};
  std::vector<std::int64_t> expected[2];
  for (int box = 0; box < 16; ++box) {
    expected[0].push_back(std::llround((std::clamp(4.0 * box / 15 - 2, 0.0, 1.5) - centres[0]) * 16));
    expected[1].push_back(std::llround((std::clamp(2.0 * box / 15 - 0.75, 0.0, 1.5) - centres[1]) * 16));
  }
  expect_integers(program.value(3), 54, -10, 14, true);
  EXPECT_THAT(weights(program, 4), ElementsAre(3, -8));
  expect_meaning(made.meanings.at(3).scale, made.meanings.at(3).offset, 0, 1.0 / 16, centres[0]);
  EXPECT_EQ(lookup.tables[0], expected[0]);
  EXPECT_EQ(lookup.tables[1], expected[1]);
  EXPECT_THAT(biases(program, 4), ElementsAre(std::llround((2.5 + 0.75 * centres[0] - 2 * centres[1]) * 64)));
  expect_integers(program.value(4), 54, 0, 256, false);
  expect_integers(program.value(5), 54, 0, 256, false);
  expect_meaning(made.client.outputs.at(0).quantiser.scale, made.client.outputs.at(0).quantiser.offset, 0, 1.0 / 64,
                 -2);
}

/// A result of a table that no sum reads fills an eighth of the torus.
TEST(QuantisedNumbers, ATableThatIsAnOutputAlone) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  s.output(s.node("Relu", {s.node("MatMul", {x, s.constant({2, 2}, {1, 0.25, -0.5, 0.7})}, {1, 2})}, {1, 2}));
  Network network = network_of(s.graph);
  set_ranges(network, {{-1, 1}, {0, 1}, {0, 1}});
  const Quantised made = quantised(network, approximate_of(2));
  const integers::Lookup& lookup = lookup_of(made.program, 2);
  // Boxes are centred on -1, 0, 1 and 2. Results are up to 1 from their centre.
  EXPECT_THAT(lookup.tables,
              ElementsAre(ElementsAre(-65536, std::llround((mean_of_relu(0, 1) - 1) * 65536), 0, 65536)));
  EXPECT_THAT(lookup.table_of, IsEmpty());
  expect_integers(made.program.value(2), 44, -65536, 65536, true);
  expect_meaning(made.meanings.at(2).scale, made.meanings.at(2).offset, 1, 0x1p-16, 1);
  expect_integers(made.program.value(3), 55, -32, 32, true);
  expect_meaning(made.client.outputs.at(0).quantiser.scale, made.client.outputs.at(0).quantiser.offset, 0, 1.0 / 32, 1);
}

/// Weights that hardly count need a quarter of a step of the other terms, over all entries of a row. The mean square of
/// a rounding error is a twelfth.
TEST(QuantisedNumbers, TheCoarsestStepOfResultsOfTables) {
  const double tiny = 0x1p-20;
  // A sum that is a result has 16 bits of 2^62: a quarter of one is 2^44.
  const Quantised few = quantised(whole_boxes({0.75 * tiny, -2 * tiny}), approximate_of(2));
  expect_integers(few.program.value(2), 29, -65536, 65536, true);
  expect_meaning(few.meanings.at(2).scale, few.meanings.at(2).offset, 0, 0x1p-16, 1);

  // Operands that reach three times as far from their middle.
  Network wide = whole_boxes({0.75 * tiny, -2 * tiny});
  wide.values.at(2).range = {-2, 1};
  const Quantised far = quantised(wide, approximate_of(2));
  expect_integers(far.program.value(2), 27, -87381, 87381, true);  // 2^44 / 1.5

  // 48 entries: twice the error.
  Sketch s;
  const TensorId x = s.input({1, 1});
  const TensorId r = s.node("Relu", {s.node("MatMul", {x, s.constant({1, 48}, Numbers(48, 1.0))}, {1, 48})}, {1, 48});
  Numbers last(48, 0.75 * tiny);
  last[0] = -2 * tiny;
  s.output(s.node("MatMul", {r, s.constant({48, 1}, std::move(last))}, {1, 1}));
  Network network = network_of(s.graph);
  set_ranges(network, {{-1, 1}, {0, 1}, {0, 1}, {-1, 1}});
  const Quantised many = quantised(network, approximate_of(2));
  expect_integers(many.program.value(2), 28, -65536, 65536, true);
  expect_meaning(many.meanings.at(2).scale, many.meanings.at(2).offset, 0, 0x1p-16, 1);
}

/// Where a table reads the sum its boxes count: four, of 2^60 each.
TEST(QuantisedNumbers, TheCoarsestStepOfWhatTablesReadAgain) {
  const double tiny = 0x1p-20;
  Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId p = s.node("MatMul", {x, s.constant({2, 2}, {1, 0.25, -0.5, 0.7})}, {1, 2});
  const TensorId r = s.node("Relu", {p}, {1, 2});
  const TensorId q = s.node("MatMul", {r, s.constant({2, 2}, {0.75 * tiny, tiny, -2 * tiny, tiny})}, {1, 2});
  s.output(s.node("MatMul", {s.node("Relu", {q}, {1, 2}), s.constant({2, 1}, {0.75, -2})}, {1, 1}));
  Network network = network_of(s.graph);
  set_ranges(network, {{-1, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}, {-1, 1}});
  const Quantised made = quantised(network, approximate_of(2));
  expect_integers(made.program.value(2), 43, -65536, 65536, true);
  expect_meaning(made.meanings.at(2).scale, made.meanings.at(2).offset, 0, 0x1p-16, 1);
}

/// Sums of multiples of one weight have whole weights without rounding. If another sum sets their operand's step, their
/// interval takes a smaller part of the torus.
TEST(QuantisedNumbers, WeightsThatAreMultiplesOfOneAreWhole) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId p = s.node("MatMul", {x, s.constant({2, 2}, {1, 0.25, -0.5, 0.7})}, {1, 2});
  const TensorId r = s.node("Relu", {p}, {1, 2});
  s.output(s.node("MatMul", {r, s.constant({2, 1}, {0.5, -1.5})}, {1, 1}));
  s.output(s.node("MatMul", {r, s.constant({2, 1}, {0.3, 0.3})}, {1, 1}));
  Network network = network_of(s.graph);
  set_ranges(network, {{-1, 1}, {-1, 1}, {0, 1}, {-1, 1}, {-1, 1}});
  const Quantised made = quantised(network, approximate_of(4));
  const integers::Program& program = made.program;
  ASSERT_EQ(program.instructions.size(), 7u);
  // The results reach from 9/14 below the centre to 3/2 above it.
  expect_integers(program.value(2), 42, std::llround(-9.0 / 14 * 0.3 * 0x1p18), std::llround(1.5 * 0.3 * 0x1p18), true);
  EXPECT_THAT(weights(program, 3), ElementsAre(1, -3));
  EXPECT_THAT(weights(program, 4), ElementsAre(1, 1));
  expect_integers(program.value(3), 42, 0, 629146, false);  // 4 * 0.6 * 2^18
  expect_integers(program.value(4), 42, 0, 1 << 20, false);
  EXPECT_EQ(made.client.outputs.at(0).quantiser.highest, 77);  // of 76.8
  EXPECT_EQ(made.client.outputs.at(1).quantiser.highest, 128);
  expect_meaning(made.client.outputs.at(0).quantiser.scale, made.client.outputs.at(0).quantiser.offset, 0, 1 / 19.2,
                 -2);
  expect_meaning(made.client.outputs.at(1).quantiser.scale, made.client.outputs.at(1).quantiser.offset, 0, 1.0 / 32,
                 -2);
}

/// Squares of numbers around 100. The middle of those that samples and a neighbouring box lead to is subtracted.
TEST(QuantisedNumbers, NumbersFarFromZeroAreDistancesFromTheirMiddle) {
  Network network = squares_between_sums();
  ASSERT_EQ(network.values.size(), 4u);
  set_ranges(network, {{-1, 1}, {100, 101}, {10000, 10201}, {-1, 1}});
  Precision precision = approximate_of(4);
  precision.margin = 0.25;
  const Quantised made = quantised(network, precision);
  // The range is from 99.75 to 101.25, with a box every 0.107. The boxes from 2 to 13 count.
  const double half = 0.75 / 14, first = 99.75 + 3 * half, last = 99.75 + 25 * half;
  // The number of a box is the mean of the squares at an eighth and three eighths of its width from its centre.
  const double variance = (9.0 + 1.0) / 64 / 2 * 4 * half * half, middle = (first * first + last * last) / 2 + variance;
  const double scale = made.meanings.at(2).scale[0];
  EXPECT_NEAR(made.meanings.at(2).offset[0], middle, 1e-6);
  EXPECT_NEAR(made.meanings.at(2).offset[1], middle, 1e-6);
  const std::vector<std::int64_t>& table = lookup_of(made.program, 2).tables.at(0);
  for (std::size_t box = 0; box < 16; ++box) {
    const double at = 99.75 + (2 * static_cast<double>(box) - 1) * half;
    EXPECT_NEAR(static_cast<double>(table.at(box)) * scale + middle, at * at + variance, 0.51 * scale) << box;
  }
  EXPECT_EQ(made.program.value(2).lowest, table.front());
  EXPECT_EQ(made.program.value(2).highest, table.back());
}

/// Without a public range, an input is wider by half of its width over the samples on either side.
TEST(QuantisedNumbers, RangesOfInputsAreThoseOfSamplesWithAMargin) {
  Network network = uneven();
  network.values.at(0).element_ranges = {{-1, 1}, {0, 2}};
  network.values.at(0).range = {-1, 2};
  const Quantised made = quantised(network, approximate_of(4), std::nullopt);
  const integers::Quantiser& quantiser = made.client.inputs.at(0).quantiser;
  expect_meaning(quantiser.scale, quantiser.offset, 0, 4.0 / 65535, -2);
  expect_meaning(quantiser.scale, quantiser.offset, 1, 4.0 / 65535, -1);
}

/// An input that a table reads directly leaves the room of sums, two boxes, if its integers are finer than boxes.
TEST(QuantisedNumbers, InputsThatTablesRead) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  s.output(s.node("MatMul", {s.node("Relu", {x}, {1, 2}), s.constant({2, 1}, {0.75, -2})}, {1, 1}));
  Network network = network_of(s.graph);
  set_ranges(network, {{-1, 1}, {0, 1}, {-1, 1}});
  for (const auto& [bits, highest] : {std::pair{4, 65536 - 8192}, {8, 65536 - 512}}) {
    const Quantised made = quantised(network, approximate_of(bits));
    expect_integers(made.program.value(0), 47, 0, highest, true);
    const integers::Quantiser& quantiser = made.client.inputs.at(0).quantiser;
    expect_meaning(quantiser.scale, quantiser.offset, 0, 2.0 / highest, -1);
  }
  Precision as_fine = approximate_of(4);
  as_fine.input_bits = 4;
  expect_integers(quantised(network, as_fine).program.value(0), 59, 0, 15, true);
  as_fine.input_bits = 5;
  expect_integers(quantised(network, as_fine).program.value(0), 58, 0, 28, true);
  // With exact rounding an input has no more bits than the table.
  expect_integers(quantised(network, exact_of(4)).program.value(0), 59, 0, 15, true);
}

/// If an input is only compared, the grid is the range of the samples, and public ranges do not count.
TEST(QuantisedNumbers, GridsOfInputsThatAreOnlyCompared) {
  Network network;
  const auto ensemble = std::make_shared<const TreeEnsemble>(tree_ensemble(regressor(two_trees(), 3, 1).nodes[0]));
  network.add({passes::Private{}, {1, 3}, "x", "Input", {-1, 1}, {{0, 0.5}, {-1, 1}, {-0.75, 0}}});
  network.add({passes::Trees{0, ensemble}, {1, 1}, "t", "Trees", {}});
  network.outputs = {1};
  for (const bool samples_of_elements : {true, false}) {
    if (!samples_of_elements) network.values[0].element_ranges.clear();
    const Quantised made = quantised(network, approximate_of(4), std::pair{-8.0, 8.0});
    const integers::ClientInput& input = made.client.inputs.at(0);
    EXPECT_TRUE(input.saturates);
    EXPECT_EQ(input.step, 59);
    EXPECT_EQ(input.quantiser.highest, 15);
    expect_meaning(input.quantiser.scale, input.quantiser.offset, 0, samples_of_elements ? 0.5 / 15 : 2.0 / 15,
                   samples_of_elements ? 0 : -1);
    expect_meaning(input.quantiser.scale, input.quantiser.offset, 2, samples_of_elements ? 0.75 / 15 : 2.0 / 15,
                   samples_of_elements ? -0.75 : -1);
    // Leaves and their sums are few integers: no bit of them is rounded off.
    const std::size_t last = made.program.instructions.size() - 1;
    EXPECT_EQ(made.program.value(static_cast<integers::ValueId>(last)).step,
              made.program.value(static_cast<integers::ValueId>(last - 1)).step);
  }
  // An element without width has steps of a fifteenth.
  network.values[0].element_ranges = {{0, 0.5}, {-1, 1}, {2, 2}};
  const Quantised made = quantised(network, approximate_of(4), std::pair{-8.0, 8.0});
  const integers::Quantiser& quantiser = made.client.inputs.at(0).quantiser;
  expect_meaning(quantiser.scale, quantiser.offset, 2, 1.0 / 15, 2);
}

/// Inputs that are results, too, are not only compared.
TEST(QuantisedNumbers, InputsThatAreResultsDoNotSaturate) {
  Network network;
  const auto ensemble = std::make_shared<const TreeEnsemble>(tree_ensemble(regressor(two_trees(), 3, 1).nodes[0]));
  network.add({passes::Private{}, {1, 3}, "x", "Input", {-1, 1}, {}});
  network.add({passes::Trees{0, ensemble}, {1, 1}, "t", "Trees", {}});
  network.outputs = {1, 0};
  const Quantised made = quantised(network, approximate_of(4), std::pair{-8.0, 8.0});
  const integers::ClientInput& input = made.client.inputs.at(0);
  EXPECT_FALSE(input.saturates);
  expect_meaning(input.quantiser.scale, input.quantiser.offset, 0, 16.0 / 15, -8);
  ASSERT_EQ(made.client.outputs.size(), 2u);
  EXPECT_EQ(made.client.outputs[1].name, "z");
}

}  // namespace
}  // namespace tacit::graph::quant
