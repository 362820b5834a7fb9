#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "layout/layout.h"

namespace tacit::layout {

/// One dimension of a tile tensor: `size` logical positions in tiles of `tile` slots.
///
/// Index c is at one of two places:
/// - in blocks: place c % tile of tile c / tile
/// - interleaved: place c / outer() of tile c % outer(), so that neighbours are in different tiles
///
/// A dimension of size 1 may hold `copies` equal values at places 0 to `copies` - 1. All other places are zero, or
/// unknown if `unknown` is set.
struct TileDim {
  std::string name;  ///< for people; letters, digits and '_', or empty
  Index size = 1;    ///< kAnySize in a recipe: encoding fills it in
  Index tile = 1;    ///< a power of two
  Index copies = 1;  ///< a power of two up to `tile`; more than 1 only where size is 1
  bool interleaved = false;
  bool unknown = false;
  Index interleaved_outer = 0;  ///< tiles along an interleaved dimension if more than needed; 0 = as many as needed

  static constexpr Index kAnySize = 0;
  /// Returns the number of tiles along this dimension.
  Index outer() const;
  /// Returns true if every place of every tile holds the one value.
  bool replicated() const { return size == 1 && copies == tile && outer() == 1; }
  /// Returns true if some place of some tile is outside max(size, copies).
  bool has_unused() const { return !replicated() && outer() * tile > (size > copies ? size : copies); }
  /// Returns the number of places of a tile that can hold values other than zero, from place 0.
  Index used_places() const;
  /// Returns the dimension with another size, not interleaved.
  TileDim in_blocks(Index of_size) const;
  bool operator==(const TileDim&) const = default;
};

/// The shape of a tile tensor: how a tensor is cut into tiles (ciphertexts). Slots of a tile are numbered row-major
/// over the tile extents. Tiles are numbered row-major over the outer extents. Immutable.
///
/// The notation has one brace per dimension, and parses back:
///
///   {rows 10|4}       size 10 in tiles of 4 (three tiles)      {rows 10}      tiles of 1
///   {copy 64}         64 copies of one value                   {x copy 4|64}  4 copies in a tile of 64
///   {c 1|64 junk}     unknown values beyond the size           {rows any|4}   a recipe: any size
///   {w 32|8 woven}    interleaved; {w 30|8 woven 4} in 4 tiles along w
class TileShape {
 public:
  static constexpr std::size_t kMaxDims = 8;

  TileShape() = default;
  /// Throws InputError naming the dimension if an extent breaks the rules of TileDim. It also throws if there are more
  /// than kMaxDims dimensions, more than kMaxSlots slots, or more than kMaxCiphertexts tiles.
  explicit TileShape(std::vector<TileDim> dims);
  /// Throws InputError naming the place.
  static TileShape parse(std::string_view text);
  std::string to_string() const;

  const std::vector<TileDim>& dims() const { return dims_; }
  const TileDim& dim(int i) const { return dims_[static_cast<std::size_t>(i)]; }
  int rank() const { return static_cast<int>(dims_.size()); }
  /// Returns the index of the dimension of this name. Throws InputError with the names that exist.
  int index_of(std::string_view name) const;
  /// Returns the slots of one tile: the product of the tile extents.
  Index slots() const { return slots_; }
  Index tiles() const { return tiles_; }
  Shape sizes() const;
  /// Returns the slots between neighbours along a dimension within a tile.
  Index slot_stride(int i) const;
  /// Returns the tiles between neighbours along a dimension.
  Index tile_stride(int i) const;
  /// Returns true if a rotation of the whole tile rotates this dimension: no dimension before it has a tile above 1.
  bool leads(int i) const { return slot_stride(i) * dim(i).tile == slots_; }
  bool is_recipe() const { return std::ranges::count(dims_, TileDim::kAnySize, &TileDim::size) > 0; }
  bool has_unknowns() const { return std::ranges::any_of(dims_, &TileDim::unknown); }

  /// Fills in the sizes that are `any` in this recipe. Throws InputError if sizes do not fit.
  TileShape of(const Shape& sizes) const;
  /// Returns the shape with one value in all places of this dimension.
  TileShape with_replicated(int i) const;
  TileShape with_replicated(std::string_view name) const { return with_replicated(index_of(name)); }
  TileShape with_dim(int i, TileDim dim) const;
  /// Returns the shape without unknowns.
  TileShape without_unknowns() const;

  /// Returns the shape in digits, which linear maps, packing and unpacking read. Throws InputError for a recipe.
  Layout layout() const;
  /// Returns 1 in every slot of a tile that holds an element or a copy, 0 elsewhere.
  std::vector<double> mask(Index tile) const;

  bool operator==(const TileShape&) const = default;

 private:
  std::vector<TileDim> dims_;
  Index slots_ = 1, tiles_ = 1;
};

}  // namespace tacit::layout
