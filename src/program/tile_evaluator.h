#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "layout/linear_operator.h"

namespace tacit::program {

/// An array of tiles (ciphertexts) at one level and scale, or of encoded plaintexts: what one reading makes of it.
/// Immutable.
class TileArray {
 public:
  TileArray(layout::Index count, int level) : count_(count), level_(level) {}
  virtual ~TileArray() = default;
  TileArray(const TileArray&) = delete;
  TileArray& operator=(const TileArray&) = delete;
  layout::Index count() const { return count_; }
  int level() const { return level_; }

 private:
  layout::Index count_;
  int level_;
};
using TileArrayPtr = std::shared_ptr<const TileArray>;

/// Which tile of an array each position of a grid reads: row-major over `extents`, one stride a dimension. A stride of
/// 0 repeats a tile, an offset skips some: broadcasts and slices cost nothing.
struct TileView {
  static constexpr int kMaxRank = 12;
  TileArrayPtr array;
  int rank = 0;
  std::array<layout::Index, kMaxRank> extents{}, strides{};
  layout::Index offset = 0;

  void add_dimension(layout::Index extent, layout::Index stride) {
    extents[static_cast<std::size_t>(rank)] = extent;
    strides[static_cast<std::size_t>(rank++)] = stride;
  }
  layout::Index count() const {
    layout::Index product = 1;
    for (int i = 0; i < rank; ++i) product *= extents[static_cast<std::size_t>(i)];
    return product;
  }
  layout::Index at(layout::Index position) const {
    layout::Index tile = offset;
    for (int i = rank - 1; i >= 0; --i) {
      tile += position % extents[static_cast<std::size_t>(i)] * strides[static_cast<std::size_t>(i)];
      position /= extents[static_cast<std::size_t>(i)];
    }
    return tile;
  }
  int level() const { return array->level(); }
};

/// Bytes of encoded linear maps that the encrypted reading keeps for their next use.
inline constexpr std::size_t kKeptMapBytes = std::size_t{256} << 20;

/// The slots of one tile of a plaintext, made when a reading wants them.
using TileSlots = std::function<std::vector<double>(layout::Index tile)>;

/// One reading of tile arithmetic: in the clear, as costs, or on ciphertexts. Operators of tile tensors are written
/// once over it. Every array has the scale that belongs to its level, so that arrays of one level always add; operands
/// of an operation are at one level. Results are row-major over the grid of the views. Grids of two views have equal
/// counts.
class TileEvaluator {
 public:
  virtual ~TileEvaluator() = default;
  virtual layout::Index slots() const = 0;
  /// Levels that are left above the one at which values are decrypted: what a fresh array may have.
  virtual int max_level() const = 0;
  /// Bytes of one ciphertext at this level.
  virtual double tile_bytes(int level) const = 0;

  virtual TileArrayPtr encrypt(layout::Index count, const TileSlots& slots, int level) = 0;
  virtual std::vector<std::vector<double>> decrypt(const TileView& a) = 0;
  /// Plaintexts that multiply an array of this level, or are added to one.
  virtual TileArrayPtr encode_factor(layout::Index count, const TileSlots& slots, int level) = 0;
  virtual TileArrayPtr encode_addend(layout::Index count, const TileSlots& slots, int level) = 0;

  virtual TileArrayPtr add(const TileView& a, const TileView& b) = 0;
  virtual TileArrayPtr subtract(const TileView& a, const TileView& b) = 0;
  virtual TileArrayPtr add_plain(const TileView& a, const TileView& plain) = 0;
  /// Sums of `terms` consecutive grid positions: the last dimensions of the grid are summed.
  virtual TileArrayPtr sum_tiles(const TileView& a, layout::Index terms) = 0;
  /// Sums of `terms` consecutive products, relinearised and rescaled once a sum. One level.
  virtual TileArrayPtr multiply_sum(const TileView& a, const TileView& b, layout::Index terms) = 0;
  /// The same with plaintexts that were encoded as factors for this level. One level.
  virtual TileArrayPtr multiply_plain_sum(const TileView& a, const TileView& plain, layout::Index terms) = 0;
  /// All tiles to the left by `steps`, any sign.
  virtual TileArrayPtr rotate(const TileView& a, std::int64_t steps) = 0;
  /// a + sum over steps of a rotated by them, from one decomposition (hoisting; steps are not 0).
  virtual TileArrayPtr rotate_sum(const TileView& a, std::span<const std::int64_t> steps) = 0;
  /// The tiles of all views behind each other, which are at one level. No work.
  virtual TileArrayPtr gather(std::span<const TileView> parts) = 0;
  /// The sum of linear maps, each of its own array; maps share their output layout. One level.
  virtual TileArrayPtr linear(std::span<const TileView> inputs, std::span<const layout::LinearMap> maps) = 0;
  /// The same values at a lower level: one plain product at level + 1.
  virtual TileArrayPtr lower(const TileView& a, int level) = 0;
};

/// The kinds of work that a reading counts and prices.
enum class TileWork : std::uint8_t {
  encrypt,
  encode,
  add,
  product,
  relinearise,
  plain_product,
  rescale,
  rotate,
  hoisted_rotation,
  linear,
  lower
};
inline constexpr std::size_t kTileWorks = 11;
const char* name_of(TileWork work);

}  // namespace tacit::program
