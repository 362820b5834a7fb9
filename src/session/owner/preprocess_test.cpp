#include "session/owner/preprocess.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/refusal_for_test.h"

namespace tacit::session {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

TEST(Preprocess, NormalisesEachChannelAndPadsWithZerosAfterwards) {
  const Preprocessing p{.scale = 10, .mean = {1, 2}, .std = {2, 4}, .pad = 1};
  EXPECT_THAT(preprocessed_shape(p, {2, 1, 2}, "x"), ElementsAre(2, 3, 4));
  EXPECT_THAT(preprocess(p, {2, 1, 2}, {10, 30, 20, 60}, "x"), ElementsAre(0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0,  //
                                                                           0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0));
}

TEST(Preprocess, PaddingIsAllOfAnImageWithoutRowsOrColumns) {
  const Preprocessing p{.scale = 10, .mean = {1, 2}, .std = {2, 4}, .pad = 1};
  EXPECT_THAT(preprocessed_shape(p, {2, 0, 1}, "x"), ElementsAre(2, 2, 3));
  EXPECT_THAT(preprocess(p, {2, 0, 1}, {}, "x"), testing::AllOf(testing::SizeIs(12), testing::Each(0.0)));
  EXPECT_THAT(preprocess(p, {2, 1, 0}, {}, "x"), testing::AllOf(testing::SizeIs(12), testing::Each(0.0)));
}

TEST(Preprocess, OneMeanServesAllChannels) {
  const Preprocessing p{.scale = 1, .mean = {1}, .std = {}, .pad = 0};
  EXPECT_THAT(preprocess(p, {3}, {1, 2, 3}, "x"), ElementsAre(0, 1, 2));
  EXPECT_THAT(preprocess(Preprocessing{}, {3}, {1, 2, 3}, "x"), ElementsAre(1, 2, 3));
}

TEST(Preprocess, TheRangeCoversEveryChannelAndThePadding) {
  const Preprocessing p{.scale = 255, .mean = {0.5, 0.25}, .std = {0.5, 0.25}, .pad = 0};
  EXPECT_EQ(preprocessed_range(p, 0, 255), std::pair(-1.0, 3.0));
  EXPECT_EQ(preprocessed_range(Preprocessing{}, 3, 5), std::pair(3.0, 5.0));
  EXPECT_EQ(preprocessed_range(Preprocessing{.scale = 1, .mean = {}, .std = {}, .pad = 2}, 3, 5), std::pair(0.0, 5.0));
}

TEST(Preprocess, RefusesWhatDoesNotApply) {
  EXPECT_THROW(check({.scale = 0, .mean = {}, .std = {}, .pad = 0}), base::InputError);
  EXPECT_THROW(check({.scale = NAN, .mean = {}, .std = {}, .pad = 0}), base::InputError);
  EXPECT_THROW(check({.scale = 1, .mean = {INFINITY}, .std = {}, .pad = 0}), base::InputError);
  EXPECT_THROW(check({.scale = 1, .mean = {}, .std = {0}, .pad = 0}), base::InputError);
  EXPECT_THROW(check({.scale = 1, .mean = {}, .std = {}, .pad = -1}), base::InputError);
  EXPECT_NO_THROW(check({.scale = 255, .mean = {0.1, 0.2}, .std = {1}, .pad = 2}));
  EXPECT_THROW(preprocessed_shape({.scale = 1, .mean = {1, 2}, .std = {}, .pad = 0}, {3, 4, 4}, "x"), base::InputError);
  EXPECT_THROW(preprocessed_shape({.scale = 1, .mean = {}, .std = {}, .pad = 1}, {3}, "x"), base::InputError);
}

TEST(Preprocess, PaddingStandsOnEverySideOfEveryChannel) {
  const Preprocessing p{.scale = 1, .mean = {}, .std = {}, .pad = 3};
  EXPECT_THAT(preprocessed_shape(p, {2, 1, 2}, "x"), ElementsAre(2, 7, 8));
  const std::vector<double> padded = preprocess(p, {2, 1, 2}, {1, 2, 3, 4}, "x");
  ASSERT_EQ(padded.size(), 2u * 7 * 8);
  std::vector<double> expected(padded.size(), 0);
  for (const std::size_t channel : {0u, 1u})  // three rows, and three columns of the fourth, lie before the first
    for (const std::size_t x : {0u, 1u})
      expected[channel * 7 * 8 + 3 * 8 + 3 + x] = static_cast<double>(1 + 2 * channel + x);
  EXPECT_EQ(padded, expected);
  // An image of one channel may come without it.
  EXPECT_THAT(preprocessed_shape(p, {1, 2}, "x"), ElementsAre(7, 8));
  EXPECT_THAT(preprocess({.scale = 1, .mean = {}, .std = {}, .pad = 1}, {1, 2}, {5, 6}, "x"),
              ElementsAre(0, 0, 0, 0, 0, 5, 6, 0, 0, 0, 0, 0));
}

TEST(Preprocess, SaysWhichOptionDoesNotApply) {
  const auto padded = [&](int pad) {
    return base::refusal([&] { check({.scale = 1, .mean = {}, .std = {}, .pad = pad}); });
  };
  EXPECT_EQ(padded(0), base::kNotRefused);
  EXPECT_EQ(padded(4096), base::kNotRefused);
  EXPECT_EQ(padded(4097), "--pad 4097 must lie between 0 and 4096");
  EXPECT_EQ(base::refusal([] {
              preprocessed_shape({.scale = 1, .mean = {}, .std = {1, 2}, .pad = 0}, {3, 4, 5}, "x");
            }),
            "--std gives 2 numbers and x has 3 channels (shape [3, 4, 5] after the batch)");
  EXPECT_EQ(base::refusal([] { preprocessed_shape({.scale = 1, .mean = {}, .std = {1}, .pad = 0}, {3}, "x"); }),
            base::kNotRefused);
  EXPECT_EQ(base::refusal([] {
              preprocessed_shape({.scale = 1, .mean = {1, 2}, .std = {}, .pad = 0}, {}, "x");
            }),
            "--mean gives 2 numbers and x has 1 channels (shape [] after the batch)");
}

TEST(Preprocess, NumbersOfOptionsAreBounded) {
  const auto why = [](const Preprocessing& p) { return base::refusal([&] { check(p); }); };
  const auto scale = [&](double x) { return why({.scale = x, .mean = {}, .std = {}, .pad = 0}); };
  const auto mean = [&](double x) { return why({.scale = 1, .mean = {0, x}, .std = {}, .pad = 0}); };
  const auto deviation = [&](double x) { return why({.scale = 1, .mean = {}, .std = {1, x}, .pad = 0}); };
  EXPECT_EQ(scale(1e-300), base::kNotRefused);
  EXPECT_EQ(scale(0), "--scale 0 must be a positive number");
  EXPECT_EQ(scale(-2), "--scale -2 must be a positive number");
  EXPECT_EQ(scale(INFINITY), "--scale inf must be a positive number");
  EXPECT_EQ(mean(-3), base::kNotRefused);
  EXPECT_EQ(mean(0), base::kNotRefused);
  EXPECT_EQ(mean(-INFINITY), "--mean -inf must be finite");
  EXPECT_EQ(mean(NAN), "--mean nan must be finite");
  EXPECT_EQ(deviation(1e-300), base::kNotRefused);
  EXPECT_EQ(deviation(0), "--std 0 must be a positive number");
  EXPECT_EQ(deviation(-1), "--std -1 must be a positive number");
  EXPECT_EQ(deviation(INFINITY), "--std inf must be a positive number");
  EXPECT_EQ(why({.scale = 1, .mean = {}, .std = {}, .pad = -1}), "--pad -1 must lie between 0 and 4096");
  EXPECT_EQ(why(Preprocessing{}), base::kNotRefused);
}

TEST(Preprocess, ANumberIsOneChannel) {
  const Preprocessing p{.scale = 2, .mean = {0.5}, .std = {4}, .pad = 0};
  EXPECT_THAT(preprocessed_shape(p, {}, "x"), testing::IsEmpty());
  EXPECT_THAT(preprocess(p, {}, {9}, "x"), ElementsAre(1));
  EXPECT_THAT(preprocess(p, {0, 3}, {}, "x"), testing::IsEmpty());
}

TEST(Preprocess, PaddingOfNothingIsNothingOrZeros) {
  const Preprocessing p{.scale = 1, .mean = {}, .std = {}, .pad = 1};
  EXPECT_THAT(preprocess(p, {0, 2, 2}, {}, "x"), testing::IsEmpty());
  const auto why = [&](const graph::Shape& shape) { return base::refusal([&] { preprocessed_shape(p, shape, "x"); }); };
  EXPECT_EQ(why({7}), "--pad needs height and width and x has shape [7] after the batch");
  EXPECT_EQ(why({}), "--pad needs height and width and x has shape [] after the batch");
  EXPECT_EQ(why({1, 1}), base::kNotRefused);
}

TEST(Preprocess, TheRangeIsThatOfTheChannelsThatReachFarthest) {
  const auto range = [](std::vector<double> mean, std::vector<double> deviation, int pad) {
    return preprocessed_range({.scale = 2, .mean = std::move(mean), .std = std::move(deviation), .pad = pad}, -8, -4);
  };
  EXPECT_EQ(range({}, {}, 0), std::pair(-4.0, -2.0));
  EXPECT_EQ(range({}, {}, 1), std::pair(-4.0, 0.0)) << "zeros around it";
  EXPECT_EQ(range({}, {1, 4}, 0), std::pair(-4.0, -0.5));
  EXPECT_EQ(range({1, 3, -1}, {}, 0), std::pair(-7.0, -1.0));
  EXPECT_EQ(range({-6}, {2}, 0), std::pair(1.0, 2.0));
  EXPECT_EQ(range({-6}, {2}, 1), std::pair(0.0, 2.0));
}

TEST(Preprocess, RowsOfEveryChannelStandAboveEachOther) {
  const Preprocessing p{.scale = 1, .mean = {}, .std = {}, .pad = 1};
  EXPECT_THAT(preprocess(p, {2, 3, 1}, {1, 2, 3, 4, 5, 6}, "x"),
              ElementsAre(0, 0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 0, 0,  //
                          0, 0, 0, 0, 4, 0, 0, 5, 0, 0, 6, 0, 0, 0, 0));
  EXPECT_THAT(preprocess(p, {1, 2, 2}, {1, 2, 3, 4}, "x"), ElementsAre(0, 0, 0, 0, 0, 1, 2, 0, 0, 3, 4, 0, 0, 0, 0, 0));
  EXPECT_THAT(preprocess(p, {2, 1, 1}, {7, 8}, "x"), ElementsAre(0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0));
}

}  // namespace
}  // namespace tacit::session
