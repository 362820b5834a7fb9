#include "graph/reference/evaluate_for_test.h"

namespace tacit::graph::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Tensor kTwoByThree = reals({2, 3}, {1, 2, 3, 4, 5, 6});
const Tensor kThreeByFour = reals({3, 4}, {1, 0, 2, -1, 0, 1, 3, 1, -2, 1, 0, 4});
const std::vector<double> kTheirProduct{-5, 5, 8, 13, -8, 11, 23, 25};

Tensor flipped(const Tensor& matrix) {
  const std::int64_t rows = matrix.shape[0], columns = matrix.shape[1];
  Tensor result = reals({columns, rows}, {});
  for (std::int64_t j = 0; j < columns; ++j) {
    for (std::int64_t i = 0; i < rows; ++i)
      result.data.push_back(matrix.data[static_cast<std::size_t>(i * columns + j)]);
  }
  return result;
}

TEST(MatrixProducts, GemmOfEveryOrientation) {
  for (const bool flip_a : {false, true}) {
    for (const bool flip_b : {false, true}) {
      const Attributes attributes{{"transA", std::int64_t{flip_a}}, {"transB", std::int64_t{flip_b}}};
      const Tensor made =
          only("Gemm", {flip_a ? flipped(kTwoByThree) : kTwoByThree, flip_b ? flipped(kThreeByFour) : kThreeByFour},
               attributes);
      EXPECT_THAT(made.shape, ElementsAre(2, 4)) << flip_a << flip_b;
      EXPECT_EQ(made.data, kTheirProduct) << flip_a << flip_b;
      EXPECT_FALSE(made.integral);
    }
  }
}

TEST(MatrixProducts, BiasBroadcastsToTheProduct) {
  const auto with = [](const Tensor& bias, const Attributes& attributes = {}) {
    return only("Gemm", {kTwoByThree, kThreeByFour, bias}, attributes).data;
  };
  EXPECT_THAT(with(reals({4}, {1, 2, 3, 4})), ElementsAre(-4, 7, 11, 17, -7, 13, 26, 29));
  EXPECT_THAT(with(reals({2, 1}, {10, 20})), ElementsAre(5, 15, 18, 23, 12, 31, 43, 45));
  EXPECT_THAT(with(reals({}, {1})), ElementsAre(-4, 6, 9, 14, -7, 12, 24, 26));
  EXPECT_THAT(with(reals({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8})), ElementsAre(-4, 7, 11, 17, -3, 17, 30, 33));
  EXPECT_THAT(with(reals({}, {4}), {{"beta", 0.25}}), ElementsAre(-4, 6, 9, 14, -7, 12, 24, 26));
  EXPECT_THAT(with(reals({}, {1}), {{"alpha", 2.0}}), ElementsAre(-9, 11, 17, 27, -15, 23, 47, 51));
  EXPECT_THAT(refusal("Gemm", {kTwoByThree, kThreeByFour, reals({3}, {1, 2, 3})}),
              HasSubstr("a bias of shape [3] does not broadcast to [2, 4]"));
}

