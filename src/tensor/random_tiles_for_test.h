#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tensor/session.h"
#include "tensor/tile_tensor.h"

/// Random tile tensors in the clear whose unknowns are poisoned, and plain arithmetic to compare operators with.
namespace tacit::tensor::testing {

constexpr double kPoison = 1e6;

struct Sample {
  TileTensor tiles;
  Dense tensor;
};

class RandomTiles {
 public:
  RandomTiles(Index slots, unsigned seed) : slots_(slots), random_(seed), session_(clear_session(slots, 8)) {}
  const SessionPtr& session() const { return session_; }
  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  /// Integers from -4 to 4.
  Dense tensor(const Shape& sizes) {
    Dense dense{sizes, std::vector<double>(static_cast<std::size_t>(layout::element_count(sizes)))};
    for (double& x : dense.values) x = pick(-4, 4);
    return dense;
  }
  /// A random shape for these sizes.
  TileShape shape_of(const Shape& sizes) {
    std::vector<Index> tiles = random_tiles(sizes.size());
    std::vector<layout::TileDim> dims;
    for (std::size_t i = 0; i < sizes.size(); ++i) dims.push_back(dim(sizes[i], tiles[i]));
    return TileShape(std::move(dims));
  }
  TileShape shape() {
    Shape sizes;
    for (int rank = pick(1, 4); rank > 0; --rank) sizes.push_back(pick(0, 3) == 0 ? 1 : pick(1, 9));
    return shape_of(sizes);
  }
  Sample make() { return make(shape()); }
  /// Unknown slots hold large numbers.
  Sample make(const TileShape& shape) {
    Sample sample{{}, tensor(shape.sizes())};
    auto packed = shape.layout().pack(sample.tensor.values);
    for (Index t = 0; t < shape.tiles(); ++t)
      for (Index s = 0; s < slots_; ++s)
        if (unknown(shape, t, s))
          packed[static_cast<std::size_t>(t)][static_cast<std::size_t>(s)] = kPoison * pick(1, 9);
    sample.tiles = TileTensor(session_, shape,
                              session_->encrypt(
                                  shape.tiles(), [&](Index t) { return packed[static_cast<std::size_t>(t)]; }, 5));
    return sample;
  }
  /// Two that an element-wise operator accepts.
  std::pair<Sample, Sample> compatible() {
    const TileShape shape = this->shape();
    std::vector<layout::TileDim> a = shape.dims(), b = shape.dims();
    for (std::size_t i = 0; i < a.size(); ++i) {
      const int kind = pick(0, 3);
      if (kind < 2) {
        layout::TileDim& one = kind == 0 ? a[i] : b[i];
        one.size = 1;
        one.copies = one.tile;
        one.interleaved_outer = 0;
        one.unknown = false;
      }
      for (layout::TileDim* d : {&a[i], &b[i]})
        if (d->has_unused()) d->unknown = pick(0, 2) == 0;
    }
    return {make(TileShape(std::move(a))), make(TileShape(std::move(b)))};
  }

  /// A slot that a shape says nothing about: out of range in a dimension of unknowns.
  static bool unknown(const TileShape& shape, Index tile, Index slot) {
    for (int i = 0; i < shape.rank(); ++i)
      if (shape.dim(i).unknown && outside(shape, i, tile, slot)) return true;
    return false;
  }
  static bool outside(const TileShape& shape, int i, Index tile, Index slot) {
    const auto& d = shape.dim(i);
    const Index outer = d.outer(), a = tile / shape.tile_stride(i) % outer, b = slot / shape.slot_stride(i) % d.tile;
    return (d.interleaved ? b * outer + a : a * d.tile + b) >= std::max(d.size, d.copies);
  }

