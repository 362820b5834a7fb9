#include <cmath>

#include "graph/reference/evaluate_for_test.h"

namespace tacit::graph::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Tensor kOne = reals({1}, {1}), kZero = reals({1}, {0});

/// Of every operator on a variance of 0 or a mean square of 1e-5.
TEST(NormalisedLines, EpsilonIsSmallWhereNothingElseIsSaid) {
  const double root = std::sqrt(1e-5);
  EXPECT_THAT(only("BatchNormalization", {reals({1, 1}, {1}), kOne, kZero, kZero, kZero}).data, near({1 / root}));
  const auto layer = all_of("LayerNormalization", {reals({1, 2}, {5, 5}), reals({}, {1})}, {}, 3);
  EXPECT_THAT(layer.at(0).data, near({0, 0}));
  EXPECT_THAT(layer.at(2).data, near({1 / root}));
  const double spread = 1e-2 / std::sqrt(1e-4 + 1e-5);
  EXPECT_THAT(only("InstanceNormalization", {reals({1, 1, 2}, {-1e-2, 1e-2}), kOne, kZero}).data,
              near({-spread, spread}));
  EXPECT_THAT(
      only("GroupNormalization", {reals({1, 1, 2}, {-1e-2, 1e-2}), kOne, kZero}, {{"num_groups", std::int64_t{1}}})
          .data,
      near({-spread, spread}));
  EXPECT_THAT(only("RMSNormalization", {reals({1, 2}, {1e-2, -1e-2}), reals({}, {1})}).data, near({spread, -spread}));
}

TEST(NormalisedLines, BatchesOfChannels) {
  const Tensor x = reals({2, 2, 2}, {1, 3, 5, 9, 2, 4, 1, 13});
  const Tensor scale = reals({2}, {2, 3}), bias = reals({2}, {10, 20}), mean = reals({2}, {1, 5});
  const std::vector<Tensor> operands{x, scale, bias, mean, reals({2}, {3, 15})};
  EXPECT_THAT(only("BatchNormalization", operands, {{"epsilon", 1.0}}).data, near({10, 12, 20, 23, 11, 13, 17, 26}));
  EXPECT_THAT(refusal("BatchNormalization", operands, {{"training_mode", std::int64_t{1}}}),
              HasSubstr("training mode is not supported"));
  EXPECT_THAT(refusal("BatchNormalization", {reals({2}, {1, 2}), scale, bias, mean, mean}),
              HasSubstr("an input of shape [2] has no channels"));
}

/// A group holds mean - s and mean + s in turn, which become -1 and 1.
TEST(NormalisedLines, GroupsOfSeveralChannelsAndBatches) {
  std::vector<double> data, by_group, by_channel;
  const std::vector<double> scale{2, 3, 5, 7}, bias{10, 20, 30, 40};
  for (int batch = 0; batch < 2; ++batch) {
    for (std::size_t channel = 0; channel < 4; ++channel) {
      const double middle = 5.0 * batch + (channel < 2 ? 1 : -3), spread = 1.0 + batch + (channel < 2 ? 0 : 4);
      for (const double sign : {-1.0, 1.0}) {
        data.push_back(middle + sign * spread);
        by_group.push_back(sign * scale[channel] + bias[channel]);
      }
    }
  }
  const std::vector<Tensor> operands{reals({2, 4, 2}, data), reals({4}, scale), reals({4}, bias)};
  EXPECT_THAT(only("GroupNormalization", operands, {{"num_groups", std::int64_t{2}}, {"epsilon", 0.0}}).data,
              near(by_group));
  EXPECT_THAT(only("InstanceNormalization", operands, {{"epsilon", 0.0}}).data, near(by_group))
      << "the channels of a group are alike here";
  const Tensor unlike = reals({1, 2, 2}, {0, 2, 10, 30});
  EXPECT_THAT(only("InstanceNormalization", {unlike, reals({2}, {1, 2}), reals({2}, {0, 5})}, {{"epsilon", 0.0}}).data,
              near({-1, 1, 3, 7}));
}

