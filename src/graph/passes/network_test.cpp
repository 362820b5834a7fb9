#include "graph/passes/network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "layout/operators/movement.h"

namespace tacit::graph::passes {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const Shape kShape{1, 2};

AffineTerm term(ValueId input) { return {input, std::make_shared<layout::Identity>(kShape)}; }

Value sum_of(std::vector<AffineTerm> terms) { return {Affine{std::move(terms)}, kShape, "a", "Add", {}}; }

Value polynomial_of(ValueId input, std::size_t degree) {
  Function function;
  function.input = input;
  function.coefficients.assign(degree + 1, 1.0);
  return {function, kShape, "f", "Tanh", {}};
}

/// x, a = x, f(a) of degree 3, f a, and a sum of both: the last is an output, and so is f(a).
Network five() {
  Network network;
  network.add({Private{}, kShape, "x", "Input", {}});
  network.add(sum_of({term(0)}));
  network.add(polynomial_of(1, 3));
  network.add({Product{2, 1}, kShape, "p", "Mul", {}});
  network.add(sum_of({term(3), term(2)}));
  network.outputs = {4, 2};
  return network;
}

TEST(Network, ValuesNameWhatTheyRead) {
  const Network network = five();
  EXPECT_THAT(operands(network.values[0]), IsEmpty());
  EXPECT_THAT(operands(network.values[1]), ElementsAre(0));
  EXPECT_THAT(operands(network.values[2]), ElementsAre(1));
  EXPECT_THAT(operands(network.values[3]), ElementsAre(2, 1));
  EXPECT_THAT(operands(network.values[4]), ElementsAre(3, 2));
  EXPECT_THAT(operands({Refresh{7}, kShape, "r", "Add", {}}), ElementsAre(7));
  EXPECT_THAT(operands({Trees{6, nullptr}, kShape, "t", "Trees", {}}), ElementsAre(6));
  const std::vector<ValueId> names{10, 11, 12, 13, 14};
  EXPECT_THAT(operands(renamed(network.values[3], names)), ElementsAre(12, 11));
  EXPECT_THAT(operands(renamed(network.values[4], names)), ElementsAre(13, 12));
  EXPECT_THAT(network.uses(), ElementsAre(1, 2, 3, 1, 1)) << "operands and outputs";
}

TEST(Network, LevelsAreWhatReadersNeed) {
  EXPECT_THAT(levels_of(five()), ElementsAre(5, 4, 2, 1, 0));
  EXPECT_EQ(depth_of(five()), 5);
  EXPECT_EQ(depth_of(Network{}), 0);
  // A refresh takes its operand at a fixed level, whatever its readers need.
  Network refreshed;
  refreshed.add({Private{}, kShape, "x", "Input", {}});
  refreshed.add(sum_of({term(0)}));
  refreshed.add({Refresh{1, false, 3}, kShape, "a", "Add", {}});
  refreshed.add(polynomial_of(2, 15));
  refreshed.outputs = {3};
  EXPECT_THAT(levels_of(refreshed), ElementsAre(4, 3, 4, 0));
}

TEST(Network, SeriesTakeAsManyLevelsAsTheirDegreeHasBits) {
  const auto depth = [](std::size_t degree) { return depth_of_value(polynomial_of(0, degree)); };
  EXPECT_EQ(depth(1), 1);
  EXPECT_EQ(depth(3), 2);
  EXPECT_EQ(depth(4), 3);
  EXPECT_EQ(depth(7), 3);
  EXPECT_EQ(depth(8), 4);
  EXPECT_EQ(depth(15), 4);
  EXPECT_EQ(depth(16), 5);
  EXPECT_EQ(depth_of_value({Private{}, kShape, "x", "Input", {}}), 0);
  EXPECT_EQ(depth_of_value({Refresh{0}, kShape, "r", "Add", {}}), 0);
  EXPECT_EQ(depth_of_value({Product{0, 0}, kShape, "p", "Mul", {}}), 1);
  EXPECT_EQ(depth_of_value(sum_of({term(0)})), 1);
}

TEST(Network, OnlyInputsStayWithoutReaders) {
  Network network = five();
  network.values.insert(network.values.begin(), {Private{1}, kShape, "unread", "Input", {}});
  for (Value& value : network.values) value = renamed(value, {1, 2, 3, 4, 5});
  network.add(polynomial_of(3, 7));
  network.outputs = {2, 3};
  const Network read = without_unread(network);
  ASSERT_EQ(read.values.size(), 4u);
  EXPECT_EQ(read.values[0].node, "unread");
  EXPECT_EQ(read.values[1].node, "x");
  EXPECT_THAT(operands(read.values[2]), ElementsAre(1));
  EXPECT_THAT(operands(read.values[3]), ElementsAre(2));
  EXPECT_THAT(read.outputs, ElementsAre(2, 3));
}

TEST(Network, RangesOfElementsAreForgottenButThoseOfInputsAndOutputs) {
  Network network = five();
  for (Value& value : network.values) {
    value.element_ranges = {{0, 1}, {2, 3}};
    value.reached = {{0, 1}, {2, 3}};
    value.range = {0, 3};
  }
  forget_element_ranges(network);
  for (std::size_t id = 0; id < network.values.size(); ++id) {
    const bool kept = id == 0 || std::ranges::count(network.outputs, id) > 0;
    EXPECT_EQ(network.values[id].element_ranges.size(), kept ? 2u : 0u) << id;
    EXPECT_THAT(network.values[id].reached, IsEmpty()) << id;
    EXPECT_EQ(network.values[id].range, (Range{0, 3})) << id;
  }
}

}  // namespace
}  // namespace tacit::graph::passes
