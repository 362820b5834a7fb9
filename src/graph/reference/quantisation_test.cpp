#include "graph/reference/evaluate_for_test.h"

namespace tacit::graph::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Tensor kDiagonal = integers({2, 2}, {1, 0, 0, 1});

/// Zero points of the left matrix belong to its rows, those of the right one to its columns.
TEST(Quantisation, ZeroPointsOfMatrices) {
  const Tensor a = integers({2, 2}, {1, 2, 3, 4});
  const Tensor rows = only("MatMulInteger", {a, kDiagonal, integers({1, 2})});
  EXPECT_THAT(rows.data, ElementsAre(0, 1, 1, 2));
  EXPECT_TRUE(rows.integral);
  EXPECT_THAT(only("MatMulInteger", {a, kDiagonal, integers({1, 2}), integers({0, 1})}).data, ElementsAre(0, 0, 1, -1));
  EXPECT_THAT(only("MatMulInteger", {a, kDiagonal, integers({}, {1})}).data, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(only("MatMulInteger", {integers({3, 4}), kDiagonal, integers({}, {1})}).data, ElementsAre(2, 3));
  EXPECT_THAT(refusal("MatMulInteger", {a, kDiagonal, integers({1, 2, 3})}),
              HasSubstr("its zero point holds 3 numbers, which do not fit axis 0 of shape [2, 2]"));
  EXPECT_THAT(refusal("MatMulInteger", {a, kDiagonal, integers({1, 2}), integers({1, 2, 3})}),
              HasSubstr("its zero point holds 3 numbers, which do not fit axis 1 of shape [2, 2]"));
  EXPECT_THAT(refusal("MatMulInteger", {a, kDiagonal, integers({1, 2}, {1, 2})}),
              HasSubstr("its zero point of shape [1, 2] is neither one number nor one for every index of an axis"));
}

TEST(Quantisation, ScalesOfRows) {
  const Tensor a = integers({2, 2}, {1, 2, 3, 4}), none = integers({}, {0}), one = reals({}, {1});
  const Tensor made = only("QLinearMatMul", {a, reals({2}, {1, 2}), integers({0, 1}), kDiagonal, one, none,
                                             reals({2}, {1, 2}), integers({0, 10})});
  EXPECT_THAT(made.data, ElementsAre(1, 2, 12, 13));
  EXPECT_TRUE(made.integral);
}

TEST(Quantisation, ConvolutionsOfIntegersAreIntegers) {
  const Tensor x = integers({1, 1, 1, 2}, {3, 5}), w = integers({2, 1, 1, 1}, {2, 5});
  const Tensor made = only("ConvInteger", {x, w, integers({}, {1}), integers({0, 1})});
  EXPECT_THAT(made.data, ElementsAre(4, 8, 8, 16)) << "a zero point of each channel that comes out";
  EXPECT_TRUE(made.integral);
}

}  // namespace
}  // namespace tacit::graph::reference
