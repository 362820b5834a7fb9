#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "params/ckks_parameters.h"
#include "params/key_manifest.h"
#include "program/cost.h"
#include "program/tile_evaluator.h"

namespace tacit::program {

/// Seconds of one unit of each kind of work, by the level of its operands above the base.
class TilePrices {
 public:
  TilePrices() = default;
  /// From limb transforms and multiply-accumulates, for ciphertexts that keep `base_level` levels below their own.
  TilePrices(const params::CkksLiteral& literal, const params::CostTable& table, int base_level);
  /// That limb counts are priced with, of linear maps among others.
  const params::CostTable& table() const { return table_; }
  /// 0 for levels that were never priced. `rotation_top`: the largest level of any rotation of the computation, above
  /// the base, on which those of lower ones depend.
  double seconds(TileWork work, int level, int rotation_top) const;
  /// For every `rotation_top`.
  void set(TileWork work, int level, double seconds);

  /// The median of every price and share over prices that were measured alike.
  static TilePrices median(std::span<const TilePrices> rounds);

  /// What a unit of a product or a sum takes more where its operands come from memory; 0 for other work.
  double far_seconds(TileWork work, int level) const { return at(far_, work, level); }
  void set_far(TileWork work, int level, double seconds) { put(far_, work, level, seconds); }
  /// The share of its operands that a computation reads from memory that goes over so many bytes of arrays. Unless it
  /// was measured: none up to half of the largest cache, all from the whole of it, for something else is in it always.
  double far_share(double bytes) const;
  /// (bytes, share) in order; between them shares are interpolated.
  void set_far_shares(std::vector<std::pair<double, double>> shares) { far_shares_ = std::move(shares); }

 private:
  using Prices = std::array<std::vector<double>, kTileWorks>;
  static double at(const Prices& prices, TileWork work, int level);
  static void put(Prices& prices, TileWork work, int level, double seconds);
  params::CostTable table_;
  Prices seconds_, far_;
  std::vector<Prices> rotations_;  ///< by rotation_top, where they depend on it
  std::vector<std::pair<double, double>> far_shares_;
};

/// What one computation on tiles takes.
struct TileCost {
  /// counts[work][level of the operands]
  using Counts = std::array<std::vector<std::int64_t>, kTileWorks>;
  Counts counts;
  double seconds = 0;         ///< one core, without encryption and encoding; CostTiles::cost() adds it up
  double encode_seconds = 0;  ///< encryption and encoding
  double live_bytes = 0;      ///< arrays alive now, and encoded maps that are kept
  double peak_bytes = 0;      ///< largest sum of arrays alive together
  int lowest_level = 0;       ///< of any array made
  params::KeyManifest keys;   ///< levels are absolute: those of the ciphertexts

  std::int64_t count(TileWork work) const;
  /// Rotations of both kinds.
  std::int64_t rotations() const { return count(TileWork::rotate) + count(TileWork::hoisted_rotation); }
};

/// The cost reading: arrays are counts. Not thread safe. Arrays may outlive the reading.
class CostTiles final : public TileEvaluator {
 public:
  /// `base_level` as for the prices; `prices` must be for this literal.
  CostTiles(const params::CkksLiteral& literal, TilePrices prices, int base_level);
  layout::Index slots() const override { return slots_; }
  int max_level() const override { return max_level_; }
  double tile_bytes(int level) const override { return 2 * plain_bytes(level); }

  const TileCost& cost() const;
  /// Bytes of the evaluation keys that the work so far needs.
  double key_bytes() const;
  /// Forgets all but the arrays that are alive.
  void restart();

  TileArrayPtr encrypt(layout::Index count, const TileSlots& slots, int level) override;
  /// Throws InputError: a cost has no values.
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
  struct Linear {
    LinearCounts counts;
    params::LinearSchedule schedule;
    double bytes = 0;  ///< of the encoded diagonals
  };
  /// Prices at this level where rotations reach `rotation_top`, both absolute.
  const OperationPrices& operations(int level, int rotation_top) const;
  void keep(const Linear& linear);
  const Linear& planned(const layout::LinearMap& map, int level);
  double plain_bytes(int level) const { return (base_level_ + level + 1) * limb_bytes_; }
  void work(TileWork work, int level, layout::Index times);
  void rotation(std::int64_t steps, int level);
  TileArrayPtr ciphertexts(layout::Index count, int level);

  params::CkksLiteral literal_;
  OperationPrices operations_;
  mutable std::vector<std::optional<OperationPrices>> rotating_;  ///< by rotation_top
  TilePrices prices_;
  int base_level_, max_level_;
  layout::Index slots_;
  double limb_bytes_;
  std::shared_ptr<TileCost> cost_;
  TileCost::Counts priced_;  ///< what prices_ price: all counts but those of linear maps
  std::vector<std::pair<const Linear*, int>>
      linears_;  ///< carried out since the last restart, and their absolute levels
  std::map<std::string, Linear> linear_;
  std::set<const Linear*> kept_;  ///< encoded since the last restart
  double kept_bytes_ = 0;
};

/// How every reading carries a linear map out at this (absolute) level: by prices of the limb counts of the parameter
/// set. Readings that share a table agree, so that the keys that the cost reading asks for are those that the encrypted
/// one uses.
params::LinearSchedule plan_tile_linear(const layout::LinearMap& map, const layout::DiagonalSet& set,
                                        const params::CkksLiteral& literal, const params::CostTable& table, int level);

}  // namespace tacit::program
