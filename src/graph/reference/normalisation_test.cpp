#include <cmath>

#include "graph/reference/evaluate_for_test.h"

namespace tacit::graph::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Normalisation, BatchAndLayer) {
  const Tensor x = reals({1, 2, 2}, {1, 3, 5, 9});
  const Tensor scale = reals({2}, {2, 1}), bias = reals({2}, {10, 0});
  const Tensor mean = reals({2}, {1, 5}), variance = reals({2}, {4, 16});
  EXPECT_THAT(only("BatchNormalization", {x, scale, bias, mean, variance}, {{"epsilon", 0.0}}).data,
              ElementsAre(10, 12, 0, 1));
  const auto layer = all_of("LayerNormalization", {x, scale, bias}, {{"epsilon", 0.0}}, 3);
  EXPECT_THAT(layer.at(0).data, near({-2 + 10, 1, -2 + 10, 1}));
  EXPECT_THAT(layer.at(1).data, ElementsAre(2, 7));
  EXPECT_THAT(layer.at(2).data, ElementsAre(1, 0.5));
}

// Scale and bias differ in values and in shape, so that neither stands for the other.
TEST(Normalisation, ScaleAndBiasAreNotExchanged) {
  const Tensor x = reals({1, 2, 2}, {1, 3, 5, 9});
  EXPECT_THAT(only("InstanceNormalization", {x, reals({2}, {2, 3}), reals({2}, {10, 20})}, {{"epsilon", 0.0}}).data,
              near({8, 12, 17, 23}));
  EXPECT_THAT(only("LayerNormalization", {x, reals({2}, {2, 3}), reals({1}, {10})}, {{"epsilon", 0.0}}).data,
              near({8, 13, 8, 13}));
  EXPECT_THAT(only("LayerNormalization", {x, reals({1}, {2}), reals({2}, {10, 20})}, {{"epsilon", 0.0}}).data,
              near({8, 22, 8, 22}));
}

TEST(Normalisation, EveryOperandMustFitTheChannels) {
  const Tensor x = reals({1, 2, 2}, {1, 3, 5, 9}), right = reals({2}, {1, 1}), wrong = reals({3}, {1, 1, 1});
  for (std::size_t i = 1; i < 5; ++i) {
    std::vector<Tensor> operands{x, right, right, right, right};
    operands[i] = wrong;
    EXPECT_THAT(refusal("BatchNormalization", operands),
                HasSubstr("input " + std::to_string(i) + " of shape [3] does not fit 2 channels"));
  }
  EXPECT_THAT(refusal("InstanceNormalization", {x, wrong, right}), HasSubstr("do not fit"));
  EXPECT_THAT(refusal("InstanceNormalization", {x, right, wrong}), HasSubstr("do not fit"));
  EXPECT_THAT(refusal("LayerNormalization", {x, wrong, right}), HasSubstr("input 1 of shape [3]"));
  EXPECT_THAT(refusal("LayerNormalization", {x, right, wrong}), HasSubstr("input 2 of shape [3]"));
}

TEST(Normalisation, Groups) {
  const Tensor x = reals({1, 4, 1}, {1, 3, 5, 9}), scale = reals({4}, {1, 2, 1, 1}), bias = reals({4}, {0, 0, 0, 10});
  const Attributes two{{"num_groups", std::int64_t{2}}, {"epsilon", 0.0}};
  EXPECT_THAT(only("GroupNormalization", {x, scale, bias}, two).data, near({-1, 2, -1, 11}));
  EXPECT_THAT(refusal("GroupNormalization", {x, scale, bias}, {{"num_groups", std::int64_t{3}}}),
              HasSubstr("do not split into 3 groups"));
  EXPECT_THAT(refusal("GroupNormalization", {x, reals({2}, {1, 1}), bias}, two), HasSubstr("do not fit"));
  const Tensor one = reals({1}, {1});  // no channels, for there is the batch alone
  EXPECT_THAT(refusal("GroupNormalization", {one, one, one}, {{"num_groups", std::int64_t{1}}}),
              HasSubstr("do not split into 1 groups"));
}

TEST(Normalisation, RootMeanSquare) {
  const Tensor x = reals({2, 2}, {1, 7, 0, 0}), scale = reals({2}, {1, 2});
  EXPECT_THAT(only("RMSNormalization", {x, scale}).data, close({0.2, 2.8, 0, 0}));
  EXPECT_THAT(only("RMSNormalization", {x, reals({}, {1})}, {{"axis", std::int64_t{0}}, {"epsilon", 0.0}}).data,
              near({1 / std::sqrt(12.5), 7 / std::sqrt(12.5), 0, 0}));
  EXPECT_THAT(refusal("RMSNormalization", {x, reals({3}, {1, 2, 3})}), HasSubstr("does not broadcast"));
}

TEST(Normalisation, NormsAndMoments) {
  const Tensor x = reals({2, 2}, {3, -4, 0, 0});
  EXPECT_THAT(only("LpNormalization", {x}).data, near({0.6, -0.8, 0, 0}));
  EXPECT_THAT(only("LpNormalization", {x}, {{"p", std::int64_t{1}}, {"axis", std::int64_t{0}}}).data,
              ElementsAre(1, -1, 0, 0));
  EXPECT_THAT(refusal("LpNormalization", {x}, {{"p", std::int64_t{3}}}),
              HasSubstr("attribute 'p' holds 3, outside [1, 2]"));
  const Tensor map = reals({1, 2, 1, 2}, {1, 3, 5, 9});
  EXPECT_THAT(only("MeanVarianceNormalization", {map}).data, close({-1, 1, -1, 1}));
  EXPECT_THAT(only("MeanVarianceNormalization", {map}, {{"axes", Integers{1}}}).data, close({-1, -1, 1, 1}));
  EXPECT_THAT(refusal("MeanVarianceNormalization", {x}), HasSubstr("axis 2 is outside"));
}

/// Epsilon is added to what the root is taken of: a variance of 1 and 3 is a deviation of 2.
TEST(Normalisation, EpsilonIsAddedToTheVariance) {
  const Attributes three{{"epsilon", 3.0}};
  const Tensor one = reals({1}, {1}), zero = reals({1}, {0});
  EXPECT_THAT(only("LayerNormalization", {reals({1, 2}, {1, 3}), reals({2}, {1, 1})}, three).data, near({-0.5, 0.5}));
  EXPECT_THAT(only("InstanceNormalization", {reals({1, 1, 2}, {1, 3}), one, zero}, three).data, near({-0.5, 0.5}));
  EXPECT_THAT(only("BatchNormalization", {reals({1, 1, 2}, {1, 3}), one, zero, reals({1}, {2}), one}, three).data,
              near({-0.5, 0.5}));
  EXPECT_THAT(only("RMSNormalization", {reals({1, 2}, {3, 4}), reals({2}, {1, 1})}, {{"epsilon", 12.5}}).data,
              near({0.6, 0.8}));
  const Attributes group{{"epsilon", 3.0}, {"num_groups", std::int64_t{1}}};
  const Tensor ones = reals({2}, {1, 1}), zeros = reals({2}, {0, 0});
  EXPECT_THAT(only("GroupNormalization", {reals({1, 2, 1}, {1, 3}), ones, zeros}, group).data, near({-0.5, 0.5}));
}

}  // namespace
}  // namespace tacit::graph::reference