TEST(NormalisedLines, GroupsAndMapsThatDoNotFitAreRefused) {
  const Tensor four = reals({4}, {1, 1, 1, 1}), zeros = reals({4}, {0, 0, 0, 0});
  const auto groups = [&](const Tensor& x, std::int64_t count) {
    return refusal("GroupNormalization", {x, four, zeros}, {{"num_groups", count}});
  };
  EXPECT_THAT(groups(four, 2), HasSubstr("the channels of an input of shape [4] do not split into 2 groups"));
  EXPECT_THAT(groups(reals({1, 0}, {}), 1), HasSubstr("the channels of an input of shape [1, 0] do not split into 1"));
  EXPECT_THAT(groups(reals({1, 4, 0}, {}), 2),
              HasSubstr("scale [4] and bias [4] do not fit an input of shape [1, 4, 0]"));
  EXPECT_THAT(groups(reals({1, 4}, {1, 2, 3, 4}), 0), HasSubstr("'num_groups' holds 0, outside [1, 2147483648]"));
  EXPECT_THAT(refusal("GroupNormalization", {reals({1, 4}, {1, 2, 3, 4}), four, zeros}),
              HasSubstr("attribute 'num_groups' is missing"));
  EXPECT_THAT(only("GroupNormalization", {reals({1, 4}, {1, 3, 5, 9}), four, zeros},
                   {{"num_groups", std::int64_t{2}}, {"epsilon", 0.0}})
                  .data,
              near({-1, 1, -1, 1}))
      << "channels of one number each";
  EXPECT_THAT(only("GroupNormalization", {reals({0, 4, 2}, {}), four, zeros}, {{"num_groups", std::int64_t{2}}}).shape,
              ElementsAre(0, 4, 2));
  EXPECT_THAT(refusal("InstanceNormalization", {reals({1, 4}, {1, 2, 3, 4}), four, zeros}),
              HasSubstr("an input of shape [1, 4] has no map"));
}

TEST(NormalisedLines, LayersOfSeveralAxes) {
  const Tensor x = reals({2, 2, 2}, {1, 3, 1, 3, 4, 4, 8, 8});
  const auto made = all_of("LayerNormalization", {x, reals({2, 2}, {1, 2, 3, 4}), reals({2}, {10, 20})},
                           {{"axis", std::int64_t{1}}, {"epsilon", 0.0}}, 3);
  EXPECT_THAT(made.at(0).data, near({9, 22, 7, 24, 9, 18, 13, 24}));
  EXPECT_THAT(made.at(1).data, near({2, 6}));
  EXPECT_THAT(made.at(1).shape, ElementsAre(2, 1, 1));
  EXPECT_THAT(made.at(2).data, near({1, 0.5}));
  EXPECT_THAT(made.at(2).shape, ElementsAre(2, 1, 1));
  for (const char* op : {"LayerNormalization", "RMSNormalization"})
    EXPECT_THAT(refusal(op, {reals({2, 0}, {}), reals({}, {1})}),
                HasSubstr("an axis without elements cannot be normalised"));
}

TEST(NormalisedLines, RootMeanSquareOfSeveralAxes) {
  const Tensor x = reals({2, 2, 2}, {1, 1, 1, -1, 2, 2, -2, 2});
  const Tensor scale = reals({2, 1, 2}, {1, 2, 3, 4});
  EXPECT_THAT(only("RMSNormalization", {x, scale}, {{"axis", std::int64_t{1}}, {"epsilon", 0.0}}).data,
              near({1, 2, 1, -2, 3, 4, -3, 4}));
}

