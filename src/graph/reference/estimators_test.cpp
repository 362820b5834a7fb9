#include <cmath>

#include "graph/reference/evaluate_for_test.h"

namespace tacit::graph::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// The labels and scores of three classes, whose scores are the features themselves.
std::vector<Tensor> scored(const char* transform, const Tensor& x) {
  return all_of("ai.onnx.ml.LinearClassifier", {x},
                {{"coefficients", Reals{1, 0, 0, 0, 1, 0, 0, 0, 1}},
                 {"intercepts", Reals{0, 0, 0}},
                 {"classlabels_ints", Integers{4, 5, 6}},
                 {"post_transform", std::string(transform)}},
                2);
}

TEST(Estimators, EveryRowHasItsOwnShares) {
  const double third = std::log(3.0);
  const auto both = scored("SOFTMAX", reals({2, 3}, {0, third, 0, 1000, 0, 1000}));
  EXPECT_THAT(both.at(0).data, ElementsAre(5, 4)) << "of equal scores the first";
  EXPECT_THAT(both.at(1).data, near({0.2, 0.6, 0.2, 0.5, 0, 0.5}));
  EXPECT_TRUE(both.at(0).integral);
  EXPECT_FALSE(both.at(1).integral);
}

TEST(Estimators, ScoresNextToZeroGetNoShare) {
  const double third = std::log(3.0);
  const auto shares = [](const Tensor& x) { return scored("SOFTMAX_ZERO", x).at(1).data; };
  EXPECT_THAT(shares(reals({2, 3}, {0, third, 2 * third, -third, third, 0})), near({0, 0.25, 0.75, 0.1, 0.9, 0}));
  // The shares are e^0 and 5e-8 e^-1; and then those of e^(2e-7 - 1), where the score is beyond what is next to zero.
  const double below = 5e-8 * std::exp(-1), above = std::exp(2e-7 - 1);
  EXPECT_THAT(shares(reals({1, 3}, {1, 5e-8, 0})), near({1 / (1 + below), below / (1 + below), 0}));
  EXPECT_THAT(shares(reals({1, 3}, {1, 2e-7, 0})), near({1 / (1 + above), above / (1 + above), 0}));
}

TEST(Estimators, LogisticsOfBothSigns) {
  const double e = std::exp(-2);
  EXPECT_THAT(scored("LOGISTIC", reals({1, 3}, {-2, 0, 2})).at(1).data, near({e / (1 + e), 0.5, 1 / (1 + e)}));
  EXPECT_THAT(scored("LOGISTIC", reals({1, 3}, {-800, 0, 800})).at(1).data, near({0, 0.5, 1}));
  EXPECT_THAT(scored("NONE", reals({1, 3}, {-2, 0, 2})).at(1).data, ElementsAre(-2, 0, 2));
}

TEST(Estimators, LabelsAreAsManyAsScores) {
  Attributes attributes{{"coefficients", Reals{1, 1}}, {"intercepts", Reals{0, 0}}};
  attributes["classlabels_ints"] = Integers{1, 2, 3};
  EXPECT_THAT(refusal("ai.onnx.ml.LinearClassifier", {reals({1, 1}, {1})}, attributes),
              HasSubstr("3 labels do not fit 2 "));
  attributes["intercepts"] = Reals{0};
  EXPECT_THAT(refusal("ai.onnx.ml.LinearClassifier", {reals({1, 2}, {1, 1})}, attributes),
              HasSubstr("3 labels do not fit 1 "));
  attributes["classlabels_ints"] = Integers{1};
  EXPECT_THAT(refusal("ai.onnx.ml.LinearClassifier", {reals({1, 2}, {1, 1})}, attributes),
              HasSubstr("a classifier needs two labels or more"));
}

}  // namespace
}  // namespace tacit::graph::reference
