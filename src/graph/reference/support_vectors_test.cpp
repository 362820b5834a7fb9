#include "graph/reference/support_vectors.h"

#include "graph/reference/evaluate_for_test.h"

namespace tacit::graph::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Tensor kRows = reals({2, 2}, {1, -0.5, -0.25, 2});
const Reals kVectors{1, 0, 0, 1, -1, 0.5, 0.5, -1};

Attributes three_classes(const char* kernel) {
  return {{"kernel_type", std::string(kernel)},
          {"kernel_params", Reals{0.5, 0.25, 3}},
          {"support_vectors", kVectors},
          {"vectors_per_class", Integers{2, 1, 1}},
          {"coefficients", Reals{0.5, -1, 0.25, 2, 1.5, 0.75, -0.5, 1}},
          {"rho", Reals{0.125, -0.25, 0.5}},
          {"classlabels_ints", Integers{4, 7, 9}}};
}

Attributes two_classes() {
  return {{"support_vectors", Reals{1, 0, 0, 1}},
          {"vectors_per_class", Integers{1, 1}},
          {"coefficients", Reals{1, -1}},
          {"rho", Reals{0.25}},
          {"classlabels_strings", Texts{"no", "yes"}}};
}

std::vector<Tensor> classify(const Attributes& attributes, const Tensor& rows = kRows) {
  return all_of("ai.onnx.ml.SVMClassifier", {rows}, attributes, 2);
}

std::string classifier_refusal(const Attributes& attributes) {
  return refusal("ai.onnx.ml.SVMClassifier", {kRows}, attributes);
}

TEST(SupportVectors, DecisionsOfPairs) {
  const auto expect = [](const char* kernel, const std::vector<double>& labels, const Reals& scores) {
    const auto made = classify(three_classes(kernel));
    EXPECT_EQ(made.at(0).data, labels) << kernel;
    EXPECT_TRUE(made.at(0).integral);
    EXPECT_THAT(made.at(1).shape, ElementsAre(2, 3));
    EXPECT_THAT(made.at(1).data, close(scores)) << kernel;
  };
  expect("LINEAR", {4, 9}, {0.8125, 2.875, 2.125, -1.6875, -3.375, -2.25});
  expect("POLY", {4, 4}, {0.32275390625, 1.2265625, 0.9482421875, -1.65966796875, 0.14501953125, -0.371337890625});
  expect("RBF", {4, 7},
         {0.3898580074310303, 2.7790307998657227, 1.2377582788467407, -0.37062400579452515, 0.30061477422714233,
          0.3858552575111389});
  expect("SIGMOID", {4, 9},
         {0.352985143661499, 1.9730215072631836, 1.3143277168273926, -0.4851307272911072, -0.7691919803619385,
          -0.5229198932647705});
}

TEST(SupportVectors, ProbabilitiesAndTransforms) {
  Attributes attributes = three_classes("RBF");
  attributes["post_transform"] = std::string("SOFTMAX");
  EXPECT_THAT(classify(attributes).at(1).data, close({0.07022861391305923, 0.7658058404922485, 0.16396550834178925,
                                                      0.1965632438659668, 0.3846074044704437, 0.4188293516635895}));
  attributes["post_transform"] = std::string("NONE");
  attributes["prob_a"] = Reals{-1, -2, -0.5};
  attributes["prob_b"] = Reals{0.1, 0, -0.2};
  const auto made = classify(attributes);
  EXPECT_THAT(made.at(0).data, ElementsAre(4, 7));
  EXPECT_THAT(made.at(1).data, close({0.557790994644165, 0.3796713948249817, 0.06253771483898163, 0.32137084007263184,
                                      0.441562682390213, 0.23706644773483276}));
  attributes["prob_b"] = Reals{0.1};
  EXPECT_THAT(classifier_refusal(attributes), HasSubstr("hold 3 and 1 values for 3 pairs"));
}

