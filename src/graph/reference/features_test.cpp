#include <cmath>

#include "graph/reference/evaluate_for_test.h"

namespace tacit::graph::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Features, RowsAreVectorsOrMatrices) {
  const Attributes sum{{"norm", std::string("L1")}};
  EXPECT_THAT(only("ai.onnx.ml.Normalizer", {reals({2}, {1, -3})}, sum).data, ElementsAre(0.25, -0.75));
  EXPECT_THAT(only("ai.onnx.ml.Normalizer", {reals({2, 1}, {4, -3})}, sum).data, ElementsAre(1, -1));
  const auto refused = [](const Tensor& x) { return refusal("ai.onnx.ml.Normalizer", {x}); };
  EXPECT_THAT(refused(reals({}, {1})), HasSubstr("the input must be [batch, features], not []"));
  EXPECT_THAT(refused(reals({1, 1, 1}, {1})), HasSubstr("the input must be [batch, features], not [1, 1, 1]"));
  EXPECT_THAT(refused(reals({1, 0}, {})), HasSubstr("the input must be [batch, features], not [1, 0]"));
}

TEST(Features, ThresholdIsZeroAndNotAbove) {
  EXPECT_THAT(only("ai.onnx.ml.Binarizer", {reals({4}, {-1, 0, 0.5, 2})}).data, ElementsAre(0, 0, 1, 1));
}

TEST(Features, VectorizerJoinsRows) {
  const auto join = [](const std::vector<Tensor>& inputs) { return only("ai.onnx.ml.FeatureVectorizer", inputs); };
  const Tensor row = join({reals({2}, {1, 2}), reals({1, 1}, {3}), reals({1}, {4})});
  EXPECT_THAT(row.shape, ElementsAre(1, 4));
  EXPECT_THAT(row.data, ElementsAre(1, 2, 3, 4));
  const auto refused = [](const std::vector<Tensor>& inputs) {
    return refusal("ai.onnx.ml.FeatureVectorizer", inputs);
  };
  const Tensor two = reals({2, 1}, {1, 2});
  EXPECT_THAT(refused({two, reals({1, 1}, {3})}), HasSubstr("its input 1 has 1 rows where the first has 2"));
  EXPECT_THAT(refused({two, reals({2, 1, 1}, {3, 4})}),
              HasSubstr("its input 1 must be [batch, features], not [2, 1, 1]"));
  EXPECT_THAT(refused({reals({}, {3})}), HasSubstr("its input 0 must be [batch, features], not []"));
}

TEST(Features, VectorizerHasUpTo2To28Columns) {
  const Tensor none = reals({0, 1}, {});
  const auto wanted = [&](const Integers& columns) {
    return base::refusal([&] {
      const Tensor result = only("ai.onnx.ml.FeatureVectorizer", std::vector<Tensor>(columns.size(), none),
                                 {{"inputdimensions", columns}});
      EXPECT_THAT(result.shape, ElementsAre(0, std::int64_t{1} << 28));
    });
  };
  constexpr std::int64_t kMost = std::int64_t{1} << 28;
  EXPECT_EQ(wanted({kMost}), base::kNotRefused);
  EXPECT_EQ(wanted({kMost - 1, 1}), base::kNotRefused);
  EXPECT_EQ(wanted({0, kMost}), base::kNotRefused);
  EXPECT_THAT(wanted({kMost, 1}), HasSubstr("inputdimensions [268435456, 1] do not add up to [0, 2^28] columns"));
  EXPECT_THAT(wanted({kMost + 1}), HasSubstr("do not add up to [0, 2^28] columns"));
  EXPECT_THAT(wanted({-1, kMost}), HasSubstr("inputdimensions [-1, 268435456] do not add up"));
}

}  // namespace
}  // namespace tacit::graph::reference
