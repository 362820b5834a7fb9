#include <cmath>

#include "graph/reference/evaluate_for_test.h"

namespace tacit::graph::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(MachineLearning, ScalerAndNormalizer) {
  const Tensor x = reals({1, 2}, {3, 4});
  const Attributes scaler{{"offset", std::vector<double>{1, 0}}, {"scale", std::vector<double>{2}}};
  EXPECT_THAT(only("ai.onnx.ml.Scaler", {x}, scaler).data, ElementsAre(4, 8));
  EXPECT_THAT(only("ai.onnx.ml.Normalizer", {x}, {{"norm", std::string("L2")}}).data, near({0.6, 0.8}));
  const Tensor y = reals({3, 2}, {-4, 2, -4, -2, 0, 0});
  EXPECT_THAT(only("ai.onnx.ml.Normalizer", {y}).data, ElementsAre(-2, 1, 2, 1, 0, 0)) << "by the largest, signed";
  EXPECT_THAT(only("ai.onnx.ml.Normalizer", {y}, {{"norm", std::string("L1")}}).data,
              near({-2.0 / 3, 1.0 / 3, -2.0 / 3, -1.0 / 3, 0, 0}));
  EXPECT_THAT(refusal("ai.onnx.ml.Normalizer", {y}, {{"norm", std::string("L3")}}), HasSubstr("none of MAX, L1, L2"));
}

TEST(MachineLearning, LinearClassifier) {
  const Tensor x = reals({1, 2}, {3, 4});
  Attributes attributes{{"coefficients", std::vector<double>{1, 0, 0, 1}},
                        {"intercepts", std::vector<double>{0, -1}},
                        {"classlabels_ints", Integers{5, 6}},
                        {"post_transform", std::string("SOFTMAX")}};
  auto both = all_of("ai.onnx.ml.LinearClassifier", {x}, attributes, 2);
  EXPECT_THAT(both.at(0).data, ElementsAre(5)) << "equal scores: the first label";
  EXPECT_THAT(both.at(1).data, ElementsAre(0.5, 0.5));
  attributes["post_transform"] = std::string("LOGISTIC");
  EXPECT_THAT(all_of("ai.onnx.ml.LinearClassifier", {x}, attributes, 2).at(1).data,
              near({0.95257412682243336, 0.95257412682243336}));
  // One row for two labels: it scores the second.
  attributes["coefficients"] = std::vector<double>{1, -1};
  attributes["intercepts"] = std::vector<double>{1 + std::log(3.0)};
  both = all_of("ai.onnx.ml.LinearClassifier", {x}, attributes, 2);
  EXPECT_THAT(both.at(0).data, ElementsAre(6));
  EXPECT_THAT(both.at(1).data, near({0.25, 0.75}));
  attributes["intercepts"] = std::vector<double>{};
  EXPECT_THAT(refusal("ai.onnx.ml.LinearClassifier", {x}, attributes), HasSubstr("0 intercepts do not fit"));
}

TEST(MachineLearning, LinearClassifierTransformsAndTexts) {
  Attributes attributes{{"coefficients", Reals{1, 0, 0, 1, 0.5, 0.5}},
                        {"intercepts", Reals{0, 0, 0}},
                        {"classlabels_strings", Texts{"a", "b", "c"}},
                        {"post_transform", std::string("PROBIT")}};
  const Tensor x = reals({1, 2}, {0.25, 0.75});
  const auto probit = all_of("ai.onnx.ml.LinearClassifier", {x}, attributes, 2);
  EXPECT_THAT(read(probit.at(0)), ElementsAre("b"));
  EXPECT_THAT(probit.at(0).data, ElementsAre(1)) << "the position in the list of labels";
  EXPECT_THAT(probit.at(1).data, close({-0.6745743155479431, 0.6745743155479431, 0}));
  attributes["coefficients"] = Reals{1, 0, 0, 1, 0, 0};
  attributes["post_transform"] = std::string("SOFTMAX_ZERO");
  const auto shares = all_of("ai.onnx.ml.LinearClassifier", {x}, attributes, 2).at(1);
  EXPECT_THAT(shares.data, close({0.3775406777858734, 0.622459352016449, 0}));
  EXPECT_THAT(all_of("ai.onnx.ml.LinearClassifier", {reals({2}, {0, 0})}, attributes, 2).at(1).data,
              ElementsAre(0, 0, 0));
  attributes["post_transform"] = std::string("ARGMAX");
  EXPECT_THAT(refusal("ai.onnx.ml.LinearClassifier", {x}, attributes), HasSubstr("none of NONE, SOFTMAX, LOGISTIC"));
  attributes["post_transform"] = std::string("NONE");
  attributes["classlabels_strings"] = Texts{"a"};
  EXPECT_THAT(refusal("ai.onnx.ml.LinearClassifier", {x}, attributes), HasSubstr("two labels or more"));
  attributes.erase("classlabels_strings");
  attributes["classlabels_ints"] = Integers{1, 2, std::int64_t{1} << 60};
  EXPECT_THAT(refusal("ai.onnx.ml.LinearClassifier", {x}, attributes), HasSubstr("beyond 2^53"));
}

