#include "graph/quant/feature_ranges.h"

#include <gtest/gtest.h>

namespace tacit::graph::quant {
namespace {

/// Two features that trees read, with ranges that are wider than what samples show.
passes::Network trees() {
  passes::Network network;
  passes::Value features{passes::Private{}, {1, 2}, "x", "", {}};
  features.element_ranges = {{-1000, 1000}, {-1000, 1000}};
  const passes::ValueId x = network.add(std::move(features));
  network.outputs = {network.add({passes::Trees{x, std::make_shared<const TreeEnsemble>()}, {1, 1}, "t", "", {}})};
  return network;
}

/// Of the numbers from 0 on, in another order, and their negatives.
std::vector<std::vector<Tensor>> samples(int count) {
  std::vector<std::vector<Tensor>> made;
  for (int i = 0; i < count; ++i) {
    const double number = (7 * i) % count;
    made.push_back({Tensor{{1, 2}, {number, -number}, false}});
  }
  return made;
}

TEST(FeatureRanges, LeaveOutAHundredthOfTheSamplesOnEitherSide) {
  passes::Network network = trees();
  narrow_tree_features(network, samples(200));
  EXPECT_EQ(network.values[0].element_ranges[0].lowest, 2);
  EXPECT_EQ(network.values[0].element_ranges[0].highest, 197);
  EXPECT_EQ(network.values[0].element_ranges[1].lowest, -197);
  EXPECT_EQ(network.values[0].element_ranges[1].highest, -2);
}

TEST(FeatureRanges, StayWhereSamplesAreFewOrNoTreeReadsThem) {
  passes::Network network = trees();
  narrow_tree_features(network, samples(99));
  EXPECT_EQ(network.values[0].element_ranges[0].lowest, -1000);
  EXPECT_EQ(network.values[0].element_ranges[1].highest, 1000);
  network.values[1].operation = passes::Product{0, 0};
  narrow_tree_features(network, samples(200));
  EXPECT_EQ(network.values[0].element_ranges[0].highest, 1000);
}

}  // namespace
}  // namespace tacit::graph::quant
