#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "graph/quant/compiled_for_test.h"
#include "graph/quant/quantised_for_test.h"
#include "layout/operators/combined.h"
#include "layout/operators/movement.h"

/// The tables of small programs, when ranges, weights and steps meet their limits, and when elements differ.
namespace tacit::graph::quant {
namespace {

using passes::Affine;
using passes::Network;
using passes::Sketch;
using ::testing::ElementsAre;

/// Numbers of a table end eight widths outside the seen range: at 9 / 16 for a width of a sixteenth.
TEST(QuantisedTables, TablesEndEightWidthsBesideWhatWasSeen) {
  Network network = whole_boxes({0.75, -2});
  network.values.at(2).range = {0, 0.0625};
  const Quantised made = quantised(network, approximate_of(2));
  EXPECT_THAT(
      lookup_of(made.program, 2).tables,
      ElementsAre(ElementsAre(-76106, std::llround((mean_of_relu(0, 1) - 9.0 / 32) * 0x1p23 / 31), 76106, 76106)));
  expect_integers(made.program.value(2), 38, -76106, 76106, true);
  expect_meaning(made.meanings.at(2).scale, made.meanings.at(2).offset, 0, 31 / 0x1p23, 9.0 / 32);
}

/// If samples led a function only to 0, its table has the numbers of its boxes.
TEST(QuantisedTables, FunctionsThatWereSeenAtOneNumberKeepTheirTables) {
  Network network = uneven();
  const Quantised usual = quantised(network, approximate_of(4));
  network.values.at(2).range = {0, 0};
  const Quantised nothing = quantised(network, approximate_of(4));
  EXPECT_EQ(lookup_of(nothing.program, 2).tables, lookup_of(usual.program, 2).tables);
  expect_meaning(nothing.meanings.at(2).scale, nothing.meanings.at(2).offset, 0, 31 / 0x1p21, 9.0 / 14);
}

/// Weights of 0 need no step. The table then has the step of a result without readers.
TEST(QuantisedTables, WeightsOfZeroAskForNothing) {
  const Quantised made = quantised(whole_boxes({0, 0}), approximate_of(2));
  EXPECT_THAT(lookup_of(made.program, 2).tables,
              ElementsAre(ElementsAre(-65536, -57344, 0, 65536)));  // an eighth is the mean around 0
  expect_integers(made.program.value(2), 44, -65536, 65536, true);
}

/// An entry has an eighth of the torus at most, and a step of it at least.
TEST(QuantisedTables, EntriesAreBetweenOneStepAndAnEighthOfTheTorus) {
  // Results of 1/2 in all are 2^63 steps per real 1. A weight of 2 with one bit and a sign needs twice that.
  Network narrow = whole_boxes({0.75, -2});
  narrow.values.at(3).range = {-0.125, 0.125};
  Precision coarse = approximate_of(2);
  coarse.weight_bits = coarse.result_weight_bits = 2;
  coarse.result_bits = 0;
  const Quantised most = quantised(narrow, coarse);
  EXPECT_THAT(lookup_of(most.program, 2).tables, ElementsAre(ElementsAre(-1, -1, 0, 1)));
  expect_integers(most.program.value(2), 59, -1, 1, true);
  // Results of 2^61 are two steps for a real 1. Operands that reach 2^46 are a quarter of one.
  Network wide = whole_boxes({0.75, -2});
  wide.values.at(3).range = {-0x1p59, 0x1p59};
  wide.values.at(2).range = {0, 0x1p46};
  const Quantised least = quantised(wide, approximate_of(2));
  EXPECT_THAT(lookup_of(least.program, 2).tables, ElementsAre(ElementsAre(-1, 0, 0, 1)));
  expect_integers(least.program.value(2), 0, -1, 1, true);
}

/// Squares of numbers around 100 and around 51, in boxes of 3/28 and of 3/14.
TEST(QuantisedTables, EveryElementHasTheMiddleOfItsOwnBoxes) {
  Network network = squares_between_sums();
  ASSERT_EQ(network.values.size(), 4u);
  set_ranges(network, {{-1, 1}, {50, 101}, {2500, 10201}, {-1, 1}});
  network.values.at(1).element_ranges = {{100, 101}, {50, 52}};
  Precision precision = approximate_of(4);
  precision.margin = 0.25;
  const Quantised made = quantised(network, precision);
  const integers::Lookup& lookup = lookup_of(made.program, 2);
  EXPECT_THAT(lookup.table_of, ElementsAre(0, 1));
  const double scale = made.meanings.at(2).scale[0];
  const Numbers lowest{99.75, 49.5}, halves{0.75 / 14, 1.5 / 14};
  for (std::size_t e = 0; e < 2; ++e) {
    // Boxes from 2 to 13 are within one box of the seen range. The number of a box is the mean of the squares at an
    // eighth and three eighths of its width from its centre.
    const double variance = (9.0 + 1.0) / 64 / 2 * 4 * halves[e] * halves[e];
    const auto square = [&](double box) { return std::pow(lowest[e] + (2 * box - 1) * halves[e], 2) + variance; };
    const double middle = (square(2) + square(13)) / 2;
    EXPECT_NEAR(made.meanings.at(2).offset[static_cast<layout::Index>(e)], middle, 1e-6) << e;
    for (std::size_t box = 0; box < 16; ++box)
      EXPECT_NEAR(static_cast<double>(lookup.tables.at(e).at(box)) * scale + middle, square(static_cast<double>(box)),
                  0.51 * scale)
          << e << " " << box;
  }
}

/// The numbers are those at the centres of boxes of 1, from one box before the seen range to one after it, ends
/// included.
TEST(QuantisedTables, CentresOfTablesAreTakenOff) {
  const auto centre_of_table = [](const Range& seen) {
    Network network = relu_between_sums({1, 0.25, -0.5, 0.7}, {0.75, -2});
    set_ranges(network, {{-1, 1}, seen, seen, {-1, 1}});
    return quantised(network, approximate_of(2)).meanings.at(2).offset[0];
  };
  EXPECT_EQ(centre_of_table({2.5, 3.5}), 3);
  EXPECT_EQ(centre_of_table({3, 4}), 3.5);
  EXPECT_EQ(centre_of_table({0.75, 0.8125}), 0.78125);
}

TEST(QuantisedTables, NothingIsTakenOffTablesOfAnUnknownRange) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  s.output(s.node("MatMul", {s.node("Exp", {x}, {1, 2}), s.constant({2, 1}, {0.75, -2})}, {1, 1}));
  Network network = network_of(s.graph);
  set_ranges(network, {{}, {0.3, 3}, {-1, 1}});
  const Quantised made = quantised(network, approximate_of(4));
  EXPECT_EQ(made.meanings.at(1).offset[0], 0);
}

/// Samples that lie beyond the range that the user gives show none of its boxes.
TEST(QuantisedTables, NothingIsTakenOffTablesWhoseBoxesNoSampleShowed) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  s.output(s.node("MatMul", {s.node("Exp", {x}, {1, 2}), s.constant({2, 1}, {0.75, -2})}, {1, 1}));
  Network network = network_of(s.graph);
  set_ranges(network, {{5, 6}, {0.3, 3}, {-1, 1}});
  const Quantised made = quantised(network, approximate_of(4));
  EXPECT_EQ(made.meanings.at(1).offset[0], 0);
}

