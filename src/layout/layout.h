#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tacit::layout {

using Index = std::int64_t;
using Shape = std::vector<Index>;

constexpr bool is_power_of_two(Index x) { return x > 0 && (x & (x - 1)) == 0; }
/// Returns the smallest power of two that is at least `x`.
constexpr Index next_power_of_two(Index x) { return static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(x))); }

/// Returns the product of the extents. Throws InputError if one is negative or the product exceeds 2^48.
Index element_count(const Shape& shape);

/// One digit of a logical index: (index[dim] / stride) % extent. A digit with dim = kReplica holds copies.
struct Digit {
  int dim = 0;
  Index extent = 1;
  Index stride = 1;
  std::string axis;  ///< name of the mesh axis, for digits across ciphertexts ("" within slots)
  bool operator==(const Digit&) const = default;
};
inline constexpr int kReplica = -1;

/// The bounds on every layout, from any author.
inline constexpr Index kMaxSlots = Index{1} << 16, kMaxCiphertexts = Index{1} << 24;
inline constexpr std::size_t kMaxRank = 32, kMaxDigits = 256;

/// The content of positions out of range in a logical dimension.
enum class Fill { zero, unknown };

/// The position of one copy of an element.
struct Position {
  Index ciphertext = 0;
  Index slot = 0;
  bool operator==(const Position&) const = default;
};

/// Maps every element of a tensor to its position in an array of ciphertexts (DESIGN 4.1). Elements are named by their
/// row-major flat index in `shape`. Immutable; pure integers.
class Layout {
 public:
  Layout() = default;
  /// An empty `fill` means zero everywhere. The number of slots is the largest power of two up to the product of the
  /// extents of `within`, and the outermost digit ends with them. Throws InputError if an extent is below 1 or a bound
  /// above is exceeded. The digits of a dimension must cover it exactly once. Nothing may be beyond the slots: no
  /// element, no whole step of the outermost digit, and no copy in it.
  Layout(Shape shape, std::vector<Digit> across, std::vector<Digit> within, std::vector<Fill> fill);

  /// Returns a dense row-major layout. Every extent is padded to a power of two, and copies fill the remaining slots. A
  /// tensor larger than `slots` (a power of two) is split across ciphertexts along its outermost dimensions.
  static Layout row_major(const Shape& shape, Index slots);

  /// Returns a layout of feature maps after strides (multiplexed packing; Lee et al. 2022, section 4). The last three
  /// dimensions of the tensor are (c, y, x); leading ones have extent 1. Channels fill the gap x gap cells of a grid of
  /// `rows` x `columns` slots: [c / gap^2 | y | (c / gap) % gap | x | c % gap]. `rows`, `columns` and `gap` are powers
  /// of two; rows and columns count cells times gap. Element (c, y, x) of a tensor that is read with stride `gap` thus
  /// stays at its place in the grid.
  static Layout multiplexed(const Shape& shape, Index rows, Index columns, Index gap, Index slots);

  /// The rows and columns of the grid from one point of a guarded layout to the next, powers of two. One number gives
  /// both.
  struct Gaps {
    Index rows = 1, columns = 1;
    constexpr Gaps(Index of_rows, Index of_columns) : rows(of_rows), columns(of_columns) {}
    constexpr Gaps(Index both) : Gaps(both, both) {}
    constexpr Gaps() = default;
    friend auto operator<=>(const Gaps&, const Gaps&) = default;
  };

