#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "graph/passes/calibrate.h"
#include "graph/passes/element_units.h"
#include "graph/passes/fold.h"
#include "graph/passes/linearise.h"
#include "graph/passes/recognise.h"
#include "graph/passes/sketch.h"

namespace tacit::graph::passes {
namespace {

using testing::ElementsAre;

TEST(StretchedTogether, AreTheChannelsOfLargeTensorsWithSpatialDimensions) {
  const auto groups = [](const Shape& shape) { return stretched_together(shape); };
  EXPECT_THAT(groups({2, 2}), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(groups({1, 2, 1, 2}), ElementsAre(0, 1, 2, 3)) << "few elements";
  EXPECT_EQ(groups({1, 2, 512}).back(), 1023U) << "1024 are few";
  EXPECT_EQ(groups({1, 1025}).back(), 1024U) << "no spatial dimension";
  for (const Shape& shape : {Shape{1, 2, 513}, Shape{1, 2, 27, 19}, Shape{2, 1, 27, 19}}) {
    const std::vector<std::size_t> large = groups(shape);
    ASSERT_EQ(large.size(), 1026U);
    EXPECT_EQ(large.front(), 0U);
    EXPECT_EQ(large[512], 0U);
    EXPECT_EQ(large[513], 1U);
    EXPECT_EQ(large.back(), 1U);
  }
}

/// Returns the units of an input that a matrix reads, whose two elements have these ranges.
std::vector<double> units_of(const Range& first, const Range& second, const std::string& also = "") {
  Sketch s;
  const TensorId x = s.input({1, 2});
  s.output(s.node("MatMul", {x, s.constant({2, 1}, {1, 1})}, {1, 1}));
  if (also == "output") s.output(x);
  if (also == "Abs") s.output(s.node("Abs", {x}, {1, 2}));
  Network network = linearise(recognise(s.graph));
  network.values[0].element_ranges = {first, second};
  network.values[0].range = first;
  network.values[0].range.include(second);
  return std::get<Private>(with_input_units(network).values[0].operation).units;
}

TEST(InputUnits, BringEveryElementIntoTheUpperHalfOfOne) {
  EXPECT_THAT(units_of({-1, 0.5}, {0, 0.5}), ElementsAre(1, 2)) << "1 stays 1, a half becomes 1";
  EXPECT_THAT(units_of({-3, 0}, {4, 4.5}), ElementsAre(0.25, 0.125));
  EXPECT_THAT(units_of({-1, 1}, {0, 1e-9}), ElementsAre(1, 0x1p16)) << "what hardly varies stops there";
  EXPECT_THAT(units_of({-8, 1}, {0, 0}), ElementsAre(0.125, 0x1p13));
}

TEST(InputUnits, AreOnesWhereSomethingElseThanAMatrixReadsTheInput) {
  EXPECT_THAT(units_of({-3, 3}, {-3, 3}), ElementsAre(0.25, 0.25));
  EXPECT_TRUE(units_of({-3, 3}, {-3, 3}, "output").empty());
  EXPECT_TRUE(units_of({-3, 3}, {-3, 3}, "Abs").empty());
  EXPECT_TRUE(units_of({0, 0}, {0, 0}).empty()) << "nothing has no unit";
}

/// op of elements that reach 8 and 1, after stretching. Only the second element's range is changed.
Network stretched(const std::string& op, const Range& second, bool read_by_others = false) {
  Sketch s;
  const TensorId h = s.node("MatMul", {s.input({1, 2}), s.constant({2, 2}, {8, 0, 0, 1})}, {1, 2});
  const TensorId f = s.node(op, {h}, {1, 2});
  s.output(s.node("MatMul", {f, s.constant({2, 1}, {1, 1})}, {1, 1}));
  if (read_by_others) s.output(f);
  Network network = fold(linearise(recognise(s.graph)));
  calibrate(network, {{Tensor{{1, 2}, {1, -1}, false}}, {Tensor{{1, 2}, {-1, 1}, false}}}, base::Progress::silent());
  network.values.at(1).element_ranges.at(1) = second;
  network.values[1].reached.clear();
  return with_stretched_elements(network);
}

// The interval is [-12, 12], and the first element needs twice of 8.
TEST(StretchedElements, ReachTheEndOfTheIntervalWithTwiceTheirRange) {
  const auto factors = [](const Range& second) {
    const Network network = stretched("Abs", second);
    EXPECT_EQ(network.values[1].stretch[0], 1);
    EXPECT_EQ(network.values[1].stretch[1], network.values[2].stretch[1]);
    EXPECT_NEAR(network.values[1].element_ranges[1].lowest, second.lowest * network.values[1].stretch[1], 1e-12);
    EXPECT_NEAR(network.values[1].element_ranges[1].highest, second.highest * network.values[1].stretch[1], 1e-12);
    return network.values[1].stretch[1];
  };
  EXPECT_DOUBLE_EQ(factors({-1, 1}), 6);
  EXPECT_DOUBLE_EQ(factors({-0.5, 1}), 6);
  EXPECT_DOUBLE_EQ(factors({-1, 0.5}), 6);
  EXPECT_DOUBLE_EQ(factors({-3, -2}), 2);
  EXPECT_DOUBLE_EQ(factors({1, 2}), 3);
  EXPECT_DOUBLE_EQ(factors({0, 0}), 786432) << "its weights reach no farther than a twelfth of the interval";
  EXPECT_DOUBLE_EQ(factors({0, 1e-9}), 786432) << "its weights reach no farther than a twelfth of the interval";
}

TEST(StretchedElements, LeaveRoomForWhatErrorsReach) {
  Network network = stretched("Abs", {-1, 1});
  EXPECT_EQ(network.values[1].stretch[1], 6);
  network.values[1].element_ranges[1] = {-1, 1};
  network.values[1].reached = {{-8, 8}, {-4, 3}};
  const Network again = with_stretched_elements(network);
  EXPECT_DOUBLE_EQ(again.values[1].stretch[1], 6 * 3) << "errors to -4 in an interval from -12";
  EXPECT_EQ(again.values[1].reached[0], (Range{-8, 8}));
  EXPECT_EQ(again.values[1].reached[1], (Range{-12, 9}));
}

TEST(StretchedElements, StayWhereTheFunctionOrItsReadersWouldNotUndoIt) {
  for (const Network& network : {stretched("Tanh", {-1, 1}), stretched("Abs", {-1, 1}, true)})
    for (const layout::Index e : {0, 1}) EXPECT_EQ(network.values[1].stretch[e], 1);
}

TEST(StretchedElements, ComputeTheSame) {
  const auto result = [](const Network& network) {
    return evaluate(network, {Tensor{{1, 2}, {-0.5, 0.25}, false}}).at(network.outputs[0]).at(0);
  };
  EXPECT_NEAR(result(stretched("Abs", {-1, 1})), 4.25, 1e-12);
  EXPECT_NEAR(result(stretched("Relu", {-1, 1})), 0.25, 1e-12);
}

}  // namespace
}  // namespace tacit::graph::passes