TEST(SupportVectors, TwoClasses) {
  Attributes attributes = two_classes();
  EXPECT_THAT(read(classify(attributes).at(0)), ElementsAre("no", "yes"));
  EXPECT_THAT(classify(attributes).at(1).data, ElementsAre(-1.75, 1.75, 2, -2));
  attributes["post_transform"] = std::string("LOGISTIC");
  EXPECT_THAT(classify(attributes).at(1).data,
              close({0.14804726839065552, 0.8519527316093445, 0.8807970285415649, 0.11920297145843506}));
  attributes["post_transform"] = std::string("SOFTMAX");
  EXPECT_THAT(classify(attributes).at(1).data, ElementsAre(-0.75, 1.75, 3, -2));
  attributes["post_transform"] = std::string("NONE");
  attributes["prob_a"] = Reals{-1};
  attributes["prob_b"] = Reals{0.5};
  EXPECT_THAT(classify(attributes).at(1).data,
              close({0.777299702167511, 0.222700297832489, 0.0757380798459053, 0.9242618680000305}));
}

TEST(SupportVectors, ClassesWithScoresOfTheirOwn) {
  Attributes attributes{
      {"coefficients", Reals{1, 0, 0, 1, -1, -1}}, {"rho", Reals{0.5}}, {"classlabels_ints", Integers{5, 6, 7}}};
  EXPECT_THAT(classify(attributes).at(0).data, ElementsAre(5, 6));
  EXPECT_THAT(classify(attributes).at(1).data, ElementsAre(1.5, 0, 0, 0.25, 2.5, -1.25));
  // Two classes: the second wherever the largest score passes 0.5, or 0 where a weight is negative.
  attributes = {{"coefficients", Reals{1, 0, 0, 1}}, {"rho", Reals{0}}, {"classlabels_ints", Integers{5, 6}}};
  EXPECT_THAT(classify(attributes, reals({3, 2}, {0.6, 0.2, 0.3, 0.2, -0.2, -0.1})).at(0).data, ElementsAre(6, 5, 6));
  attributes["coefficients"] = Reals{1, -0.5, 0, 1};
  EXPECT_THAT(classify(attributes, reals({2, 2}, {0.6, 0.2, -0.3, -0.4})).at(0).data, ElementsAre(6, 5));
  attributes["rho"] = Reals{};
  EXPECT_THAT(classifier_refusal(attributes), HasSubstr("it has no rho"));
}

TEST(SupportVectors, VotesFromDecisionsAlone) {
  Attributes attributes{{"classlabels_ints", Integers{4, 7, 9}}};
  const Tensor decisions = reals({2, 3}, {1, -1, -1, 1, -1, 1});
  const auto made = all_of("tacit.SupportVectorVotes", {decisions}, attributes, 2);
  EXPECT_THAT(made.at(0).data, ElementsAre(9, 4)) << "one vote each: the first class";
  EXPECT_EQ(made.at(1).data, decisions.data);
  attributes["decisions"] = std::string("classes");
  EXPECT_THAT(all_of("tacit.SupportVectorVotes", {decisions}, attributes, 2).at(0).data, ElementsAre(4, 4));
  attributes["decisions"] = std::string("rows");
  EXPECT_THAT(refusal("tacit.SupportVectorVotes", {decisions}, attributes), HasSubstr("none of pairs, classes"));
  attributes["decisions"] = std::string("pairs");
  EXPECT_THAT(refusal("tacit.SupportVectorVotes", {reals({1, 2}, {1, 1})}, attributes),
              HasSubstr("[batch, 3] are needed"));
}

