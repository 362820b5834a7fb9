#include "tensor/convolution.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "program/slots/cost.h"
#include "tensor/random_tiles_for_test.h"

namespace tacit::tensor {
namespace {

using testing::RandomTiles;

/// image [C, H, W, B], filters [F, C, fy, fx] to [F, H', W', B].
Dense reference(const Dense& image, const Dense& filters, Index stride) {
  const Index C = image.sizes[0], H = image.sizes[1], W = image.sizes[2], B = image.sizes[3];
  const Index F = filters.sizes[0], fy = filters.sizes[2], fx = filters.sizes[3];
  const Index h = (H - fy) / stride + 1, w = (W - fx) / stride + 1;
  Dense out{{F, h, w, B}, {}};
  for (Index f = 0; f < F; ++f)
    for (Index y = 0; y < h; ++y)
      for (Index x = 0; x < w; ++x)
        for (Index b = 0; b < B; ++b) {
          double sum = 0;
          for (Index c = 0; c < C; ++c)
            for (Index i = 0; i < fy; ++i)
              for (Index j = 0; j < fx; ++j)
                sum += filters.values[static_cast<std::size_t>(((f * C + c) * fy + i) * fx + j)] *
                       image.values[static_cast<std::size_t>(((c * H + y * stride + i) * W + x * stride + j) * B + b)];
          out.values.push_back(sum);
        }
  return out;
}

TEST(Convolution, EqualsThePlainOneForRandomShapes) {
  constexpr Index kManySlots = 128;
  RandomTiles random(kManySlots, 11);
  for (int trial = 0; trial < 200; ++trial) {
    const Index stride = random.pick(1, 2);
    const Index ty = 1 << random.pick(0, 3), tx = 1 << random.pick(0, 2), tc = 1 << random.pick(0, 2);
    const Index tb = kManySlots / (ty * tx * tc);
    const Dense image = random.tensor({random.pick(1, 5), random.pick(4, 12), random.pick(4, 9), random.pick(1, 3)});
    const Dense filters = random.tensor({random.pick(1, 3), image.sizes[0], random.pick(1, 3), random.pick(1, 4)});
    const auto spatial = [&](const char* name, Index size, Index tile) {
      layout::TileDim dim{.name = name, .size = size, .tile = tile, .copies = 1, .interleaved = tile > 1};
      if (tile > 1 && dim.outer() % stride != 0) dim.interleaved_outer = dim.outer() + 1;
      return dim;
    };
    std::vector<layout::TileDim> dims{{.name = "c", .size = image.sizes[0], .tile = tc},
                                      spatial("y", image.sizes[1], ty),
                                      spatial("x", image.sizes[2], tx),
                                      {.name = "b", .size = image.sizes[3], .tile = tb}};
    if (random.pick(0, 1) == 1 && dims[3].has_unused()) dims[3].unknown = true;
    const TileShape shape(dims);
    auto packed = shape.layout().pack(image.values);
    const TileTensor tiles(random.session(), shape,
                           random.session()->encrypt(
                               shape.tiles(), [&](Index t) { return packed[static_cast<std::size_t>(t)]; }, 3));
    ConvolutionOptions options;
    options.stride = stride;
    options.fold.hoist = random.pick(1, 2);
    const TileTensor result = convolve(tiles, filters, options);
    EXPECT_EQ(result.level(), 2);
    Dense expected = reference(image, filters, stride);
    if (tc > 1) expected.sizes.insert(expected.sizes.begin() + 1, 1);
    testing::expect_holds(result, expected);
    // Filters that are ciphertexts, at another level.
    const TileTensor encrypted = encrypt_filters(random.session(), shape, filters, options, random.pick(2, 4));
    const TileTensor product = convolve(tiles, encrypted, options);
    EXPECT_EQ(product.level(), std::min(encrypted.level(), 3) - 1);
    testing::expect_holds(product, expected);
  }
}

TEST(Convolution, OfEncryptedFiltersRelinearisesOnceAResult) {
  const params::CkksLiteral literal{
      .name = "test", .log_n = 13, .q_bits = {50, 40, 40}, .p_bits = {50}, .log_scale = 40};
  const auto cost = cost_session({literal, 0});
  const TileShape shape = TileShape::parse("{c 3}{y 32|8 woven}{x 32|8 woven}{copy 64}");
  const TileTensor image = encrypt(cost, shape, {shape.sizes(), {}}, 2);
  const Dense filters{{2, 3, 3, 3}, {}};
  const TileTensor encrypted = encrypt_filters(cost, shape, filters, {}, 2);
  EXPECT_EQ(encrypted.shape().to_string(), "{2}{3}{3}{c 3}{y copy 8}{x copy 8}{copy 64}");
  const TileTensor result = convolve(image, encrypted, {});
  EXPECT_EQ(cost->cost().work.rotations(), 3 * 20);
  EXPECT_EQ(cost->count(slots::Unit::product), result.shape().tiles() * 27);
  EXPECT_EQ(cost->count(slots::Unit::relinearise), result.shape().tiles());
}

TEST(Convolution, TakesThePublishedNumberOfRotations) {
  struct Case {
    const char* shape;
    Index taps, rotations;
  };
  // Images of 32, 64 and 224 rows and columns in 4 x 4, 8 x 8 and 14 x 14 tiles.
  for (const Case& c : {Case{"{c 1}{y 32|8 woven}{x 32|8 woven}{copy 64}", 3, 20},
                        Case{"{c 1}{y 64|8 woven}{x 64|8 woven}{copy 64}", 11, 260},
                        Case{"{c 1}{y 224|16 woven}{x 224|16 woven}{copy 16}", 11, 380}}) {
    const params::CkksLiteral literal{
        .name = "test", .log_n = 13, .q_bits = {50, 40, 40}, .p_bits = {50}, .log_scale = 40};
    const auto cost = cost_session({literal, 0});
    const TileShape shape = TileShape::parse(c.shape);
    const TileTensor image = encrypt(cost, shape, {shape.sizes(), {}}, 2);
    Dense filters{{1, 1, c.taps, c.taps}, {}};
    filters.values.resize(static_cast<std::size_t>(c.taps * c.taps), 1.0);
    convolve(image, filters, {});
    EXPECT_EQ(cost->cost().work.rotations(), c.rotations);
    EXPECT_EQ(cost->count(slots::Unit::plain_product), shape.tiles() * c.taps * c.taps);
  }
}

TEST(Convolution, RefusesWhatCannotBeWoven) {
  RandomTiles random(64, 12);
  const auto refused = [&](const char* text, const Dense& filters, Index stride) {
    const auto image = random.make(TileShape::parse(text));
    ConvolutionOptions options;
    options.stride = stride;
    EXPECT_THROW(convolve(image.tiles, filters, options), base::InputError) << text;
  };
  const Dense filters = random.tensor({2, 1, 3, 3});
  refused("{c 1}{y 20|8}{x 8|8}", filters, 1);
  refused("{c 1}{y 20|8 woven}{x 8|8}", filters, 2);
  refused("{c 1}{y 2|8 woven}{x 8|8}", filters, 1);
  refused("{c 2}{y 8|8 woven}{x 8|8}", filters, 1);
  refused("{c 1}{y 8|8 woven}{x 8|8}", {{2, 1, 3}, {}}, 1);
  refused("{c 1}{y 8|8 woven}{x 8|8}", filters, 0);
  // Encrypted filters in other tiles than the image's.
  const auto image = random.make(TileShape::parse("{c 1}{y 8|8 woven}{x 8|8}"));
  const auto others = encrypt_filters(random.session(), TileShape::parse("{c 1}{y 8|4 woven}{x 8|16}"), filters, {}, 5);
  EXPECT_THROW(convolve(image.tiles, others, {}), base::InputError);
  EXPECT_THROW(convolve(image.tiles, image.tiles, {}), base::InputError);
}

TEST(Convolution, ChannelsMayBeWoven) {
  RandomTiles random(128, 13);
  const auto image = random.make(TileShape::parse("{c 5|4 woven}{y 4|4 woven}{x 4|4 woven}{b 2|2}"));
  const Dense filters = random.tensor({2, 5, 2, 3});
  Dense expected = reference(image.tensor, filters, 1);
  expected.sizes.insert(expected.sizes.begin() + 1, 1);
  testing::expect_holds(convolve(image.tiles, filters, {}), expected);
  const TileTensor encrypted = encrypt_filters(random.session(), image.tiles.shape(), filters, {}, 5);
  testing::expect_holds(convolve(image.tiles, encrypted, {}), expected);
}

TEST(Convolution, RowsAndColumnsInTilesOfTheirOwnAreNotWoven) {
  RandomTiles random(64, 14);
  const auto image = random.make(TileShape::parse("{c 2}{y 5}{x 4}{b 3|64}"));
  const Dense filters = random.tensor({3, 2, 3, 2});
  const TileTensor result = convolve(image.tiles, filters, {});
  EXPECT_EQ(result.shape().to_string(), "{c 3}{y 3}{x 3}{b 3|64}");
  testing::expect_holds(result, reference(image.tensor, filters, 1));
}

}  // namespace
}  // namespace tacit::tensor
