#include <cmath>

#include "graph/reference/evaluate_for_test.h"

namespace tacit::graph::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Tensor kNone = reals({0}, {});
const Tensor kPowers = reals({1, 4}, {1, 2, 4, 8});

Attributes mode(const char* name) { return {{"mode", std::string(name)}}; }

/// kPowers resized to an extent.
Reals to(double extent, Attributes attributes) {
  return only("Resize", {kPowers, kNone, kNone, integers({1, extent})}, std::move(attributes)).data;
}

TEST(Resize, LinearInEveryCoordinateMode) {
  Attributes attributes = mode("linear");
  const auto in = [&](const char* coordinates) {
    attributes["coordinate_transformation_mode"] = std::string(coordinates);
    return to(7, attributes);
  };
  const Reals half{1, 19.0 / 14, 27.0 / 14, 3, 60.0 / 14, 92.0 / 14, 8};
  EXPECT_THAT(in("half_pixel"), near(half));
  EXPECT_THAT(in("half_pixel_symmetric"), near(half));
  EXPECT_THAT(in("pytorch_half_pixel"), near(half));
  EXPECT_THAT(in("align_corners"), near({1, 1.5, 2, 3, 4, 6, 8}));
  EXPECT_THAT(in("asymmetric"), near({1, 11.0 / 7, 16.0 / 7, 24.0 / 7, 36.0 / 7, 52.0 / 7, 8}));
  attributes["coordinate_transformation_mode"] = std::string("align_corners");
  EXPECT_THAT(to(1, attributes), ElementsAre(1));
  attributes["coordinate_transformation_mode"] = std::string("pytorch_half_pixel");
  EXPECT_THAT(to(1, attributes), ElementsAre(1));
  attributes["coordinate_transformation_mode"] = std::string("pixel");
  EXPECT_THAT(refusal("Resize", {kPowers, kNone, kNone, integers({1, 2})}, attributes),
              HasSubstr("'pixel' is none of half_pixel, half_pixel_symmetric"));
}

TEST(Resize, ScalesThatLeaveARest) {
  Attributes attributes = mode("linear");
  const std::vector<Tensor> inputs{kPowers, kNone, reals({2}, {1, 0.6F})};
  attributes["coordinate_transformation_mode"] = std::string("half_pixel_symmetric");
  EXPECT_THAT(only("Resize", inputs, attributes).data, close({5.0 / 3, 16.0 / 3}));
  attributes["coordinate_transformation_mode"] = std::string("align_corners");
  EXPECT_THAT(only("Resize", inputs, attributes).data, close({1, 4 + 4 / 7.0}));
  const Tensor ten = reals({1, 10}, std::vector<double>(10, 1.0));
  EXPECT_THAT(only("Resize", {ten, kNone, reals({2}, {1, 0.7F})}).shape, ElementsAre(1, 7)) << "as float32 has it";
}

TEST(Resize, CropsAndExtrapolates) {
  Attributes attributes = mode("linear");
  attributes["coordinate_transformation_mode"] = std::string("tf_crop_and_resize");
  attributes["extrapolation_value"] = 9.0;
  const Tensor roi = reals({4}, {0, 0.25, 1, 1.5});
  EXPECT_THAT(only("Resize", {kPowers, roi, kNone, integers({1, 5})}, attributes).data, near({1.75, 3.375, 6.5, 9, 9}));
  EXPECT_THAT(only("Resize", {kPowers, roi, kNone, integers({1, 4})}, attributes).data, near({1.75, 4, 9, 9}));
  EXPECT_THAT(refusal("Resize", {kPowers, kNone, kNone, integers({1, 5})}, attributes),
              HasSubstr("roi holds 0 values; 4 are needed"));
  attributes["mode"] = std::string("nearest");
  const Tensor no_place = reals({4}, {0, NAN, 1, 1});
  EXPECT_THAT(only("Resize", {kPowers, no_place, kNone, integers({1, 2})}, attributes).data, ElementsAre(9, 9));
}

TEST(Resize, Cubic) {
  Attributes attributes = mode("cubic");
  EXPECT_THAT(to(6, attributes),
              close({0.9131948947906494, 1.3125, 2.304401397705078, 3.383103370666504, 6.1875, 8.347222328186035}));
  attributes["cubic_coeff_a"] = -0.5;
  attributes["exclude_outside"] = std::int64_t{1};
  EXPECT_THAT(to(6, attributes), close({0.9342107772827148, 1.3529412746429443, 2.2523131370544434, 3.5393524169921875,
                                        6.235294342041016, 8.263157844543457}));
}

