#include "graph/reference/evaluate_for_test.h"

namespace tacit::graph::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Tensor kMap = reals({1, 1, 2, 2}, {1, 2, 3, 4});
const Tensor kLine = reals({1, 1, 3}, {1, 2, 3});
const Tensor kPair = reals({1, 1, 2}, {1, 10});

TEST(ConvTranspose, SpreadsTheInput) {
  const Tensor plain = only("ConvTranspose", {kMap, reals({1, 1, 2, 2}, {1, 10, 100, 1000}), reals({1}, {0.5})});
  EXPECT_THAT(plain.shape, ElementsAre(1, 1, 3, 3));
  EXPECT_THAT(plain.data, ElementsAre(1.5, 12.5, 20.5, 103.5, 1234.5, 2040.5, 300.5, 3400.5, 4000.5));
  EXPECT_THAT(only("ConvTranspose", {kLine, kPair}, {{"strides", Integers{2}}}).data, ElementsAre(1, 10, 2, 20, 3, 30));
  EXPECT_THAT(only("ConvTranspose", {kLine, kPair}, {{"dilations", Integers{2}}}).data, ElementsAre(1, 2, 13, 20, 30));
  EXPECT_THAT(only("ConvTranspose", {kLine, kPair}, {{"pads", Integers{1, 0}}}).data, ElementsAre(12, 23, 30));
  EXPECT_THAT(only("ConvTranspose", {kLine, kPair}, {{"strides", Integers{3}}, {"output_padding", Integers{1}}}).data,
              ElementsAre(1, 10, 0, 2, 20, 0, 3, 30, 0));
}

TEST(ConvTranspose, GroupsAndThreeAxes) {
  const Tensor two = reals({1, 2, 1}, {1, 2}), weights = reals({2, 2, 1}, {1, 10, 100, 1000});
  EXPECT_THAT(only("ConvTranspose", {two, weights}).data, ElementsAre(201, 2010));
  EXPECT_THAT(only("ConvTranspose", {two, weights}, {{"group", std::int64_t{2}}}).data, ElementsAre(1, 10, 200, 2000));
  const Tensor cube = only("ConvTranspose", {reals({1, 1, 1, 1, 2}, {1, 2}), reals({1, 1, 2, 1, 2}, {1, 2, 3, 4})});
  EXPECT_THAT(cube.shape, ElementsAre(1, 1, 2, 1, 3));
  EXPECT_THAT(cube.data, ElementsAre(1, 4, 4, 3, 10, 8));
}

TEST(ConvTranspose, StatedShapes) {
  Attributes attributes{{"strides", Integers{2}}, {"output_shape", Integers{5}}};
  EXPECT_THAT(only("ConvTranspose", {kLine, kPair}, attributes).data, ElementsAre(10, 2, 20, 3, 30));
  attributes["auto_pad"] = std::string("SAME_UPPER");
  EXPECT_THAT(only("ConvTranspose", {kLine, kPair}, attributes).data, ElementsAre(1, 10, 2, 20, 3));
  attributes["output_shape"] = Integers{1, 1, 7};
  EXPECT_THAT(only("ConvTranspose", {kLine, kPair}, attributes).data, ElementsAre(1, 10, 2, 20, 3, 30, 0));
  attributes.erase("output_shape");
  const Tensor three = reals({1, 1, 3}, {1, 10, 100});
  EXPECT_THAT(only("ConvTranspose", {kLine, three}, attributes).data, ElementsAre(1, 10, 102, 20, 203, 30));
  attributes["auto_pad"] = std::string("SAME_LOWER");
  EXPECT_THAT(only("ConvTranspose", {kLine, three}, attributes).data, ElementsAre(10, 102, 20, 203, 30, 300));
  attributes["auto_pad"] = std::string("VALID");
  EXPECT_THAT(only("ConvTranspose", {kLine, kPair}, attributes).data, ElementsAre(1, 10, 2, 20, 3, 30));
}

TEST(ConvTranspose, RefusesWhatDoesNotFit) {
  EXPECT_THAT(refusal("ConvTranspose", {kLine, reals({2, 1, 1}, {1, 1})}), HasSubstr("in 1 groups do not fit"));
  EXPECT_THAT(refusal("ConvTranspose", {kLine, kMap}), HasSubstr("1 to 3 spatial axes"));
  EXPECT_THAT(refusal("ConvTranspose", {kLine, kPair}, {{"kernel_shape", Integers{3}}}), HasSubstr("kernel_shape [3]"));
  EXPECT_THAT(refusal("ConvTranspose", {kLine, kPair}, {{"pads", Integers{2, 2}}}),
              HasSubstr("remove the whole output"));
  EXPECT_THAT(refusal("ConvTranspose", {kLine, kPair}, {{"strides", Integers{0}}}), HasSubstr("holds 0, outside [1,"));
  EXPECT_THAT(refusal("ConvTranspose", {kLine, kPair}, {{"strides", Integers{1 << 30}}}), HasSubstr("more than"));
  EXPECT_THAT(refusal("ConvTranspose", {kLine, kPair}, {{"auto_pad", std::string("SAME")}}),
              HasSubstr("none of NOTSET"));
  EXPECT_THAT(refusal("ConvTranspose", {kLine, kPair, reals({2}, {1, 2})}),
              HasSubstr("does not fit 1 output channels"));
}

}  // namespace
}  // namespace tacit::graph::reference
