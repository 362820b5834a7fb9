#include "session/owner/preprocess.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"

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

}  // namespace
}  // namespace tacit::session
