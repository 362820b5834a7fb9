#include "graph/passes/calibrated_ranges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/refusal_for_test.h"
#include "graph/passes/linearise.h"
#include "graph/passes/recognise.h"
#include "graph/passes/sketch.h"

namespace tacit::graph::passes {
namespace {

using testing::ElementsAre;

/// The magnitudes of an input of this shape, and twice that.
Network magnitudes(const Shape& shape) {
  Sketch s;
  const TensorId f = s.node("Abs", {s.input(shape)}, shape);
  const std::vector<double> twos(static_cast<std::size_t>(element_count(shape)), 2.0);
  s.output(s.node("Mul", {f, s.constant(shape, twos)}, shape));
  return linearise(recognise(s.graph));
}

/// With ranges of two elements.
Network measured() {
  Network network = magnitudes({1, 2});
  network.values[0].range = {-1, 2};
  network.values[0].element_ranges = {{-1, 1}, {0, 2}};
  network.values[0].reached = {{-1.5, 1}, {0, 2.5}};
  network.values[1].range = {0, 2};
  network.values[2].range = {0, 4};
  auto& function = std::get<Function>(network.values[1].operation);
  function.lowest = -3;
  function.highest = 4;
  return network;
}

Calibration noted(const Network& network) {
  Calibration calibration;
  record_ranges(network, calibration);
  return calibration;
}

TEST(CalibratedRanges, AreRestoredAsTheyWereNoted) {
  const Calibration calibration = noted(measured());
  ASSERT_EQ(calibration.values.size(), 3U);
  EXPECT_EQ(calibration.values[1].node, "Abs0");
  EXPECT_FALSE(calibration.values[0].function.has_value());
  ASSERT_TRUE(calibration.values[1].function.has_value());
  EXPECT_EQ(calibration.values[1].function->interval, (Range{-3, 4}));
  EXPECT_EQ(calibration.values[1].function->first_degree, 0);
  Network network = magnitudes({1, 2});
  EXPECT_TRUE(restore_ranges(network, calibration).empty());
  EXPECT_EQ(network.values[0].range, (Range{-1, 2}));
  EXPECT_EQ(network.values[2].range, (Range{0, 4}));
  EXPECT_THAT(network.values[0].element_ranges, ElementsAre(Range{-1, 1}, Range{0, 2}));
  EXPECT_THAT(network.values[0].reached, ElementsAre(Range{-1.5, 1}, Range{0, 2.5}));
  EXPECT_TRUE(network.values[1].element_ranges.empty());
  EXPECT_EQ(std::get<Function>(network.values[1].operation).lowest, -3);
  EXPECT_EQ(std::get<Function>(network.values[1].operation).highest, 4);
}

TEST(CalibratedRanges, OfLargeTensorsAreTheExtremesOfTheirChannels) {
  constexpr std::size_t kSide = 520;
  const Shape shape{1, 2, kSide};
  Network network = magnitudes(shape);
  network.values[0].range = {-7, 9};
  network.values[0].element_ranges.assign(2 * kSide, Range{0, 1});
  network.values[0].element_ranges[kSide - 1] = {-7, 0};
  network.values[0].element_ranges[kSide] = {0, 9};
  const Calibration calibration = noted(network);
  EXPECT_THAT(calibration.values[0].elements, ElementsAre(Range{-7, 1}, Range{0, 9}));
  EXPECT_TRUE(calibration.values[0].reached.empty());
  Network again = magnitudes(shape);
  restore_ranges(again, calibration);
  ASSERT_EQ(again.values[0].element_ranges.size(), 2 * kSide);
  for (std::size_t e = 0; e < 2 * kSide; ++e)
    ASSERT_EQ(again.values[0].element_ranges[e], e < kSide ? (Range{-7, 1}) : (Range{0, 9})) << e;
}

TEST(CalibratedRanges, OfAnotherNetworkAreRefused) {
  const auto refused = [](const Calibration& calibration) {
    Network network = magnitudes({1, 2});
    return base::refusal([&] { restore_ranges(network, calibration); });
  };
  const auto words = [](const std::string& what) {
    return "the ranges do not fit the network: " + what +
           "; they were changed, or measured by another release: run 'tacit calibrate' again";
  };
  const Calibration good = noted(measured());
  Calibration other = good;
  other.values.pop_back();
  EXPECT_EQ(refused(other), words("they hold 2 values, and the network has 3"));
  other = good;
  other.values[2].node = "Sub1";
  EXPECT_EQ(refused(other), words("value 2 belongs to node 'Mul1' (Mul)"));
  other = good;
  other.values[1].function.reset();
  EXPECT_EQ(refused(other), words("value 1 belongs to node 'Abs0' (Abs)"));
  other = good;
  other.values[0].function = other.values[1].function;
  EXPECT_EQ(refused(other), words("value 0 belongs to node 'x' (Input)"));
  other = good;
  other.values[0].elements.clear();
  EXPECT_EQ(refused(other), words("value 0 belongs to node 'x' (Input)"));
  other = good;
  other.values[1].elements = good.values[0].elements;
  EXPECT_EQ(refused(other), words("value 1 belongs to node 'Abs0' (Abs)"));
  for (const std::size_t count : {1U, 3U}) {
    other = good;
    other.values[0].elements.resize(count);
    EXPECT_EQ(refused(other), words("node 'x' (Input) has 2 elements or channels, and they hold " +
                                    std::string(1, static_cast<char>('0' + count))));
  }
  other = good;
  other.values[0].reached.resize(1);
  EXPECT_EQ(refused(other), words("node 'x' (Input) has 2 elements or channels, and they hold 1"));
}

TEST(CalibratedRanges, OfAValueWithoutElementsAreRefused) {
  Network network = magnitudes({1, 2});
  network.values[0].shape = {1, 0};
  const Calibration calibration = noted(measured());
  EXPECT_THAT(base::refusal([&] { restore_ranges(network, calibration); }),
              testing::HasSubstr("node 'x' (Input) has 0 elements or channels, and they hold 2;"));
}

}  // namespace
}  // namespace tacit::graph::passes
