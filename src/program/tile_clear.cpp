#include "program/tile_clear.h"

#include <algorithm>
#include <functional>

#include "base/error.h"

namespace tacit::program {
namespace {

using layout::Index;
using Slots = std::vector<double>;

struct ClearArray final : TileArray {
  ClearArray(std::vector<Slots> content, int level)
      : TileArray(static_cast<Index>(content.size()), level), tiles(std::move(content)) {}
  std::vector<Slots> tiles;
};

const Slots& tile(const TileView& view, Index position) {
  return static_cast<const ClearArray&>(*view.array).tiles[static_cast<std::size_t>(view.at(position))];
}

TileArrayPtr made(std::vector<Slots> tiles, int level) {
  return std::make_shared<const ClearArray>(std::move(tiles), level);
}

template <class F>
TileArrayPtr each(Index count, int level, const F& body) {
  std::vector<Slots> tiles(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) tiles[static_cast<std::size_t>(i)] = body(i);
  return made(std::move(tiles), level);
}

template <class Operation>
Slots slotwise(const Slots& a, const Slots& b, const Operation& operation) {
  Slots result(a.size());
  std::transform(a.begin(), a.end(), b.begin(), result.begin(), operation);
  return result;
}

void add_rotated(Slots& sum, const Slots& a, std::int64_t steps) {
  const auto n = static_cast<std::int64_t>(a.size());
  for (std::int64_t k = 0; k < n; ++k)
    sum[static_cast<std::size_t>(k)] += a[static_cast<std::size_t>(((k + steps) % n + n) % n)];
}

TileArrayPtr sum_of_products(const TileView& a, const TileView& b, Index terms) {
  return each(a.count() / terms, a.level() - 1, [&](Index i) {
    Slots sum = slotwise(tile(a, i * terms), tile(b, i * terms), std::multiplies<>());
    for (Index k = 1; k < terms; ++k) {
      const Slots &x = tile(a, i * terms + k), &y = tile(b, i * terms + k);
      for (std::size_t s = 0; s < sum.size(); ++s) sum[s] += x[s] * y[s];
    }
    return sum;
  });
}

}  // namespace

TileArrayPtr ClearTiles::encrypt(Index count, const TileSlots& slots, int level) { return each(count, level, slots); }

std::vector<Slots> ClearTiles::decrypt(const TileView& a) {
  std::vector<Slots> result;
  for (Index i = 0; i < a.count(); ++i) result.push_back(tile(a, i));
  return result;
}

TileArrayPtr ClearTiles::encode_factor(Index count, const TileSlots& slots, int level) {
  return each(count, level, slots);
}
TileArrayPtr ClearTiles::encode_addend(Index count, const TileSlots& slots, int level) {
  return each(count, level, slots);
}

TileArrayPtr ClearTiles::add(const TileView& a, const TileView& b) {
  return each(a.count(), a.level(), [&](Index i) { return slotwise(tile(a, i), tile(b, i), std::plus<>()); });
}
TileArrayPtr ClearTiles::subtract(const TileView& a, const TileView& b) {
  return each(a.count(), a.level(), [&](Index i) { return slotwise(tile(a, i), tile(b, i), std::minus<>()); });
}
TileArrayPtr ClearTiles::add_plain(const TileView& a, const TileView& plain) { return add(a, plain); }

TileArrayPtr ClearTiles::sum_tiles(const TileView& a, Index terms) {
  return each(a.count() / terms, a.level(), [&](Index i) {
    Slots sum = tile(a, i * terms);
    for (Index k = 1; k < terms; ++k) add_rotated(sum, tile(a, i * terms + k), 0);
    return sum;
  });
}

TileArrayPtr ClearTiles::multiply_sum(const TileView& a, const TileView& b, Index terms) {
  return sum_of_products(a, b, terms);
}
TileArrayPtr ClearTiles::multiply_plain_sum(const TileView& a, const TileView& plain, Index terms) {
  return sum_of_products(a, plain, terms);
}

TileArrayPtr ClearTiles::rotate(const TileView& a, std::int64_t steps) {
  return each(a.count(), a.level(), [&](Index i) {
    Slots rotated(static_cast<std::size_t>(slots_));
    add_rotated(rotated, tile(a, i), steps);
    return rotated;
  });
}

TileArrayPtr ClearTiles::rotate_sum(const TileView& a, std::span<const std::int64_t> steps) {
  return each(a.count(), a.level(), [&](Index i) {
    Slots sum = tile(a, i);
    for (const std::int64_t step : steps) add_rotated(sum, tile(a, i), step);
    return sum;
  });
}

TileArrayPtr ClearTiles::gather(std::span<const TileView> parts) {
  std::vector<Slots> tiles;
  for (const TileView& part : parts)
    for (Index i = 0; i < part.count(); ++i) tiles.push_back(tile(part, i));
  return made(std::move(tiles), parts.front().level());
}

TileArrayPtr ClearTiles::linear(std::span<const TileView> inputs, std::span<const layout::LinearMap> maps) {
  const layout::Layout& out = maps.front().out;
  std::vector<double> result(static_cast<std::size_t>(layout::element_count(out.shape())));
  for (std::size_t t = 0; t < maps.size(); ++t)
    for (std::size_t row = 0; row < result.size(); ++row)
      maps[t].op->row(static_cast<Index>(row), [&](Index column, double weight) {
        const layout::Position at = maps[t].in.position_of(column);
        result[row] += weight * tile(inputs[t], at.ciphertext)[static_cast<std::size_t>(at.slot)];
      });
  return made(out.pack(result), inputs.front().level() - 1);
}

TileArrayPtr ClearTiles::lower(const TileView& a, int level) {
  return each(a.count(), level, [&](Index i) { return tile(a, i); });
}

const char* name_of(TileWork work) {
  static constexpr const char* kNames[kTileWorks] = {"encrypt",          "encode",        "add",     "product",
                                                     "relinearise",      "plain product", "rescale", "rotate",
                                                     "hoisted rotation", "linear map",    "lower"};
  return kNames[static_cast<std::size_t>(work)];
}

}  // namespace tacit::program
