#include "layout/tile_shape.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "base/error.h"

namespace tacit::layout {
namespace {

TEST(TileShape, NotationParsesAndPrints) {
  for (const char* text : {"{rows 10|4}", "{copy 64}", "{c 1|64 junk}", "{w 32|8 woven}", "{w 30|8 woven 6}{7}",
                           "{x copy 4|64}{n any|2}", "{b 5|16}{a 4|16}{copy 64}", "{1}"})
    EXPECT_EQ(TileShape::parse(text).to_string(), text);
  EXPECT_EQ(TileShape::parse(" { rows 10 | 4 junk }  {c 3}").to_string(), "{rows 10|4 junk}{c 3}");
  // Nothing is unknown where nothing is unused, and a tile count that follows from the size is not said.
  EXPECT_EQ(TileShape::parse("{8|4 junk}{w 32|8 woven 4}").to_string(), "{8|4}{w 32|8 woven}");
}

TEST(TileShape, CountsTilesSlotsAndStrides) {
  const TileShape shape = TileShape::parse("{a 10|4}{b 3}{c 9|2 woven}{copy 8}");
  EXPECT_EQ(shape.slots(), 64);
  EXPECT_EQ(shape.tiles(), 3 * 3 * 5);
  EXPECT_EQ(shape.sizes(), (Shape{10, 3, 9, 1}));
  EXPECT_EQ(shape.slot_stride(0), 16);
  EXPECT_EQ(shape.slot_stride(2), 8);
  EXPECT_EQ(shape.tile_stride(0), 15);
  EXPECT_TRUE(shape.leads(0));
  EXPECT_FALSE(shape.leads(2));
  EXPECT_EQ(shape.index_of("c"), 2);
  EXPECT_EQ(shape.with_replicated("a").to_string(), "{a copy 4}{b 3}{c 9|2 woven}{copy 8}");
  EXPECT_EQ(TileShape::parse("{any|4}{any|2}").of({10, 3}).to_string(), "{10|4}{3|2}");
}

TEST(TileShape, PlacesElementsByTheRulesOfItsDimensions) {
  const TileShape shape = TileShape::parse("{a 10|4}{w 6|4 woven}{x copy 2|4}");
  const Layout layout = shape.layout();
  EXPECT_EQ(layout.slots(), 64);
  EXPECT_EQ(layout.ciphertexts(), 6);
  for (Index a = 0; a < 10; ++a)
    for (Index w = 0; w < 6; ++w) {
      const Position at = layout.position_of(a * 6 + w);
      EXPECT_EQ(at.ciphertext, a / 4 * 2 + w % 2);
      EXPECT_EQ(at.slot, a % 4 * 16 + w / 2 * 4);
      EXPECT_EQ(layout.element_at(at.ciphertext, at.slot + 1), a * 6 + w);
      EXPECT_FALSE(layout.element_at(at.ciphertext, at.slot + 2));
    }
}

TileShape random_tile_shape(std::mt19937& random, Index slots) {
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  std::vector<TileDim> dims;
  for (int left = pick(1, 3); left >= 0; --left) {
    TileDim dim;
    dim.tile = left == 0 ? slots : std::min<Index>(slots, Index{1} << pick(0, 3));
    slots /= dim.tile;
    const int kind = pick(0, 4);
    dim.size = kind == 0 ? 1 : pick(1, static_cast<int>(2 * dim.tile) + 1);
    if (dim.size == 1) dim.copies = pick(0, 1) == 0 ? 1 : dim.tile;
    dim.interleaved = kind == 1;
    dim.unknown = kind == 2;
    dims.push_back(dim);
  }
  return TileShape(dims);
}

TEST(TileShape, RandomShapesRoundTripAndMaskWhatTheyHold) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 300; ++trial) {
    const TileShape shape = random_tile_shape(random, 64);
    EXPECT_EQ(TileShape::parse(shape.to_string()), shape) << shape.to_string();
    const Layout layout = shape.layout();
    ASSERT_EQ(layout.slots(), 64);
    ASSERT_EQ(layout.ciphertexts(), shape.tiles());
    std::vector<double> tensor(static_cast<std::size_t>(element_count(shape.sizes())));
    std::iota(tensor.begin(), tensor.end(), 1.0);
    const auto packed = layout.pack(tensor);
    EXPECT_EQ(layout.unpack(packed), tensor) << shape.to_string();
    for (Index tile = 0; tile < shape.tiles(); ++tile) {
      const std::vector<double> mask = shape.mask(tile);
      for (std::size_t s = 0; s < mask.size(); ++s)
        EXPECT_EQ(mask[s] != 0, packed[static_cast<std::size_t>(tile)][s] != 0) << shape.to_string();
    }
  }
}

TEST(TileShape, RefusesWhatHoldsNothing) {
  for (const char* text : {"", "{", "{rows}", "{rows 0|4}", "{rows 4|3}", "{copy 3}", "{x copy 8|4}", "{5|4 hazy}",
                           "{5|4", "{5|4 woven 1}", "{5|4}}", "{copy}", "{99999999999999999999}", "{2|131072}",
                           "{1}{1}{1}{1}{1}{1}{1}{1}{1}", "{a b 3}"})
    EXPECT_THROW(TileShape::parse(text), base::InputError) << text;
  EXPECT_THROW(TileShape::parse("{any|4}").layout(), base::InputError);
  EXPECT_THROW(TileShape::parse("{any|4}").of({0}), base::InputError);
  EXPECT_THROW(TileShape::parse("{5|4}").of({6}), base::InputError);
  EXPECT_THROW(TileShape::parse("{a 5|4}").index_of("b"), base::InputError);
}

}  // namespace
}  // namespace tacit::layout