TEST(Resize, Antialias) {
  const Tensor line = reals({1, 6}, {1, 2, 4, 8, 16, 32});
  Attributes attributes = mode("linear");
  attributes["antialias"] = std::int64_t{1};
  EXPECT_THAT(only("Resize", {line, kNone, kNone, integers({1, 2})}, attributes).data, near({25.0 / 9, 164.0 / 9}));
  attributes["mode"] = std::string("cubic");
  attributes["exclude_outside"] = std::int64_t{1};
  EXPECT_THAT(only("Resize", {line, kNone, kNone, integers({1, 3})}, attributes).data,
              close({1.2120580673217773, 5.6886796951293945, 23.305612564086914}));
}

TEST(Resize, Nearest) {
  const auto nearest = [&](const char* name) {
    const Attributes half{{"nearest_mode", std::string(name)}};
    Attributes from_zero = half;
    from_zero["coordinate_transformation_mode"] = std::string("asymmetric");
    Reals both = to(2, half);
    const Reals more = to(6, from_zero);
    both.insert(both.end(), more.begin(), more.end());
    return both;
  };
  EXPECT_THAT(nearest("round_prefer_floor"), ElementsAre(1, 4, 1, 2, 2, 4, 8, 8));
  EXPECT_THAT(nearest("round_prefer_ceil"), ElementsAre(2, 8, 1, 2, 2, 4, 8, 8));
  EXPECT_THAT(nearest("floor"), ElementsAre(1, 4, 1, 1, 2, 4, 4, 8));
  EXPECT_THAT(nearest("ceil"), ElementsAre(2, 8, 1, 2, 4, 4, 8, 8));
}

TEST(Resize, TwoAxesAndPolicies) {
  const Tensor square = reals({1, 1, 2, 2}, {1, 2, 3, 4});
  EXPECT_THAT(only("Resize", {square, kNone, reals({4}, {1, 1, 2, 2})}, mode("linear")).data,
              ElementsAre(1, 1.25, 1.75, 2, 1.5, 1.75, 2.25, 2.5, 2.5, 2.75, 3.25, 3.5, 3, 3.25, 3.75, 4));
  Attributes attributes{{"axes", Integers{2, 3}}, {"keep_aspect_ratio_policy", std::string("not_larger")}};
  const std::vector<Tensor> inputs{reals({1, 1, 2, 4}, Reals(8, 1.0)), kNone, kNone, integers({7, 8})};
  EXPECT_THAT(only("Resize", inputs, attributes).shape, ElementsAre(1, 1, 4, 8));
  attributes["keep_aspect_ratio_policy"] = std::string("not_smaller");
  EXPECT_THAT(only("Resize", inputs, attributes).shape, ElementsAre(1, 1, 7, 14));
}

TEST(Resize, RefusesWhatDoesNotFit) {
  EXPECT_THAT(refusal("Resize", {kPowers}), HasSubstr("either scales or sizes"));
  EXPECT_THAT(refusal("Resize", {kPowers, kNone, reals({1}, {2})}), HasSubstr("scales holds 1 values for 2 axes"));
  EXPECT_THAT(refusal("Resize", {kPowers, kNone, reals({2}, {1, 0})}), HasSubstr("a scale of 0"));
  EXPECT_THAT(refusal("Resize", {kPowers, kNone, reals({2}, {1, 1e30})}), HasSubstr("outside (0, 2^31]"));
  EXPECT_THAT(refusal("Resize", {kPowers, kNone, kNone, integers({1, 0x1p30})}), HasSubstr("more than"));
  EXPECT_THAT(refusal("Resize", {kPowers, kNone, kNone, integers({1, 2})}, {{"axes", Integers{1, -1}}}),
              HasSubstr("axis -1 is resized twice"));
  EXPECT_THAT(refusal("Resize", {kPowers, kNone, kNone, integers({1, 2})}, mode("bilinear")),
              HasSubstr("nearest, linear"));
}

TEST(Resize, SizesAreBounded) {
  const auto of = [](const Tensor& input, double extent) {
    return refusal("Resize", {input, kNone, kNone, integers({1, extent})}, mode("nearest"));
  };
  for (const double extent : {0.0, 1.0})
    EXPECT_THAT(of(reals({1, 0}, {}), extent), HasSubstr("for an axis of extent 0 is outside [0, 2^31]"));
  EXPECT_THAT(of(kPowers, -1), HasSubstr("a size of -1 for an axis of extent 4 is outside [0, 2^31]"));
  EXPECT_THAT(of(kPowers, 0x1p31 + 1), HasSubstr("a size of 2147483649 for an axis of extent 4"));
}

TEST(Resize, EmptyAxesStayEmpty) {
  const Tensor none = reals({0, 2}, {});
  EXPECT_THAT(only("Resize", {none, kNone, reals({2}, {1, 2})}).shape, ElementsAre(0, 4));
  EXPECT_THAT(only("Resize", {none, kNone, reals({2}, {3, 1})}, mode("linear")).shape, ElementsAre(0, 2));
}

}  // namespace
}  // namespace tacit::graph::reference
