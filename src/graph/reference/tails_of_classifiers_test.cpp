#include <cmath>

#include "graph/reference/evaluate_for_test.h"

namespace tacit::graph::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// What a client finishes with where a server computed the scores.

std::vector<Tensor> finished(const char* op, const Tensor& scores, const Attributes& attributes) {
  return all_of(op, {scores}, attributes, 2);
}

TEST(TailsOfClassifiers, LinearVotesTakeScores) {
  Attributes attributes{{"classlabels_ints", Integers{5, 6, 7}}, {"post_transform", std::string("SOFTMAX")}};
  const double two = std::log(2.0);
  const auto made = finished("tacit.LinearVotes", reals({2, 3}, {0, two, 0, two, 0, 0}), attributes);
  EXPECT_THAT(made.at(0).data, ElementsAre(6, 5));
  EXPECT_THAT(made.at(1).data, near({0.25, 0.5, 0.25, 0.5, 0.25, 0.25}));
  EXPECT_THAT(refusal("tacit.LinearVotes", {reals({3}, {1, 2, 3})}, attributes),
              HasSubstr("its scores must be [batch, rows of coefficients]"));
  EXPECT_THAT(refusal("tacit.LinearVotes", {reals({1, 2}, {1, 2})}, attributes),
              HasSubstr("3 labels do not fit 2 rows of coefficients"));
  attributes = {{"classlabels_ints", Integers{5, 6}}};
  const auto one = finished("tacit.LinearVotes", reals({3, 1}, {0, 0.25, -0.25}), attributes);
  EXPECT_THAT(one.at(0).data, ElementsAre(5, 6, 5)) << "a score above 0 is the second label's";
  EXPECT_THAT(one.at(1).data, ElementsAre(1, 0, 0.75, 0.25, 1.25, -0.25));
}

TEST(TailsOfClassifiers, TransformsByThemselves) {
  const Attributes softmax{{"post_transform", std::string("SOFTMAX")}};
  EXPECT_THAT(only("tacit.PostTransform", {reals({2, 2}, {0, 0, 0, std::log(3.0)})}, softmax).data,
              near({0.5, 0.5, 0.25, 0.75}));
  EXPECT_THAT(only("tacit.PostTransform", {reals({1, 2}, {3, 4})}).data, ElementsAre(3, 4));
  for (const Tensor& scores : {reals({2}, {0, 0}), reals({1, 1, 2}, {0, 0})})
    EXPECT_THAT(refusal("tacit.PostTransform", {scores}, softmax), HasSubstr("its scores must be [batch, targets]"));
}

TEST(TailsOfClassifiers, OneScoreOfTreesDecidesAtOneHalfOrAtZero) {
  Attributes attributes{{"classlabels_ints", Integers{5, 9}}, {"probabilities", std::int64_t{1}}};
  auto made = finished("tacit.TreeVotes", reals({4, 1}, {0.5, 0.5625, 0.25, 0}), attributes);
  EXPECT_THAT(made.at(0).data, ElementsAre(5, 9, 5, 5));
  EXPECT_THAT(made.at(1).data, ElementsAre(0.5, 0.5, 0.4375, 0.5625, 0.75, 0.25, 1, 0));
  attributes.erase("probabilities");
  made = finished("tacit.TreeVotes", reals({3, 1}, {0, 0.25, -0.25}), attributes);
  EXPECT_THAT(made.at(0).data, ElementsAre(5, 9, 5));
  EXPECT_THAT(made.at(1).data, ElementsAre(0, 0, -0.25, 0.25, 0.25, -0.25));
  EXPECT_THAT(refusal("tacit.TreeVotes", {reals({3}, {1, 2, 3})}, attributes),
              HasSubstr("its scores must be [batch, scores]"));
  EXPECT_THAT(refusal("tacit.TreeVotes", {reals({1, 3}, {1, 2, 3})}, attributes),
              HasSubstr("2 labels do not fit 3 scores"));
}