TEST(MachineLearning, LabelsAreWholeNumbersUpTo2To53) {
  constexpr std::int64_t kLargest = std::int64_t{1} << 53;
  Attributes attributes{{"coefficients", Reals{1, 0, 0, 1}},
                        {"intercepts", Reals{0, 0}},
                        {"classlabels_ints", Integers{-kLargest, kLargest}}};
  const Tensor x = reals({2, 2}, {3, 4, 4, 3});
  EXPECT_THAT(all_of("ai.onnx.ml.LinearClassifier", {x}, attributes, 2).at(0).data, ElementsAre(0x1p53, -0x1p53));
  for (const std::int64_t label : {-kLargest - 1, kLargest + 1}) {
    attributes["classlabels_ints"] = Integers{0, label};
    EXPECT_THAT(refusal("ai.onnx.ml.LinearClassifier", {x}, attributes), HasSubstr("beyond 2^53"));
  }
}

TEST(MachineLearning, LinearClassifierOfOneRow) {
  Attributes attributes{
      {"coefficients", Reals{0.5, -0.25}}, {"intercepts", Reals{0.25}}, {"classlabels_ints", Integers{5, 6}}};
  const Tensor x = reals({2, 2}, {1, 1, -1, 1});
  for (const char* kind : {"NONE", "SOFTMAX", "SOFTMAX_ZERO"}) {
    attributes["post_transform"] = std::string(kind);
    const auto both = all_of("ai.onnx.ml.LinearClassifier", {x}, attributes, 2);
    EXPECT_THAT(both.at(0).data, ElementsAre(6, 5));
    EXPECT_THAT(both.at(1).data, ElementsAre(0.5, 0.5, 1.5, -0.5)) << kind;
  }
  attributes["post_transform"] = std::string("PROBIT");
  EXPECT_THAT(refusal("ai.onnx.ml.LinearClassifier", {x}, attributes), HasSubstr("PROBIT needs a score for each"));
}

