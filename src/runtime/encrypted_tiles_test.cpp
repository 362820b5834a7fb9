#include "runtime/encrypted_tiles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/error.h"
#include "layout/operators/movement.h"
#include "params/requirement.h"
#include "program/tile_clear.h"
#include "program/tile_cost.h"

namespace tacit::runtime {
namespace {

using layout::Index;
using program::TileArrayPtr;
using program::TileView;

TileView view(TileArrayPtr array) {
  TileView v;
  v.add_dimension(array->count(), 1);
  v.array = std::move(array);
  return v;
}

/// One computation with every operation, on any reading. Two arrays of four tiles in, slots out.
std::vector<TileArrayPtr> everything(program::TileEvaluator& e) {
  const Index slots = e.slots();
  const auto values = [slots](unsigned seed) {
    return [slots, seed](Index tile) {
      std::mt19937 random(seed * 100 + static_cast<unsigned>(tile));
      std::vector<double> x(static_cast<std::size_t>(slots));
      for (double& v : x) v = static_cast<double>(random() % 2001) / 1000 - 1;
      return x;
    };
  };
  const auto a = view(e.encrypt(4, values(1), 3)), b = view(e.encrypt(4, values(2), 3));
  const std::int64_t steps[] = {1, 2, 3, -5};
  std::vector<TileArrayPtr> results{e.add(a, b),
                                    e.subtract(a, b),
                                    e.multiply_sum(a, b, 2),
                                    e.sum_tiles(a, 4),
                                    e.multiply_plain_sum(a, view(e.encode_factor(4, values(3), 3)), 4),
                                    e.add_plain(a, view(e.encode_addend(4, values(4), 3))),
                                    e.rotate(a, -7),
                                    e.rotate_sum(a, steps),
                                    e.lower(a, 1)};
  const auto product = view(results[2]), lowered = view(e.lower(a, 2));
  TileView two = lowered;
  two.extents[0] = 2;
  two.offset = 1;
  results.push_back(e.add(product, two));
  const layout::Layout in({2, slots}, {{0, 2, 1, ""}}, {{1, slots, 1, ""}}, {});
  const layout::Layout out({slots, 2}, {{0, 2, slots / 2, ""}}, {{1, 2, 1, ""}, {0, slots / 2, 1, ""}}, {});
  std::vector<Index> source;
  for (Index i = 0; i < 2 * slots; ++i) source.push_back(i % 2 * slots + i / 2);
  const layout::LinearMap map{in, out, std::make_shared<layout::Gather>(in.shape(), out.shape(), source)};
  results.push_back(e.linear({{product}}, {{map}}));
  results.push_back(e.multiply_sum(view(results.back()), view(results.back()), 2));
  return results;
}

void expect_equal_readings(const params::RequiredParameters& required, double tolerance) {
  const auto context = scheme::ckks::Context::make(params::CkksParameters::check(required.literal));
  program::CostTiles cost(required.literal, program::TilePrices(required.literal, {}, required.base_level),
                          required.base_level);
  everything(cost);
  program::ClearTiles clear(cost.slots(), cost.max_level());
  const std::vector<TileArrayPtr> expected = everything(clear);
  const scheme::ckks::KeyGenerator generator(context);
  const auto secret = generator.secret_key();
  const auto keys =
      std::make_shared<const scheme::ckks::EvaluationKeys>(generator.evaluation_keys(secret, cost.cost().keys));
  EncryptedTiles tiles(context, keys, required.base_level, params::CostTable{});
  EXPECT_THROW(everything(tiles), base::InputError);  // nothing to encrypt with
  tiles.set_secret(secret);
  const std::vector<TileArrayPtr> found = everything(tiles);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t r = 0; r < found.size(); ++r) {
    EXPECT_EQ(found[r]->level(), expected[r]->level()) << r;
    const auto x = tiles.decrypt(view(found[r])), y = clear.decrypt(view(expected[r]));
    ASSERT_EQ(x.size(), y.size()) << r;
    for (std::size_t t = 0; t < x.size(); ++t)
      for (std::size_t s = 0; s < x[t].size(); ++s)
        ASSERT_NEAR(x[t][s], y[t][s], tolerance) << r << " " << t << " " << s;
  }
}

TEST(EncryptedTiles, EqualTheClearReading) { expect_equal_readings(params::parameters_for({64, 3, 40, 5, 0}), 1e-6); }

TEST(EncryptedTiles, EqualTheClearReadingAboveABaseLevel) {
  const auto required = params::parameters_for({64, 3, 40, 20, 0});
  EXPECT_EQ(required.base_level, 1);
  expect_equal_readings(required, 1e-6);
}

TEST(EncodedMaps, AreKnownByTheirEntriesAndKeptWhileTheyFit) {
  const auto context =
      scheme::ckks::Context::make(params::CkksParameters::check(params::parameters_for({64, 3, 40, 5, 0}).literal));
  const scheme::ckks::Encoder encoder(context);
  const layout::Layout layout({64}, {}, {{0, 64, 1, ""}}, {});
  const auto shifted = [&](Index by) {
    std::vector<Index> source;
    for (Index i = 0; i < 64; ++i) source.push_back((i + by) % 64);
    return layout::LinearMap{layout, layout, std::make_shared<layout::Gather>(layout.shape(), layout.shape(), source)};
  };
  int made = 0;
  const auto encode = [&] {
    ++made;
    EncodedMap map;
    const params::DiagonalStep step{0, 0, 0};
    map.matrices.push_back(std::make_unique<scheme::ckks::DiagonalMatrix>(encoder.encode_diagonals(
        std::span(&step, 1), std::vector<std::vector<double>>{std::vector<double>(64, 0.5)}, 2, 0x1p40, 0x1p40)));
    return map;
  };
  EncodedMap one = encode();
  EncodedMaps maps(2 * one.bytes());
  const auto first = maps.get(shifted(1), 2, encode);
  EXPECT_EQ(maps.get(shifted(1), 2, encode), first);
  EXPECT_EQ(made, 2);
  EXPECT_NE(maps.get(shifted(1), 1, encode), first);  // another level
  EXPECT_EQ(maps.bytes(), 2 * one.bytes());
  maps.get(shifted(1), 2, encode);
  EXPECT_EQ(made, 3);
  maps.get(shifted(2), 2, encode);  // in the place of the level-1 map, which was used before the other
  EXPECT_EQ(made, 4);
  EXPECT_EQ(maps.bytes(), 2 * one.bytes());
  EXPECT_EQ(maps.get(shifted(1), 2, encode), first);
  maps.get(shifted(1), 1, encode);
  EXPECT_EQ(made, 5);
}

TEST(EncryptedTiles, KeepALargeIntegerPart) {
  const auto required = params::parameters_for({64, 1, 40, 20, 0});
  const auto context = scheme::ckks::Context::make(params::CkksParameters::check(required.literal));
  const auto secret = scheme::ckks::KeyGenerator(context).secret_key();
  EncryptedTiles tiles(context, nullptr, required.base_level, params::CostTable{});
  tiles.set_secret(secret);
  const auto million = [](Index) { return std::vector<double>(64, 1e6); };
  const auto product = tiles.multiply_plain_sum(view(tiles.encrypt(1, million, 1)),
                                                view(tiles.encode_factor(
                                                    1, [](Index) { return std::vector<double>(64, -1); }, 1)),
                                                1);
  EXPECT_NEAR(tiles.decrypt(view(product))[0][5], -1e6, 1e-3);
  EXPECT_THROW(tiles.rotate(view(product), 1), base::InputError);
}

}  // namespace
}  // namespace tacit::runtime