 private:
  std::vector<Index> random_tiles(std::size_t rank) {
    std::vector<Index> tiles(rank, 1);
    for (Index left = slots_; left > 1; left /= 2)
      tiles[static_cast<std::size_t>(pick(0, static_cast<int>(rank) - 1))] *= 2;
    return tiles;
  }
  layout::TileDim dim(Index size, Index tile) {
    layout::TileDim d{.name = "", .size = size, .tile = tile};
    if (size == 1) d.copies = pick(0, 2) == 0 ? tile : pick(0, 3) == 0 && tile > 2 ? tile / 2 : 1;
    d.interleaved = pick(0, 2) == 0;
    if (d.interleaved && size > 1 && pick(0, 3) == 0) d.interleaved_outer = d.outer() + pick(0, 2);
    d.unknown = d.has_unused() && pick(0, 3) == 0;
    return d;
  }
  Index slots_;
  std::mt19937 random_;
  SessionPtr session_;
};

/// The elements are right, and every slot that the shape calls zero or a copy is.
inline void expect_holds(const TileTensor& tiles, const Dense& expected) {
  const TileShape& shape = tiles.shape();
  ASSERT_EQ(shape.sizes(), expected.sizes) << shape.to_string();
  const auto packed = shape.layout().pack(expected.values);
  const auto slots = tiles.session()->decrypt(tiles.view(), slots::Decoding::exact);
  ASSERT_EQ(slots.size(), packed.size());
  for (std::size_t t = 0; t < slots.size(); ++t)
    for (std::size_t s = 0; s < slots[t].size(); ++s) {
      if (RandomTiles::unknown(shape, static_cast<Index>(t), static_cast<Index>(s))) continue;
      ASSERT_NEAR(slots[t][s], packed[t][s], 1e-9) << shape.to_string() << " tile " << t << " slot " << s;
    }
}

inline Dense elementwise(const Dense& a, const Dense& b, char op) {
  Dense result{a.sizes, {}};
  for (std::size_t i = 0; i < a.sizes.size(); ++i) result.sizes[i] = std::max(a.sizes[i], b.sizes[i]);
  const Index count = layout::element_count(result.sizes);
  for (Index e = 0; e < count; ++e) {
    Index rest = e, x = 0, y = 0, wx = 1, wy = 1;
    for (std::size_t i = result.sizes.size(); i-- > 0;) {
      const Index c = rest % result.sizes[i];
      rest /= result.sizes[i];
      x += a.sizes[i] > 1 ? c * wx : 0;
      y += b.sizes[i] > 1 ? c * wy : 0;
      wx *= a.sizes[i];
      wy *= b.sizes[i];
    }
    const double p = a.values[static_cast<std::size_t>(x)], q = b.values[static_cast<std::size_t>(y)];
    result.values.push_back(op == '+' ? p + q : op == '-' ? p - q : p * q);
  }
  return result;
}

/// Positions map(0), …, map(count - 1) along a dimension.
template <class Map>
Dense taken(const Dense& a, int dim, Index count, const Map& map) {
  Dense result{a.sizes, {}};
  result.sizes[static_cast<std::size_t>(dim)] = count;
  Index inner = 1, outer = 1;
  for (std::size_t i = 0; i < a.sizes.size(); ++i)
    if (static_cast<int>(i) != dim) (static_cast<int>(i) < dim ? outer : inner) *= a.sizes[i];
  for (Index o = 0; o < outer; ++o)
    for (Index c = 0; c < count; ++c)
      for (Index i = 0; i < inner; ++i)
        result.values.push_back(
            a.values[static_cast<std::size_t>((o * a.sizes[static_cast<std::size_t>(dim)] + map(c)) * inner + i)]);
  return result;
}

inline Dense summed(const Dense& a, int dim) {
  const Index n = a.sizes[static_cast<std::size_t>(dim)];
  Dense result = taken(a, dim, 1, [](Index) { return Index{0}; });
  for (Index c = 1; c < n; ++c) result = elementwise(result, taken(a, dim, 1, [&](Index) { return c; }), '+');
  return result;
}

}  // namespace tacit::tensor::testing