TEST(TailsOfClassifiers, SupportVectorsDecideAboveTheirThreshold) {
  Attributes attributes{{"classlabels_ints", Integers{5, 9}}, {"decisions", std::string("classes")}};
  const auto labels = [&](std::vector<double> rows) {
    const auto batch = static_cast<std::int64_t>(rows.size() / 2);
    return finished("tacit.SupportVectorVotes", reals({batch, 2}, std::move(rows)), attributes).at(0).data;
  };
  EXPECT_THAT(labels({0, -1, 0.25, -1}), ElementsAre(5, 9));
  attributes["positive_weights"] = std::int64_t{1};
  EXPECT_THAT(labels({0.5, 0, 0.4375, 0, 0, 0.4375}), ElementsAre(9, 5, 9));
  attributes["prob_a"] = attributes["prob_b"] = Reals{1};
  EXPECT_THAT(labels({0.75, 0}), ElementsAre(5)) << "the largest where there are probabilities";
  attributes["decisions"] = std::string("pairs");
  attributes.erase("prob_a");
  attributes.erase("prob_b");
  const auto made = finished("tacit.SupportVectorVotes", reals({3, 1}, {0, 0.25, -0.25}), attributes);
  EXPECT_THAT(made.at(0).data, ElementsAre(9, 5, 9)) << "a decision of 0 is the second label's";
  EXPECT_THAT(refusal("tacit.SupportVectorVotes", {reals({2, 2}, {1, 2, 3, 4})}, attributes),
              HasSubstr("decisions of shape [2, 2] do not fit 2 classes: [batch, 1] are needed"));
  EXPECT_THAT(refusal("tacit.SupportVectorVotes", {reals({1}, {1})}, attributes),
              HasSubstr("decisions of shape [1] do not fit 2 classes"));
}

TEST(SupportVectorRegressors, SayWhatDoesNotFit) {
  const Tensor x = reals({1, 2}, {1, 2});
  Attributes attributes{{"coefficients", Reals{1, -2}}, {"rho", Reals{3}}};
  attributes["one_class"] = std::int64_t{1};
  EXPECT_THAT(only("ai.onnx.ml.SVMRegressor", {x}, attributes).data, ElementsAre(-1)) << "a score of 0 is outside";
  attributes["rho"] = Reals{3.5};
  EXPECT_THAT(only("ai.onnx.ml.SVMRegressor", {x}, attributes).data, ElementsAre(1));
  const auto with = [&](const char* name, Attribute value) {
    Attributes changed = attributes;
    changed[name] = std::move(value);
    return refusal("ai.onnx.ml.SVMRegressor", {x}, changed);
  };
  EXPECT_THAT(with("rho", Reals{}), HasSubstr("it has no rho, the constant of its score"));
  EXPECT_THAT(with("n_supports", std::int64_t{-1}), HasSubstr("-1"));
  EXPECT_THAT(with("n_supports", std::int64_t{2}),
              HasSubstr("support_vectors holds 0 values, not those of 2 vectors of 2 features"));
  EXPECT_THAT(with("coefficients", Reals{1, 2, 3}),
              HasSubstr("3 coefficients do not fit 0 support vectors of 2 features"));
  attributes["kernel_type"] = std::string("POLY");
  EXPECT_THAT(with("kernel_params", Reals{1, 2}),
              HasSubstr("kernel_params holds 2 values; gamma, coef0 and degree are needed"));
}

TEST(LinearRegressors, HaveOneTargetWhereNothingIsSaid) {
  const Tensor x = reals({2, 2}, {1, 2, 3, 4});
  EXPECT_THAT(only("ai.onnx.ml.LinearRegressor", {x}, {{"coefficients", Reals{1, 10}}}).data, ElementsAre(21, 43));
  EXPECT_THAT(refusal("ai.onnx.ml.LinearRegressor", {x}, {{"coefficients", Reals{1, 10}}, {"intercepts", Reals{1, 2}}}),
              HasSubstr("2 intercepts do not fit 1 rows of coefficients"));
}

}  // namespace
}  // namespace tacit::graph::reference
