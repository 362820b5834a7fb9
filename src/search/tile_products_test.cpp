#include "search/tile_products.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/random.h"
#include "base/sha256.h"
#include "search/rounded_answer.h"
#include "search/store_shape.h"

namespace tacit::search {
namespace {

struct Product {
  explicit Product(std::size_t dims) : dimensions(dims), ntt(search_context()->chain().ntt(0)) {
    base::Csprng random(base::Seed{2});
    for (auto& tile : tiles) {
      tile.resize(dimensions * kTileNumbers);
      for (std::int8_t& number : tile) number = static_cast<std::int8_t>(random.next());
    }
    for (int s = 0; s < 2; ++s) {
      ExpandedQuestion& question = questions.emplace_back(ntt.n(), dimensions);
      for (std::size_t half = 0; half < 2; ++half)
        for (std::size_t d = 0; d < dimensions; ++d)
          for (std::size_t i = 0; i < ntt.n(); ++i) question.row(half, d)[i] = random.below(ntt.modulus().value());
    }
  }
  std::size_t dimensions;
  const ring::NttTables& ntt;
  std::vector<std::int8_t> tiles[2];
  std::vector<ExpandedQuestion> questions;
};

// Pairs of tiles and single tiles take other ways through the kernel, and give the sum of products.
TEST(TileProducts, PairsAndSinglesAgreeWithTheDefinition) {
  const Product p(11);
  const TileProducts products(p.ntt);
  const std::int8_t* const three[] = {p.tiles[0].data(), p.tiles[1].data(), p.tiles[0].data()};
  std::vector<TileSum> sums(6), one(2);
  products.run(three, p.questions, 0, p.dimensions, sums);
  for (std::size_t t = 0; t < 3; ++t) {
    products.run(std::span(three).subspan(t, 1), p.questions, 0, p.dimensions, one);
    for (std::size_t s = 0; s < 2; ++s) {
      EXPECT_EQ(sums[t * 2 + s].c0, one[s].c0);
      EXPECT_EQ(sums[t * 2 + s].c1, one[s].c1);
    }
  }
  const ring::Modulus& q = p.ntt.modulus();
  std::vector<std::uint64_t> expected(p.ntt.n(), 0), words(p.ntt.n());
  for (std::size_t d = 0; d < p.dimensions; ++d) {
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = q.reduce_signed(p.tiles[1][d * kTileNumbers + i]);
    p.ntt.forward(words.data());
    for (std::size_t i = 0; i < words.size(); ++i)
      expected[i] = q.add(expected[i], q.mul(words[i], p.questions[1].row(0, d)[i]));
  }
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), sums[3].c0.begin()));
}

TEST(TileProducts, RangesOfDimensionsAddUp) {
  const Product p(20);
  const TileProducts products(p.ntt);
  const std::int8_t* const tile[] = {p.tiles[0].data()};
  std::vector<TileSum> all(2), low(2), high(2);
  products.run(tile, p.questions, 0, 20, all);
  products.run(tile, p.questions, 0, 9, low);
  products.run(tile, p.questions, 9, 20, high);
  for (std::size_t i = 0; i < p.ntt.n(); ++i) ASSERT_EQ(all[1].c1[i], p.ntt.modulus().add(low[1].c1[i], high[1].c1[i]));
}

// The bytes of an answer do not depend on the instruction set: run this with TACIT_ISA=portable and avx2 as well.
TEST(TileProducts, BytesAreThoseOfEveryMachine) {
  const Product p(16);
  const TileProducts products(p.ntt);
  const std::int8_t* const tile[] = {p.tiles[0].data()};
  std::vector<TileSum> sums(2);
  products.run(tile, p.questions, 0, 16, sums);
  products.to_coefficients(sums[0]);
  subtract_squares(p.tiles[0], 1234.5, p.ntt.modulus(), sums[0].c0.data());
  std::vector<std::uint8_t> bytes(packed_bytes(kTileNumbers, 13));
  round_residues(sums[0].c0, p.ntt.modulus(), 13, bytes);
  EXPECT_EQ(base::hexadecimal(base::sha256(std::as_bytes(std::span(bytes)))).substr(0, 16), "30a178681330f6d2");
}

TEST(TileProducts, SquaresOfVectors) {
  std::vector<std::int8_t> tile(3 * kTileNumbers, 0);
  tile[5] = -128;
  tile[kTileNumbers + 5] = 3;
  tile[2 * kTileNumbers + 6] = 127;
  std::vector<std::uint32_t> squares(kTileNumbers);
  sums_of_squares(tile, squares);
  EXPECT_EQ(squares[5], 16384U + 9);
  EXPECT_EQ(squares[6], 127U * 127);
  EXPECT_EQ(squares[7], 0U);
}

}  // namespace
}  // namespace tacit::search