/// Trees that read a scaled function. Every element has a separate factor and a separate constant.
TEST(QuantisedTables, TreesReadWhatTablesWouldMakeOfEveryElement) {
  Sketch s;
  s.output(s.node("Relu", {s.input({1, 3})}, {1, 3}));
  Network network = network_of(s.graph);
  ASSERT_EQ(network.values.size(), 2u);
  network.values[0].range = {0, 15};
  const layout::LinearOperatorPtr scaled =
      layout::scaled(std::make_shared<layout::Identity>(Shape{1, 3}), layout::RepeatedReals::of(Numbers{1, 10, 100}));
  network.add({Affine{{{1, scaled}}, layout::RepeatedReals::of(Numbers{0, 3, 7})}, {1, 3}, "a", "Add", {}});
  TreeEnsemble ensemble;
  Tree& tree = ensemble.trees.emplace_back(3);
  tree[0].leaf = false;
  tree[0].feature = 1;
  tree[0].threshold = 45;
  tree[0].yes = 1;
  tree[0].no = 2;
  tree[1].weights = {{0, 1}};
  tree[2].weights = {{0, 2}};
  ensemble.base = {0};
  ensemble.features = 3;
  network.add({passes::Trees{2, std::make_shared<const TreeEnsemble>(ensemble)}, {1, 1}, "t", "Trees", {}});
  network.outputs = {3};
  const Quantised made = quantised(network, approximate_of(4), std::nullopt);
  EXPECT_THAT(lookup_of(made.program, 1).tables,
              ElementsAre(ElementsAre(1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)));  // 10 b + 3 <= 45
  EXPECT_THAT(lookup_of(made.program, 1).argument_of, ElementsAre(1));
}

/// Steps of trees are not values of the network, and have no meaning as reals.
TEST(QuantisedTables, AnswersOfTreesStandForThemselves) {
  Network network;
  const auto ensemble = std::make_shared<const TreeEnsemble>(tree_ensemble(regressor(two_trees(), 3, 1).nodes[0]));
  network.add({passes::Private{}, {1, 3}, "x", "Input", {-1, 1}, {}});
  network.add({passes::Trees{0, ensemble}, {1, 1}, "t", "Trees", {}});
  network.outputs = {1};
  network.values[0].tensor = 5;
  const Quantised made = quantised(network, approximate_of(4));
  ASSERT_EQ(made.meanings.size(), 6u);
  EXPECT_EQ(made.meanings[0].tensor, 5u);
  for (const std::size_t at : {1, 2, 3}) {
    expect_meaning(made.meanings[at].scale, made.meanings[at].offset, 0, 1, 0);
    EXPECT_EQ(made.meanings[at].tensor, kNoTensor);
  }
}

}  // namespace
}  // namespace tacit::graph::quant