// With the results of ONNX Runtime.
TEST(MachineLearning, OneScoreOfTreesForTwoClasses) {
  const Tensor x = reals({2, 1}, {-1, 1});
  Attributes stump{{"nodes_treeids", Integers{0, 0, 0}},
                   {"nodes_nodeids", Integers{0, 1, 2}},
                   {"nodes_featureids", Integers{0, 0, 0}},
                   {"nodes_modes", std::vector<std::string>{"BRANCH_LEQ", "LEAF", "LEAF"}},
                   {"nodes_values", Reals{0, 0, 0}},
                   {"nodes_truenodeids", Integers{1, 0, 0}},
                   {"nodes_falsenodeids", Integers{2, 0, 0}},
                   {"class_treeids", Integers{0, 0}},
                   {"class_nodeids", Integers{1, 2}},
                   {"class_ids", Integers{0, 0}},
                   {"classlabels_int64s", Integers{5, 9}}};
  const auto expect = [&](const char* transform, const Reals& weights, const std::vector<double>& scores) {
    stump["post_transform"] = std::string(transform);
    stump["class_weights"] = weights;
    const auto both = all_of("ai.onnx.ml.TreeEnsembleClassifier", {x}, stump, 2);
    EXPECT_THAT(both.at(0).data, ElementsAre(9, 5)) << transform;
    EXPECT_THAT(both.at(1).data, close(scores)) << transform;
  };
  expect("NONE", {0.7, 0.2}, {0.3, 0.7, 0.8, 0.2});
  expect("LOGISTIC", {0.7, 0.2}, {0.3318122, 0.6681878, 0.450166, 0.549834});
  expect("SOFTMAX", {0.7, 0.2}, {0.3, 0.7, 0.8, 0.2});
  for (const char* transform : {"NONE", "SOFTMAX", "SOFTMAX_ZERO"})
    expect(transform, {0.7, -0.2}, {-0.7, 0.7, 0.2, -0.2});
  expect("LOGISTIC", {0.7, -0.2}, {0.3318122, 0.6681878, 0.549834, 0.450166});
  stump["class_ids"] = Integers{1, 1};
  EXPECT_THAT(refusal("ai.onnx.ml.TreeEnsembleClassifier", {x}, stump),
              HasSubstr("all its leaves have scores of class 1"));
  stump["class_ids"] = Integers{0, 0};
  const auto of_feature = [&](std::int64_t feature) {
    stump["nodes_featureids"] = Integers{feature, 0, 0};
    return refusal("ai.onnx.ml.TreeEnsembleClassifier", {x}, stump);
  };
  constexpr std::int64_t kMost = 1 << 24;
  for (const std::int64_t feature : {std::int64_t{-1}, kMost})
    EXPECT_THAT(of_feature(feature), HasSubstr("a node reads a feature out of range"));
  EXPECT_THAT(of_feature(kMost - 1), HasSubstr("read feature 16777215, and the input has 1"));
}

TEST(MachineLearning, LinearRegressor) {
  const Tensor x = reals({1, 2}, {1, 2});
  Attributes attributes{{"coefficients", Reals{1, 2, 3, -2}}, {"targets", std::int64_t{2}}};
  EXPECT_THAT(only("ai.onnx.ml.LinearRegressor", {x}, attributes).data, ElementsAre(5, -1));
  attributes["intercepts"] = Reals{10, 1};
  EXPECT_THAT(only("ai.onnx.ml.LinearRegressor", {x}, attributes).data, ElementsAre(15, 0));
  attributes["post_transform"] = std::string("LOGISTIC");
  EXPECT_THAT(only("ai.onnx.ml.LinearRegressor", {x}, attributes).data, close({0.9999997, 0.5}));
  attributes["targets"] = std::int64_t{1};
  EXPECT_THAT(refusal("ai.onnx.ml.LinearRegressor", {x}, attributes), HasSubstr("2 rows of coefficients do not fit 1"));
  attributes["coefficients"] = Reals{1, 2};
  attributes["intercepts"] = Reals{-4};
  EXPECT_THAT(only("ai.onnx.ml.LinearRegressor", {x}, attributes).data, ElementsAre(1)) << "one score stays as it is";
  attributes["intercepts"] = Reals{-4.25};
  attributes["post_transform"] = std::string("PROBIT");
  EXPECT_THAT(only("ai.onnx.ml.LinearRegressor", {x}, attributes).data, close({0.6745743155479431}));
}

TEST(MachineLearning, ImputerAndBinarizer) {
  const Tensor x = reals({2, 2}, {1, NAN, NAN, 0});
  Attributes attributes{{"imputed_value_floats", Reals{7, 8}}, {"replaced_value_float", NAN}};
  EXPECT_THAT(only("ai.onnx.ml.Imputer", {x}, attributes).data, ElementsAre(1, 8, 7, 0));
  attributes["imputed_value_floats"] = Reals{9};
  EXPECT_THAT(only("ai.onnx.ml.Imputer", {x}, attributes).data, ElementsAre(1, 9, 9, 0));
  attributes["imputed_value_floats"] = Reals{1, 2, 3};
  EXPECT_THAT(refusal("ai.onnx.ml.Imputer", {x}, attributes), HasSubstr("holds 3 values for 2 features"));
  EXPECT_THAT(refusal("ai.onnx.ml.Imputer", {x}), HasSubstr("neither imputed_value_floats nor"));
  const Tensor counts = integers({1, 3}, {-1, 0, 4});
  const Tensor imputed = only("ai.onnx.ml.Imputer", {counts},
                              {{"imputed_value_int64s", Integers{5}}, {"replaced_value_int64", std::int64_t{-1}}});
  EXPECT_THAT(imputed.data, ElementsAre(5, 0, 4));
  EXPECT_TRUE(imputed.integral);
  EXPECT_THAT(only("ai.onnx.ml.Binarizer", {reals({3}, {0.5, 0.75, -1})}, {{"threshold", 0.5}}).data,
              ElementsAre(0, 1, 0));
  EXPECT_THAT(refusal("ai.onnx.ml.Binarizer", {x}), HasSubstr("is not a number"));
}