TEST(SupportVectors, TailTakesTheClassifiersAttributes) {
  for (const Attributes& attributes : {three_classes("RBF"), two_classes()}) {
    const auto whole = classify(attributes);
    const Node node{"ai.onnx.ml.SVMClassifier", "n", {}, {}, attributes};
    Tensor decisions = whole.at(1);
    if (decisions.shape[1] == 2) decisions = reals({2, 1}, {decisions.data[1], decisions.data[3]});
    const auto tail = all_of(kSupportVectorVotes, {decisions}, support_vector_votes_attributes(node), 2);
    EXPECT_EQ(tail.at(0).data, whole.at(0).data);
    EXPECT_EQ(tail.at(0).texts, whole.at(0).texts);
    EXPECT_EQ(tail.at(1).data, whole.at(1).data);
  }
}

TEST(SupportVectors, RefusesWhatDoesNotFit) {
  const auto with = [](const char* name, Attribute value) {
    Attributes attributes = three_classes("RBF");
    attributes[name] = std::move(value);
    return classifier_refusal(attributes);
  };
  EXPECT_THAT(with("rho", Reals{1}), HasSubstr("rho holds 1 values for the 3 pairs of 3 classes"));
  EXPECT_THAT(with("coefficients", Reals{1}), HasSubstr("1 coefficients do not fit 4 support vectors of 3 classes"));
  EXPECT_THAT(with("support_vectors", Reals{1, 2}), HasSubstr("not those of 4 vectors of 2 features"));
  EXPECT_THAT(with("support_vectors", Reals{}), HasSubstr("without support_vectors"));
  EXPECT_THAT(with("vectors_per_class", Integers{2, 1, -1}), HasSubstr("do not add up"));
  EXPECT_THAT(with("kernel_params", Reals{1}), HasSubstr("gamma, coef0 and degree are needed"));
  EXPECT_THAT(with("kernel_type", std::string("COSINE")), HasSubstr("none of LINEAR, POLY, RBF, SIGMOID"));
  EXPECT_THAT(with("classlabels_ints", Integers{1, 2}), HasSubstr("do not fit 2 classes"));
}

TEST(SupportVectors, NumbersOfVectorsAreBoundedInTotal) {
  Attributes attributes = three_classes("RBF");
  attributes["vectors_per_class"] = Integers{(1 << 28) - 1, 1, 1};
  EXPECT_THAT(classifier_refusal(attributes), HasSubstr("do not add up to [0, 2^28]"));
  attributes["vectors_per_class"] = Integers{(1 << 28) - 2, 1, 1};
  EXPECT_THAT(classifier_refusal(attributes), HasSubstr("268435456 support vectors"));
}

TEST(SupportVectors, Regressor) {
  Attributes attributes{{"kernel_params", Reals{0.5, 0.25, 3}},
                        {"coefficients", Reals{1, -2, 0.5}},
                        {"support_vectors", Reals{1, 0, 0, 1, -1, 0.5}},
                        {"n_supports", std::int64_t{3}},
                        {"rho", Reals{-0.125}},
                        {"post_transform", std::string("LOGISTIC")}};
  const auto expect = [&](const char* kernel, const Reals& expected) {
    attributes["kernel_type"] = std::string(kernel);
    const Tensor made = only("ai.onnx.ml.SVMRegressor", {kRows}, attributes);
    EXPECT_THAT(made.shape, ElementsAre(2, 1));
    EXPECT_THAT(made.data, close(expected)) << kernel;
  };
  expect("POLY", {0.2705078125, -3.6943359375});
  expect("RBF", {0.40471601486206055, -1.1162478923797607});
  expect("SIGMOID", {0.33097028732299805, -1.3452614545822144});
  expect("LINEAR", {1.25, -3.75});
  attributes["one_class"] = std::int64_t{1};
  expect("LINEAR", {1, -1});
  attributes = {{"coefficients", Reals{1, -2}}, {"rho", Reals{-0.125}}};
  expect("LINEAR", {1.875, -4.375});
  attributes["n_supports"] = std::int64_t{5};
  EXPECT_THAT(refusal("ai.onnx.ml.SVMRegressor", {kRows}, attributes), HasSubstr("do not fit 5 support vectors"));
}

}  // namespace
}  // namespace tacit::graph::reference
