#include "graph/reference/evaluate_for_test.h"

namespace tacit::graph::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const Tensor kNoRegion = reals({0}, {});

Attributes linear_from_zero() {
  return {{"mode", std::string("linear")}, {"coordinate_transformation_mode", std::string("asymmetric")}};
}

TEST(ResizedScales, MoveElementsEvenWhereTheExtentStays) {
  const Tensor x = reals({4}, {1, 2, 4, 8});
  EXPECT_THAT(only("Resize", {x, kNoRegion, reals({1}, {1.25})}, linear_from_zero()).shape, ElementsAre(5));
  const Tensor three = reals({3}, {1, 2, 4});  // at 0, 0.8 and 1.6
  EXPECT_THAT(only("Resize", {three, kNoRegion, reals({1}, {1.25})}, linear_from_zero()).data, near({1, 1.8, 3.2}));
  EXPECT_THAT(only("Resize", {three, kNoRegion, reals({1}, {1})}, linear_from_zero()).data, ElementsAre(1, 2, 4));
}

TEST(ResizedScales, OfNamedAxesLeaveTheOthers) {
  Attributes attributes = linear_from_zero();
  attributes["axes"] = Integers{-2};
  const Tensor x = reals({2, 3}, {1, 2, 3, 5, 6, 9});
  const Tensor made = only("Resize", {x, kNoRegion, reals({1}, {2})}, attributes);
  EXPECT_THAT(made.shape, ElementsAre(4, 3));
  EXPECT_THAT(made.data, near({1, 2, 3, 3, 4, 6, 5, 6, 9, 5, 6, 9}));
  EXPECT_THAT(refusal("Resize", {x, kNoRegion, reals({2}, {1, 2})}, attributes),
              HasSubstr("scales holds 2 values for 1 axes"));
}

TEST(ResizedScales, MakeExtentsOfUpTo2To31) {
  const Tensor one = reals({1}, {1});
  const std::string most = refusal("Resize", {one, kNoRegion, reals({1}, {0x1p31})});
  EXPECT_NE(most, base::kNotRefused) << "as a tensor it is too large";
  EXPECT_THAT(most, Not(HasSubstr("scale")));
  EXPECT_THAT(refusal("Resize", {one, kNoRegion, reals({1}, {0x1p31 + 1024})}),
              HasSubstr("a scale of 2147484672 is outside (0, 2^31]"));
}

}  // namespace
}  // namespace tacit::graph::reference