TEST(MachineLearning, FeatureVectorizerCutsAndFills) {
  const Tensor a = reals({2, 2}, {1, 2, 3, 4}), b = reals({2, 1}, {5, 6});
  EXPECT_THAT(only("ai.onnx.ml.FeatureVectorizer", {a, b}).data, ElementsAre(1, 2, 5, 3, 4, 6));
  EXPECT_THAT(only("ai.onnx.ml.FeatureVectorizer", {a, b}, {{"inputdimensions", Integers{1, 2}}}).data,
              ElementsAre(1, 5, 0, 3, 6, 0));
  EXPECT_THAT(refusal("ai.onnx.ml.FeatureVectorizer", {a, b}, {{"inputdimensions", Integers{1}}}),
              HasSubstr("1 values for 2 inputs"));
  EXPECT_THAT(refusal("ai.onnx.ml.FeatureVectorizer", {a}, {{"inputdimensions", Integers{std::int64_t{1} << 40}}}),
              HasSubstr("do not add up"));
  EXPECT_THAT(refusal("ai.onnx.ml.FeatureVectorizer", {a, reals({1}, {1})}), HasSubstr("has 1 rows"));
  EXPECT_THAT(only("ai.onnx.ml.ZipMap", {a}).data, ElementsAre(1, 2, 3, 4));
}

TEST(MachineLearning, ZerosAreMissingWhereNothingElseIsSaid) {
  EXPECT_THAT(only("ai.onnx.ml.Imputer", {reals({1, 3}, {0, 1, -1})}, {{"imputed_value_floats", Reals{7}}}).data,
              ElementsAre(7, 1, -1));
  EXPECT_THAT(only("ai.onnx.ml.Imputer", {integers({1, 3}, {0, 1, -1})}, {{"imputed_value_int64s", Integers{5}}}).data,
              ElementsAre(5, 1, -1));
}

TEST(MachineLearning, ScaledIntegersAreReals) {
  const Tensor x = integers({1, 2}, {3, 4});
  const Tensor same = only("ai.onnx.ml.Scaler", {x});
  EXPECT_THAT(same.data, ElementsAre(3, 4));
  EXPECT_FALSE(same.integral);
  const Tensor normal = only("ai.onnx.ml.Normalizer", {x}, {{"norm", std::string("L2")}});
  EXPECT_THAT(normal.data, near({0.6, 0.8}));
  EXPECT_FALSE(normal.integral);
}

TEST(MachineLearning, ANumberWithoutAxesIsOneFeature) {
  const Tensor x{{}, {7}, false};
  const auto scaler = [](Reals offset) { return std::map<std::string, Attribute>{{"offset", std::move(offset)}}; };
  EXPECT_THAT(only("ai.onnx.ml.Scaler", {x}, scaler({2})).data, ElementsAre(5));
  EXPECT_THAT(refusal("ai.onnx.ml.Scaler", {x}, scaler({2, 2})),
              HasSubstr("attribute 'offset' holds 2 values for 1 features"));
  EXPECT_THAT(refusal("ai.onnx.ml.Scaler", {reals({2, 3}, {1, 2, 3, 4, 5, 6})}, scaler({1, 2})),
              HasSubstr("holds 2 values for 3 features"));
}

TEST(MachineLearning, CoefficientsAreRowsOfFeatures) {
  const auto refused = [](Reals coefficients) {
    return refusal("ai.onnx.ml.LinearRegressor", {reals({1, 2}, {1, 2})},
                   {{"coefficients", std::move(coefficients)}, {"intercepts", Reals{1}}});
  };
  EXPECT_THAT(refused({1, 2, 3}), HasSubstr("3 coefficients do not fit 2 features"));
  EXPECT_THAT(refused({}), HasSubstr("0 coefficients do not fit 2 features"));
}

}  // namespace
}  // namespace tacit::graph::reference