TEST(NormalisedLines, MeanAndVarianceOfBatchesAndPositions) {
  const Tensor x = reals({2, 2, 1, 2}, {1, 3, 10, 20, 5, 7, 30, 40});
  const double first = std::sqrt(5.0), second = std::sqrt(125.0);
  EXPECT_THAT(only("MeanVarianceNormalization", {x}).data,
              testing::Pointwise(testing::DoubleNear(1e-8), {-3 / first, -1 / first, -15 / second, -5 / second,
                                                             1 / first, 3 / first, 5 / second, 15 / second}));
  const Tensor tiny = reals({2}, {-1e-9, 1e-9});
  EXPECT_THAT(only("MeanVarianceNormalization", {tiny}, {{"axes", Integers{0}}}).data, near({-0.5, 0.5}));
  EXPECT_THAT(only("MeanVarianceNormalization", {tiny}, {{"axes", Integers{0, -1}}}).data, near({-0.5, 0.5}))
      << "an axis that is stated twice counts once";
}

TEST(NormalisedLines, AlongAnAxisInTheMiddle) {
  const Tensor x = reals({2, 2, 2}, {3, 0, 4, -2, 5, 1, -12, 0});
  EXPECT_THAT(only("LpNormalization", {x}, {{"axis", std::int64_t{1}}}).data,
              near({0.6, 0, 0.8, -1, 5.0 / 13, 1, -12.0 / 13, 0}));
  EXPECT_THAT(only("LpNormalization", {x}, {{"axis", std::int64_t{1}}, {"p", std::int64_t{1}}}).data,
              near({3.0 / 7, 0, 4.0 / 7, -1, 5.0 / 17, 1, -12.0 / 17, 0}));
  EXPECT_THAT(refusal("LpNormalization", {x}, {{"p", std::int64_t{0}}}), HasSubstr("'p' holds 0, outside [1, 2]"));
  EXPECT_THAT(only("Hardmax", {x}, {{"axis", std::int64_t{1}}}).data, ElementsAre(0, 1, 1, 0, 1, 1, 0, 0));
}

TEST(NormalisedLines, ExponentialsOverflowNowhere) {
  // Columns whose largest element is the first, the second and the last.
  const Tensor x = reals({1, 3, 3}, {1000, 0, 0, 0, 1000, 0, 0, 0, 1000});
  const Attributes columns{{"axis", std::int64_t{1}}};
  EXPECT_THAT(only("Softmax", {x}, columns).data, ElementsAre(1, 0, 0, 0, 1, 0, 0, 0, 1));
  EXPECT_THAT(only("LogSoftmax", {x}, columns).data, ElementsAre(0, -1000, -1000, -1000, 0, -1000, -1000, -1000, 0));
  EXPECT_EQ(only("Hardmax", {x}, columns).data, only("Softmax", {x}, columns).data);
  EXPECT_THAT(only("Hardmax", {reals({3}, {2, 2, 1})}).data, ElementsAre(1, 0, 0)) << "the first of equals";
  const Tensor logarithms = reals({1, 3}, {0, std::log(2.0), std::log(5.0)});
  EXPECT_THAT(only("Softmax", {logarithms}).data, near({0.125, 0.25, 0.625}));
  EXPECT_THAT(only("LogSoftmax", {logarithms}).data, near({std::log(0.125), std::log(0.25), std::log(0.625)}));
}

TEST(NormalisedLines, OfOneElementAndOfNone) {
  EXPECT_THAT(only("Softmax", {reals({2, 1}, {5, -3})}).data, ElementsAre(1, 1));
  EXPECT_THAT(only("LogSoftmax", {reals({2, 1}, {5, -3})}).data, ElementsAre(0, 0));
  EXPECT_THAT(only("Hardmax", {reals({2, 1}, {5, -3})}).data, ElementsAre(1, 1));
  EXPECT_THAT(only("LpNormalization", {reals({2, 1}, {5, -3})}).data, ElementsAre(1, -1));
  for (const char* op : {"Softmax", "LogSoftmax", "Hardmax", "LpNormalization"})
    EXPECT_THAT(only(op, {reals({2, 0}, {})}).shape, ElementsAre(2, 0)) << op;
}

}  // namespace
}  // namespace tacit::graph::reference
