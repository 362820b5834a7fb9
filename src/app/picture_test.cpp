#include "app/picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacit::app {
namespace {

using ::testing::ElementsAre;
using Shape = std::vector<std::int64_t>;

TEST(Picture, PlainCharactersDarkenWithTheValue) {
  const std::vector<double> pixels{0, 9, 3, 0, 9, 3};
  EXPECT_THAT(draw_picture(Shape{1, 2, 3}, pixels, PictureStyle::plain), ElementsAre(" @-"));
  // An odd last row stands over black.
  EXPECT_THAT(draw_picture(Shape{3, 2}, std::vector<double>{0, 0, 1, 1, 1, 0}, PictureStyle::plain),
              ElementsAre("++", "+ "));
}

TEST(Picture, HalfBlocksCarryTwoPixels) {
  EXPECT_THAT(draw_picture(Shape{2, 2}, std::vector<double>{0, 255, 255, 0}, PictureStyle::colour),
              ElementsAre("\x1b[38;5;232m\x1b[48;5;255m\u2580\x1b[38;5;255m\x1b[48;5;232m\u2580\x1b[0m"));
  const std::vector<double> rgb{255, 0, 0, 0, 0, 255, 0, 0, 0, 0, 255, 0};
  EXPECT_THAT(draw_picture(Shape{3, 2, 2}, rgb, PictureStyle::colour),
              ElementsAre("\x1b[38;2;255;0;0m\x1b[48;2;0;0;255m\u2580\x1b[38;2;0;255;0m\x1b[48;2;0;0;0m\u2580\x1b[0m"));
}

TEST(Picture, WidePicturesShrink) {
  const std::vector<double> pixels(100 * 130, 1.0);
  const auto lines = draw_picture(Shape{100, 130}, pixels, PictureStyle::plain);
  ASSERT_EQ(lines.size(), 17u);
  EXPECT_EQ(lines[0].size(), 43u);
}

TEST(Picture, APixelOfAShrunkPictureIsAMean) {
  constexpr std::int64_t kRows = 8, kColumns = 64, kFactor = 2;
  std::vector<double> means, pixels(kFactor * kRows * kFactor * kColumns);
  for (std::int64_t y = 0; y < kRows; ++y)
    for (std::int64_t x = 0; x < kColumns; ++x) {
      means.push_back(static_cast<double>((7 * x + 3 * y) % 11));
      // Four pixels apart, and all between the least and the largest of the means.
      const double spread = means.back() > 0 && means.back() < 10 ? 1 : 0;
      for (std::int64_t i = 0; i < kFactor; ++i)
        for (std::int64_t j = 0; j < kFactor; ++j)
          pixels[static_cast<std::size_t>((kFactor * y + i) * kFactor * kColumns + kFactor * x + j)] =
              means.back() + (i == j ? spread : -spread);
    }
  EXPECT_EQ(draw_picture(Shape{kFactor * kRows, kFactor * kColumns}, pixels, PictureStyle::plain),
            draw_picture(Shape{kRows, kColumns}, means, PictureStyle::plain));
}

TEST(Picture, KnowsWhatItCanShow) {
  EXPECT_TRUE(is_picture(Shape{28, 28}));
  EXPECT_TRUE(is_picture(Shape{1, 28, 28}));
  EXPECT_TRUE(is_picture(Shape{3, 32, 32}));
  EXPECT_FALSE(is_picture(Shape{784}));
  EXPECT_FALSE(is_picture(Shape{2, 28, 28}));
  EXPECT_FALSE(is_picture(Shape{1, 1}));
  EXPECT_FALSE(is_picture(Shape{1, 3, 28, 28}));
  EXPECT_FALSE(is_picture(Shape{1, 28, 1000}));
}

TEST(Picture, TheSmallestPixelIsBlackWhateverItsValue) {
  EXPECT_THAT(draw_picture(Shape{2, 3}, std::vector<double>{-9, 0, -6, -9, 0, -6}, PictureStyle::plain),
              ElementsAre(" @-"));
  EXPECT_THAT(draw_picture(Shape{2, 3}, std::vector<double>{100, 109, 103, 100, 109, 103}, PictureStyle::plain),
              ElementsAre(" @-"));
  EXPECT_THAT(draw_picture(Shape{2, 2}, std::vector<double>{-1, 1, 1, -1}, PictureStyle::colour),
              ElementsAre("\x1b[38;5;232m\x1b[48;5;255m\u2580\x1b[38;5;255m\x1b[48;5;232m\u2580\x1b[0m"));
  EXPECT_THAT(draw_picture(Shape{2, 2}, std::vector<double>(4, 5.0), PictureStyle::plain), ElementsAre("  "))
      << "of one value";
}

TEST(Picture, OfColoursIsTheirMeanInPlainCharacters) {
  // Two channels of three are at the largest value in the first column, and none in the second.
  const std::vector<double> pixels{9, 0, 9, 0, 9, 0, 9, 0, 0, 0, 0, 0};
  EXPECT_THAT(draw_picture(Shape{3, 2, 2}, pixels, PictureStyle::plain), ElementsAre("* "));
}

TEST(Picture, ShrinksFromSixtyFiveColumnsOn) {
  const auto drawn = [](std::int64_t rows, std::int64_t columns) {
    const std::vector<double> pixels(static_cast<std::size_t>(rows * columns), 1.0);
    return draw_picture(Shape{rows, columns}, pixels, PictureStyle::plain);
  };
  EXPECT_EQ(drawn(4, 64), (std::vector<std::string>{std::string(64, ' '), std::string(64, ' ')}));
  EXPECT_EQ(drawn(4, 65), (std::vector<std::string>{std::string(32, ' ')}));
}

TEST(Picture, OfManyTimesMoreColumnsThanRowsHasNoLines) {
  EXPECT_EQ(picture_width(Shape{28, 28}), 28U);
  EXPECT_EQ(picture_width(Shape{3, 9, 65}), 32U);
  EXPECT_EQ(picture_width(Shape{2, 200}), 50U);
  EXPECT_TRUE(draw_picture(Shape{2, 200}, std::vector<double>(400, 1.0), PictureStyle::plain).empty());
  EXPECT_EQ(draw_picture(Shape{4, 200}, std::vector<double>(800, 1.0), PictureStyle::plain).size(), 1U);
}

TEST(Picture, IsNeitherALineNorWiderThan512) {
  EXPECT_TRUE(is_picture(Shape{2, 2}));
  EXPECT_FALSE(is_picture(Shape{2, 1}));
  EXPECT_FALSE(is_picture(Shape{1, 2}));
  EXPECT_TRUE(is_picture(Shape{3, 512, 512}));
  EXPECT_FALSE(is_picture(Shape{513, 2}));
  EXPECT_FALSE(is_picture(Shape{2, 513}));
  EXPECT_FALSE(is_picture(Shape{4, 28, 28}));
}

}  // namespace
}  // namespace tacit::app
