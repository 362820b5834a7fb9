#include "graph/reference/evaluate_for_test.h"

namespace tacit::graph::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Tensor kAbsent = reals({0}, {});
const Tensor kFour = reals({1, 4}, {1, 2, 4, 8});

Attributes words(std::initializer_list<std::pair<const char*, const char*>> values) {
  Attributes attributes;
  for (const auto& [name, value] : values) attributes[name] = std::string(value);
  return attributes;
}

TEST(ResizedAxes, CropsOfOneElementAndOfTheWholeAxis) {
  Attributes attributes = words({{"mode", "linear"}, {"coordinate_transformation_mode", "tf_crop_and_resize"}});
  attributes["extrapolation_value"] = 9.0;
  attributes["axes"] = Integers{1};
  const auto cropped = [&](double from, double to, double extent) {
    return only("Resize", {kFour, reals({2}, {from, to}), kAbsent, integers({extent})}, attributes).data;
  };
  EXPECT_THAT(cropped(0, 1, 4), near({1, 2, 4, 8})) << "the ends lie inside";
  EXPECT_THAT(cropped(1, 0, 4), near({8, 4, 2, 1}));
  EXPECT_THAT(cropped(0.25, 0.75, 1), near({3})) << "the middle of the crop";
  EXPECT_THAT(refusal("Resize", {kFour, reals({4}, {0, 0, 1, 1}), kAbsent, integers({4})}, attributes),
              HasSubstr("roi holds 4 values; 2 are needed, starts and then ends"));
}

TEST(ResizedAxes, IntegersAreCutAfterTheLastAxis) {
  const Tensor made =
      only("Resize", {integers({1, 2}, {1, -4}), kAbsent, kAbsent, integers({1, 4})}, words({{"mode", "linear"}}));
  EXPECT_THAT(made.data, ElementsAre(1, 0, -2, -4)) << "1, -1/4, -11/4 and -4";
  EXPECT_TRUE(made.integral);
}

TEST(ResizedAxes, KeptAspectsAreRoundedAndBounded) {
  Attributes attributes = words({{"keep_aspect_ratio_policy", "not_larger"}});
  const Tensor x = reals({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(only("Resize", {x, kAbsent, kAbsent, integers({1, 9})}, attributes).shape, ElementsAre(1, 2))
      << "half of 3 is rounded up";
  attributes = words({{"keep_aspect_ratio_policy", "not_smaller"}});
  EXPECT_THAT(refusal("Resize", {kFour, kAbsent, kAbsent, integers({0x1p31, 1})}, attributes),
              HasSubstr("keeping the aspect ratio gives an axis an extent of 8589934592, above 2^31"));
}

TEST(ResizedAxes, ScalesAndListsThatDoNotFit) {
  EXPECT_THAT(refusal("Resize", {kFour, kAbsent, reals({2}, {1, 0x1p31})}),
              HasSubstr("makes an extent of 4 larger than 2^31"));
  EXPECT_THAT(refusal("Resize", {kFour, kAbsent, reals({2}, {1, -1})}), HasSubstr("a scale of -1 is outside"));
  EXPECT_THAT(refusal("Resize", {kFour, kAbsent, kAbsent, integers({1})}),
              HasSubstr("sizes holds 1 values for 2 axes"));
  EXPECT_THAT(refusal("Resize", {kFour, kAbsent, reals({2}, {1, 1}), integers({1, 4})}),
              HasSubstr("it needs either scales or sizes"));
}

}  // namespace
}  // namespace tacit::graph::reference
