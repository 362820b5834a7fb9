#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/refusal_for_test.h"
#include "tensor/convolution.h"
#include "tensor/random_tiles_for_test.h"
#include "tensor/small_session_for_test.h"

// Convolutions whose channels, rows and columns are any dimensions of the image, and filters that do not fit it.
namespace tacit::tensor {
namespace {

using Order = std::array<int, 4>;  // where channels, rows, columns and samples are dimensions of the image

std::size_t flat(const Shape& sizes, const std::array<Index, 4>& at) {
  Index e = 0;
  for (std::size_t d = 0; d < 4; ++d) e = e * sizes[d] + at[d];
  return static_cast<std::size_t>(e);
}

std::array<Index, 4> placed(const Order& order, Index channel, Index row, Index column, Index sample) {
  std::array<Index, 4> result{};
  const std::array<Index, 4> values{channel, row, column, sample};
  for (std::size_t d = 0; d < 4; ++d) result[static_cast<std::size_t>(order[d])] = values[d];
  return result;
}

/// By the definition, of an image of 3 channels, 6 rows and 5 columns and 2 filters of 3 rows and 2 columns.
Dense convolved(const Dense& image, const Dense& filters, const Order& order, Index samples) {
  const std::array<Index, 4> sizes = placed(order, 2, 4, 4, samples);
  Dense result{Shape(sizes.begin(), sizes.end()), {}};
  result.values.resize(static_cast<std::size_t>(layout::element_count(result.sizes)));
  for (Index f = 0; f < 2; ++f)
    for (Index y = 0; y < 4; ++y)
      for (Index x = 0; x < 4; ++x)
        for (Index b = 0; b < samples; ++b) {
          double sum = 0;
          for (Index c = 0; c < 3; ++c)
            for (Index i = 0; i < 3; ++i)
              for (Index j = 0; j < 2; ++j)
                sum += filters.values[static_cast<std::size_t>(((f * 3 + c) * 3 + i) * 2 + j)] *
                       image.values[flat(image.sizes, placed(order, c, y + i, x + j, b))];
          result.values[flat(result.sizes, placed(order, f, y, x, b))] = sum;
        }
  return result;
}

TEST(ConvolutionOrders, ChannelsRowsAndColumnsMayBeAnyDimensions) {
  constexpr Index kSamples = 3;
  testing::RandomTiles random(kSlots, 21);
  const Dense filters = random.tensor({2, 3, 3, 2});
  Order order{0, 1, 2, 3};
  do {
    for (const Index tile : {1, 4}) {
      const std::array<Index, 4> sizes = placed(order, 3, 6, 5, kSamples);
      const Dense image = random.tensor(Shape(sizes.begin(), sizes.end()));
      std::vector<layout::TileDim> dims(4);
      const auto set = [&](int d, const char* name, Index size, Index extent, bool woven) {
        dims[static_cast<std::size_t>(d)] = {.name = name, .size = size, .tile = extent, .interleaved = woven};
      };
      set(order[0], "c", 3, tile, false);
      set(order[1], "y", 6, 4, true);
      set(order[2], "x", 5, 2, true);
      set(order[3], "b", kSamples, 8 / tile, false);
      const TileShape shape(dims);
      const ConvolutionOptions options{
          .channels = order[0], .rows = order[1], .columns = order[2], .stride = 1, .fold = {}};
      Dense expected = convolved(image, filters, order, kSamples);
      if (tile > 1) {  // filters come first, and one channel is left
        const Shape all = expected.sizes;
        std::vector<double> values;
        std::array<Index, 4> extents{};
        std::copy(all.begin(), all.end(), extents.begin());
        extents[static_cast<std::size_t>(order[0])] = 1;
        for (Index f = 0; f < 2; ++f)
          for (Index a = 0; a < extents[0]; ++a)
            for (Index b = 0; b < extents[1]; ++b)
              for (Index c = 0; c < extents[2]; ++c)
                for (Index d = 0; d < extents[3]; ++d) {
                  std::array<Index, 4> at{a, b, c, d};
                  at[static_cast<std::size_t>(order[0])] = f;
                  values.push_back(expected.values[flat(all, at)]);
                }
        expected = {Shape(extents.begin(), extents.end()), std::move(values)};
        expected.sizes.insert(expected.sizes.begin(), 2);
      }
      const TileTensor tiles = encrypt(random.session(), shape, image, 3);
      SCOPED_TRACE(shape.to_string());
      testing::expect_holds(convolve(tiles, filters, options), expected);
      const TileTensor encrypted = encrypt_filters(random.session(), shape, filters, options, 3);
      testing::expect_holds(convolve(tiles, encrypted, options), expected);
    }
  } while (std::ranges::next_permutation(order).found);
}

TEST(ConvolutionOrders, EncryptedFiltersThatDoNotFitAreRefused) {
  testing::RandomTiles random(64, 22);
  const auto ones = [](const Shape& sizes) {
    return Dense{sizes, std::vector<double>(static_cast<std::size_t>(layout::element_count(sizes)), 1.0)};
  };
  const auto encrypted = [&](const char* text, int level) {
    const TileShape shape = TileShape::parse(text);
    return encrypt(random.session(), shape, ones(shape.sizes()), level);
  };
  const TileTensor image = encrypted("{c 2}{y 8|8 woven}{x 8|8}", 3);
  const auto says = [&](const std::string& sentence, const TileTensor& of, const TileTensor& filters,
                        const ConvolutionOptions& options = {}) {
    EXPECT_EQ(base::refusal([&] { convolve(of, filters, options); }), sentence);
  };
  says(
      "convolve: filters {c 2}{y 8|8 woven}{x 8|8} have 3 dimensions; those of an image {c 2}{y 8|8 woven}{x 8|8} have "
      "6",
      image, image);
  EXPECT_EQ(convolve(image, encrypted("{3}{3}{3}{2}{copy 8}{copy 8}", 1), {}).level(), 0);
  says(
      "convolve: filters {3}{3}{3}{c 2}{y copy 4|8}{x copy 8} for an image {c 2}{y 8|8 woven}{x 8|8} are expected as "
      "{3}{3}{3}{c 2}{y copy 8}{x copy 8}; reshard them",
      image, encrypted("{3}{3}{3}{c 2}{y copy 4|8}{x copy 8}", 3));
  says("convolve: filters for 3 channels and an image {c 2}{y 8|8 woven}{x 8|8} of 2", image,
       encrypted("{3}{3}{3}{c 3}{y copy 8}{x copy 8}", 3));
  says("convolve: {c 2}{y 8|8 woven}{x 8|8} has no dimension 3; they are 0 to 2", image,
       encrypted("{3}{3}{3}{c 2}{y copy 8}{x copy 8}", 3), {.channels = 3, .fold = {}});
  const std::string spent =
      "convolve: no level is left to spend on {c 2}{y 8|8 woven}{x 8|8}; encrypt at a higher level or ask for a "
      "greater depth";
  says(spent, image, encrypted("{3}{3}{3}{c 2}{y copy 8}{x copy 8}", 0));
  says(spent, encrypted("{c 2}{y 8|8 woven}{x 8|8}", 0), encrypted("{3}{3}{3}{c 2}{y copy 8}{x copy 8}", 3));
  EXPECT_EQ(base::refusal([&] { convolve(encrypted("{c 2}{y 8|8 woven}{x 8|8}", 0), ones({3, 2, 3, 3}), {}); }), spent);
}

TEST(ConvolutionOrders, FiltersMeetAnImageOfOneChannelInItsFirstPlace) {
  const auto text = [](const char* image, const Shape& sizes, const ConvolutionOptions& options = {}) {
    return filter_shape(TileShape::parse(image), sizes, options).to_string();
  };
  EXPECT_EQ(text("{c 3|4}{y 8|4 woven}{x 8|4 woven}", {2, 3, 3, 5}), "{2}{3}{5}{c 3|4}{y copy 4}{x copy 4}");
  EXPECT_EQ(text("{c 1|4}{y 8|4 woven}{x 8|4 woven}", {2, 1, 3, 5}), "{2}{3}{5}{c 1|4}{y copy 4}{x copy 4}");
  EXPECT_EQ(text("{c copy 4}{y 8|4 woven}{x 8|4 woven}", {2, 1, 3, 5}), "{2}{3}{5}{c 1|4}{y copy 4}{x copy 4}");
  EXPECT_EQ(text("{c 3|4 junk}{y 5|8 junk}{x 8|2 woven 6}", {1, 3, 2, 2}), "{1}{2}{2}{c 3|4}{y copy 8}{x copy 2}");
  EXPECT_EQ(text("{y 8|4 woven}{x 8|4 woven}{b 2|2}{c 3|2}", {2, 3, 3, 5},
                 {.channels = 3, .rows = 0, .columns = 1, .fold = {}}),
            "{2}{3}{5}{y copy 4}{x copy 4}{b copy 2}{c 3|2}");
}

// Kernels come first, one to a tile and in order.
TEST(ConvolutionOrders, EncryptedFiltersWithWovenKernelsAreRefused) {
  const SessionPtr session = clear_session(64, 3);
  const auto encrypted = [&](const char* text) {
    const TileShape shape = TileShape::parse(text);
    Dense ones{shape.sizes(), {}};
    ones.values.assign(static_cast<std::size_t>(layout::element_count(ones.sizes)), 1.0);
    return encrypt(session, shape, ones, 3);
  };
  const TileTensor image = encrypted("{c 2}{y 8|8 woven}{x 8|8}");
  const TileTensor filters = encrypted("{3 woven}{3}{3}{c 2}{y copy 8}{x copy 8}");
  EXPECT_EQ(base::refusal([&] { convolve(image, filters, {}); }),
            "convolve: filters {3 woven}{3}{3}{c 2}{y copy 8}{x copy 8} for an image {c 2}{y 8|8 woven}{x 8|8} are "
            "expected as {3}{3}{3}{c 2}{y copy 8}{x copy 8}; reshard them");
}

}  // namespace
}  // namespace tacit::tensor