  /// The content of the rows between the points of a guarded layout. From the point on, the rows hold channels if
  /// `channels` is set, then `maps` maps of the batch at most, then nothing or `copies`. `maps` includes the map at the
  /// points itself.
  struct GapRows {
    Index maps = 1;
    bool channels = false;
    bool copies = false;
    Index spread = 1;  ///< rows of the grid that a row of maps without gaps takes, a power of two
    /// The number of consecutive rows that share a row of the grid, each in a separate ciphertext. It is a power of
    /// two.
    Index phases = 1;
  };
  /// Returns a layout of feature maps (batch, c, y, x) with free columns and rows around them. The grid has points of
  /// `cell` slots (a power of two), `pitch` points per row. The gaps are r rows and s columns, and s divides `pitch`.
  /// - Columns: the maps take every s-th point of a row. Channels fill the columns up to the next point.
  /// - Rows: the maps take every (r spread / phases)-th row. The rows up to the next point hold m maps of the batch and
  ///   g groups of s cell channels.
  /// - Bounds: m and g are powers of two with m g <= r spread / phases. With `channels`, g is large enough for the
  ///   channels of one map, else 1. m is at most `maps`, and large enough for the batch.
  ///
  /// The digits are
  ///     [y | batch % m | c / (s cell) % g | x | c % (s cell)].
  /// The rest is across ciphertexts: first the batch, then channels, then rows. If p = phases / (r spread) > 1, row y
  /// is in ciphertext y % p, in row y / p of the grid. A window with a stride of p then reads whole ciphertexts in
  /// place.
  ///
  /// Rows continue to the last slot. Columns and rows beyond the shape are guards. If they hold zeros, a window that
  /// leaves the map reads zeros. The weights of a linear map repeat with its channels under two conditions: the rows
  /// between hold no channels, and input and output hold the same maps of the batch.
  ///
  /// Example: shape (1, 16, 8, 8), pitch 16, cell 2, gaps 2 and `channels` give g = 2 and m = 1. A ciphertext holds
  /// channels 0 to 7 as [y | c / 4 % 2 | x | c % 4], in steps of 64, 32, 4 and 1 slots. A second ciphertext holds
  /// channels 8 to 15.
  static Layout guarded(const Shape& shape, Index pitch, Index cell, Gaps gaps, GapRows rows, Index slots);

  const Shape& shape() const { return shape_; }
  const std::vector<Digit>& across() const { return across_; }
  const std::vector<Digit>& within() const { return within_; }
  const std::vector<Fill>& fill() const { return fill_; }
  Index slots() const { return slots_; }
  /// Returns the number of distinct ciphertexts. Replicas across cost no storage.
  Index ciphertexts() const { return ciphertexts_; }
  /// Returns the smallest p such that the slots repeat with period p (the leading replica digits stripped).
  Index period() const { return period_; }

  /// Returns true if every element has the same position in the other layout. Positions out of range do not matter.
  bool same_places(const Layout& other) const {
    return shape_ == other.shape_ && across_ == other.across_ && within_ == other.within_;
  }
  /// Returns true if the out-of-range positions of some dimension have this fill.
  bool has_fill(Fill fill) const { return std::find(fill_.begin(), fill_.end(), fill) != fill_.end(); }
  /// Returns true if some dimension with this fill has positions out of range.
  bool has_padding(Fill fill) const;
  /// Returns a layout with the same positions and the same fill in all dimensions.
  Layout filled(Fill fill) const { return {shape_, across_, within_, std::vector<Fill>(shape_.size(), fill)}; }

  /// The content of the slots of a ciphertext, one period of them. A slot out of range is `zero` if all exceeded
  /// dimensions hold zeros, else `unknown`.
  enum class Content : std::uint8_t { element, zero, unknown };
  std::vector<Content> contents(Index ciphertext) const;

  /// Returns the element at a position, or nothing if the position is out of range (padding).
  std::optional<Index> element_at(Index ciphertext, Index slot) const;
  /// Returns one position of an element: the copy whose replica digits are all zero.
  Position position_of(Index element) const;
  /// Returns position_of every element, in less time than one by one.
  std::vector<Position> positions() const;
  /// Returns the slots from position_of to every copy of an element, in rising order from 0. They are the same for all
  /// elements.
  std::vector<Index> copies() const;
  /// Returns the slots from position_of an element to one of its copies. This copy has the replica digits of slot
  /// `near`. In layouts with the same digits, these copies have equal distances.
  Index copy_at(Index near) const;
  /// Returns the copies below the period.
  std::vector<Index> copies_in_period() const;
  /// Calls `sink` for every copy of the element.
  void for_each_position(Index element, const std::function<void(Position)>& sink) const;

  /// Packs a row-major tensor into slot vectors, one per ciphertext. Replicas are filled; padding is zero.
  std::vector<std::vector<double>> pack(std::span<const double> tensor) const;
  /// Unpacks slot vectors to a tensor. It reads the copy with zero replica digits.
  std::vector<double> unpack(std::span<const std::vector<double>> slots) const;

  /// Returns the layout in our notation, which parses back to an equal layout.
  std::string to_string() const;
  static Layout parse(std::string_view text);
  bool operator==(const Layout&) const = default;

 private:
  /// Returns the number of slots of digits within whose extents multiply to slots_, which is not a power of two.
  Index cut_slots() const;

  Shape shape_;
  std::vector<Digit> across_, within_;
  std::vector<Fill> fill_;
  Index slots_ = 0, ciphertexts_ = 0, period_ = 0;
};

}  // namespace tacit::layout
