#include "graph/quant/element_bounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "base/refusal_for_test.h"
#include "graph/passes/linearise.h"
#include "graph/passes/recognise.h"
#include "graph/passes/sketch.h"
#include "graph/quant/quantised_for_test.h"
#include "layout/operators/combined.h"
#include "layout/operators/movement.h"

namespace tacit::graph::quant {
namespace {

using layout::RepeatedReals;
using passes::Affine;
using passes::Network;
using passes::Private;
using passes::Product;
using passes::Refresh;
using passes::Trees;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Shape kTwo{1, 2};

TEST(ElementBounds, OfSumsProductsAndRefreshes) {
  Network network;
  network.add({Private{}, kTwo, "x", "Input", {}});
  network.add({Affine{{{0, by_element({2, -3})}}, RepeatedReals::of(std::vector{3.0, 1.0})}, kTwo, "a", "Add", {}});
  network.add({Affine{{{0, by_element({1, 1})}, {1, by_element({-1, 2})}}}, kTwo, "b", "Sub", {}});
  network.add({Product{0, 1}, kTwo, "p", "Mul", {}});
  network.add({Product{0, 0}, kTwo, "q", "Mul", {}});
  network.add({Refresh{1}, kTwo, "a", "Add", {}});
  bound_elements(network, {-2, 1});
  const auto ranges = [&](std::size_t id) { return network.values.at(id).element_ranges; };
  EXPECT_THAT(ranges(0), ElementsAre(Range{-2, 1}, Range{-2, 1}));
  EXPECT_THAT(ranges(1), ElementsAre(Range{-1, 5}, Range{-2, 7}));
  EXPECT_THAT(ranges(2), ElementsAre(Range{-7, 2}, Range{-6, 15}));
  EXPECT_THAT(ranges(3), ElementsAre(Range{-10, 5}, Range{-14, 7}));
  EXPECT_THAT(ranges(4), ElementsAre(Range{0, 4}, Range{0, 4})) << "no square is below 0";
  EXPECT_THAT(ranges(5), ElementsAre(Range{-1, 5}, Range{-2, 7}));
  EXPECT_EQ(network.values[1].range, (Range{-2, 7}));
  EXPECT_EQ(network.values[3].range, (Range{-14, 7}));
}

/// The range of a cosine on both sides of 0, where its largest number is. The range of a function that is not finite
/// everywhere.
TEST(ElementBounds, OfFunctionsAreWhatTheyReachAtManyPoints) {
  const auto range_of = [](const char* op, std::pair<double, double> input) {
    passes::Sketch s;
    const TensorId x = s.input(kTwo);
    s.output(s.node(op, {x}, kTwo));
    Network network = passes::linearise(passes::recognise(s.graph));
    bound_elements(network, input);
    const passes::Value& made = network.values.at(network.outputs.at(0));
    EXPECT_EQ(made.element_ranges.at(0), made.element_ranges.at(1));
    return made.range;
  };
  const Range cosine = range_of("Cos", {-1, 1});
  EXPECT_DOUBLE_EQ(cosine.lowest, std::cos(1.0));
  EXPECT_DOUBLE_EQ(cosine.highest, 1);
  const Range growing = range_of("Exp", {-3, 2});
  EXPECT_DOUBLE_EQ(growing.lowest, std::exp(-3.0));
  EXPECT_DOUBLE_EQ(growing.highest, std::exp(2.0));
  const Range root = range_of("Sqrt", {-4, 4});
  EXPECT_DOUBLE_EQ(root.lowest, 0);
  EXPECT_DOUBLE_EQ(root.highest, 2);
  EXPECT_THAT(base::refusal([&] {
                range_of("Sqrt", {-4, -1.5});
              }),
              HasSubstr("(Sqrt): the function is finite nowhere on [-4, -1.5], which follows from --input-range; give "
                        "calibration data with --calibrate"));
}

/// Trees of two leaves. The second leaf has no weight for the second target.
TEST(ElementBounds, OfTreesAreSumsOfALeafEach) {
  TreeEnsemble ensemble;
  ensemble.base = {10, -1};
  ensemble.factor = 0.5;
  ensemble.features = 1;
  for (int i = 0; i < 2; ++i) {
    Tree tree(3);
    tree[0].leaf = false;
    tree[0].yes = 1;
    tree[0].no = 2;
    tree[1].weights = {{0, 2}, {1, -4}};
    tree[2].weights = {{0, -6}};
    ensemble.trees.push_back(tree);
  }
  Network network;
  network.add({Private{}, {1, 1}, "x", "Input", {}});
  network.add({Trees{0, std::make_shared<const TreeEnsemble>(ensemble)}, kTwo, "t", "Trees", {}});
  bound_elements(network, {0, 1});
  EXPECT_THAT(network.values[1].element_ranges, ElementsAre(Range{4, 12}, Range{-5, -1}));
  EXPECT_EQ(network.values[1].range, (Range{-5, 12}));
}

}  // namespace
}  // namespace tacit::graph::quant