TEST(MatrixProducts, GemmRefusesWhatIsNoMatrixOfReals) {
  const Tensor whole = integers({3, 4}, std::vector<double>(12, 1.0)),
               whole_left = integers({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(refusal("Gemm", {kTwoByThree, whole}), HasSubstr("it takes floating-point matrices"));
  EXPECT_THAT(refusal("Gemm", {whole_left, kThreeByFour}), HasSubstr("multiply integers by MatMul"));
  EXPECT_THAT(refusal("Gemm", {reals({3}, {1, 2, 3}), kThreeByFour}),
              HasSubstr("Gemm takes matrices, not [3] and [3, 4]"));
  EXPECT_THAT(refusal("Gemm", {kTwoByThree, reals({3}, {1, 2, 3})}),
              HasSubstr("Gemm takes matrices, not [2, 3] and [3]"));
  EXPECT_THAT(refusal("Gemm", {kTwoByThree, kTwoByThree}),
              HasSubstr("matrices of shape [2, 3] and [2, 3] do not chain"));
  EXPECT_THAT(refusal("Gemm", {kTwoByThree, kThreeByFour}, {{"transA", std::int64_t{1}}}), HasSubstr("do not chain"));
  EXPECT_THAT(refusal("Gemm", {kTwoByThree, kThreeByFour}, {{"transB", std::int64_t{1}}}), HasSubstr("do not chain"));
}

TEST(MatrixProducts, StacksBroadcastBothWays) {
  const Tensor left = reals({2, 1, 1, 2}, {1, 2, 3, 4});
  const Tensor right = reals({3, 2, 3}, {1, 0, 2, 0, 1, 1, 1, 1, 1, 2, 2, 2, 0, 0, 1, 1, 0, 0});
  const Tensor made = only("MatMul", {left, right});
  EXPECT_THAT(made.shape, ElementsAre(2, 3, 1, 3));
  EXPECT_THAT(made.data, ElementsAre(1, 2, 4, 5, 5, 5, 2, 0, 1, 3, 4, 10, 11, 11, 11, 4, 0, 3));
}

TEST(MatrixProducts, RectanglesOfSeveralRows) {
  const Tensor made = only("MatMul", {kTwoByThree, kThreeByFour});
  EXPECT_THAT(made.shape, ElementsAre(2, 4));
  EXPECT_EQ(made.data, kTheirProduct);
  Tensor twice = reals({2, 2, 3}, kTwoByThree.data), more = reals({2, 3, 4}, kThreeByFour.data);
  for (const double value : kTwoByThree.data) twice.data.push_back(2 * value);
  for (const double value : kThreeByFour.data) more.data.push_back(3 * value);
  std::vector<double> expected = kTheirProduct;
  for (const double value : kTheirProduct) expected.push_back(6 * value);
  EXPECT_EQ(only("MatMul", {twice, more}).data, expected);
}

TEST(MatrixProducts, VectorsLoseTheirAxisBesideStacks) {
  const Tensor stack = reals({2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  const Tensor from_left = only("MatMul", {reals({3}, {1, 0, 2}), stack});
  EXPECT_THAT(from_left.shape, ElementsAre(2, 2));
  EXPECT_THAT(from_left.data, ElementsAre(11, 14, 29, 32));
  const Tensor from_right = only("MatMul", {stack, reals({2}, {1, 10})});
  EXPECT_THAT(from_right.shape, ElementsAre(2, 3));
  EXPECT_THAT(from_right.data, ElementsAre(21, 43, 65, 87, 109, 131));
}

TEST(MatrixProducts, MatMulRefusesWhatDoesNotChain) {
  const Tensor number = reals({}, {1}), pair = reals({2}, {1, 2});
  EXPECT_THAT(refusal("MatMul", {number, pair}), HasSubstr("MatMul takes vectors or matrices, not a single number"));
  EXPECT_THAT(refusal("MatMul", {pair, number}), HasSubstr("MatMul takes vectors or matrices, not a single number"));
  EXPECT_THAT(refusal("MatMul", {kTwoByThree, kTwoByThree}),
              HasSubstr("tensors of shape [2, 3] and [2, 3] do not chain"));
  EXPECT_THAT(refusal("MatMul", {pair, kThreeByFour}), HasSubstr("tensors of shape [2] and [3, 4] do not chain"));
  EXPECT_THAT(refusal("MatMul", {reals({2, 1, 1}, {1, 2}), reals({3, 1, 1}, {1, 2, 3})}),
              HasSubstr("tensors of shape [2, 1, 1] and [3, 1, 1] do not chain"));
}

TEST(MatrixProducts, IntegersWrapInTheTypeOfTheLeftOne) {
  Graph graph;
  graph.tensors = {{"a", {1, 2}, true}, {"b", {2, 1}, true}};
  graph.tensors[0].integers = IntegerType::int8;
  graph.tensors[1].integers = IntegerType::uint8;
  const Tensor a = integers({1, 2}, {100, -3}), b = integers({2, 1}, {2, 5});
  const Tensor* inputs[] = {&a, &b};
  const Tensor made = evaluate(graph, Node{"MatMul", "n", {0, 1}, {0}, {}}, inputs).at(0);
  EXPECT_THAT(made.data, ElementsAre(185 - 256));
  EXPECT_TRUE(made.integral);
  EXPECT_FALSE(only("MatMul", {a, reals({2, 1}, {0.5, 1})}).integral);
  EXPECT_FALSE(only("MatMul", {reals({1, 2}, {0.5, 1}), b}).integral);
  EXPECT_THAT(only("MatMul", {reals({1, 2}, {0.5, 1}), b}).data, ElementsAre(6));
}

}  // namespace
}  // namespace tacit::graph::reference
