#pragma once

#include <random>

#include "program/tile_evaluator.h"

namespace tacit::program {

/// The clear reading: exact slot semantics in double precision, leftovers of rotations included. Not thread safe.
class ClearTiles final : public TileEvaluator {
 public:
  /// `slots` is a power of two; fresh arrays have at most `max_level` levels.
  ClearTiles(layout::Index slots, int max_level) : slots_(slots), max_level_(max_level) {}
  layout::Index slots() const override { return slots_; }
  int max_level() const override { return max_level_; }
  double tile_bytes(int) const override { return static_cast<double>(slots_) * sizeof(double); }

  TileArrayPtr encrypt(layout::Index count, const TileSlots& slots, int level) override;
  std::vector<std::vector<double>> decrypt(const TileView& a) override;
  TileArrayPtr encode_factor(layout::Index count, const TileSlots& slots, int level) override;
  TileArrayPtr encode_addend(layout::Index count, const TileSlots& slots, int level) override;
  TileArrayPtr add(const TileView& a, const TileView& b) override;
  TileArrayPtr subtract(const TileView& a, const TileView& b) override;
  TileArrayPtr add_plain(const TileView& a, const TileView& plain) override;
  TileArrayPtr sum_tiles(const TileView& a, layout::Index terms) override;
  TileArrayPtr multiply_sum(const TileView& a, const TileView& b, layout::Index terms) override;
  TileArrayPtr multiply_plain_sum(const TileView& a, const TileView& plain, layout::Index terms) override;
  TileArrayPtr rotate(const TileView& a, std::int64_t steps) override;
  TileArrayPtr rotate_sum(const TileView& a, std::span<const std::int64_t> steps) override;
  TileArrayPtr gather(std::span<const TileView> parts) override;
  TileArrayPtr linear(std::span<const TileView> inputs, std::span<const layout::LinearMap> maps) override;
  TileArrayPtr lower(const TileView& a, int level) override;

 private:
  layout::Index slots_;
  int max_level_;
};

}  // namespace tacit::program
