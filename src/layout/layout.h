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
/// The smallest power of two from x on.
constexpr Index next_power_of_two(Index x) { return static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(x))); }

/// Product of the extents. Throws InputError if one is negative or the product exceeds 2^48.
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

/// Bounds that every layout keeps, whoever wrote it down.
inline constexpr Index kMaxSlots = Index{1} << 16, kMaxCiphertexts = Index{1} << 24;
inline constexpr std::size_t kMaxRank = 32, kMaxDigits = 256;

/// What the out-of-range positions of a logical dimension hold.
enum class Fill { zero, unknown };

/// Where one copy of an element sits.
struct Position {
  Index ciphertext = 0;
  Index slot = 0;
  bool operator==(const Position&) const = default;
};

/// Says where every element of a tensor sits in an array of ciphertexts (DESIGN 4.1). Immutable; pure integers.
/// Elements are named by their row-major flat index in `shape`.
class Layout {
 public:
  Layout() = default;
  /// An empty `fill` means zero everywhere. The slots are the largest power of two up to the product of the extents
  /// within: the outermost digit ends with them. Throws InputError if an extent is below 1, or a bound above is
  /// exceeded. The digits of a dimension must cover it exactly once. Neither elements, nor a whole step of the
  /// outermost digit, nor copies in it may lie beyond the slots.
  Layout(Shape shape, std::vector<Digit> across, std::vector<Digit> within, std::vector<Fill> fill);

  /// Dense row-major, every extent padded to a power of two, replicated over the slots that are left; splits the
  /// outermost dimensions across ciphertexts when the tensor is larger than `slots` (a power of two).
  static Layout row_major(const Shape& shape, Index slots);

  /// Feature maps after strides: a tensor whose last three dimensions are (c, y, x), leading ones of extent 1, in a
  /// grid of `rows` x `columns` slots (powers of two) whose gap x gap cells (a power of two) are filled by channels: [c
  /// / gap^2 | y | (c / gap) % gap | x | c % gap] (multiplexed packing; Lee et al. 2022, section 4). Element (c, y, x)
  /// of a tensor read with stride `gap` thus stays where the grid had it. rows and columns count cells times gap.
  static Layout multiplexed(const Shape& shape, Index rows, Index columns, Index gap, Index slots);

  /// Between neighbouring points of a guarded layout, powers of two: so many rows and columns of the grid, alike where
  /// one number is given.
  struct Gaps {
    Index rows = 1, columns = 1;
    constexpr Gaps(Index of_rows, Index of_columns) : rows(of_rows), columns(of_columns) {}
    constexpr Gaps(Index both) : Gaps(both, both) {}
    constexpr Gaps() = default;
    friend auto operator<=>(const Gaps&, const Gaps&) = default;
  };

  /// What the rows between the points of a guarded layout hold: first channels, where `channels`, then maps of the
  /// batch, at most so many with the one at the points itself, and then nothing, or `copies`.
  struct GapRows {
    Index maps = 1;
    bool channels = false;
    bool copies = false;
    Index spread = 1;  ///< a row of maps takes so many rows of the grid where maps have no gaps, a power of two
    /// A power of two: so many rows that follow each other share a row of the grid, each in a ciphertext of its own.
    Index phases = 1;
  };
  /// Feature maps with free columns and rows around them, of a tensor (batch, c, y, x). The grid has points of `cell`
  /// slots, `pitch` points a row. With gaps of r rows and s columns the maps take every s-th point of a row, and
  /// every (r spread / phases)-th row. Channels fill the columns up to the next point. The rows up to the next point
  /// hold m maps of the batch and g groups of s cell channels, powers of two with m g <= r spread / phases:
  ///     [y | batch % m | c / (s cell) % g | x | c % (s cell)].
  /// Where there are p = phases / (r spread) > 1 of them, row y lies in ciphertext y % p, in row y / p of the grid: a
  /// window with a stride of p then reads whole ciphertexts, each in place.
  /// g is 1, or with `channels` as large as one map's channels take; m is at most `maps` and as large as the batch
  /// takes. What does not fit lies across, first the batch, then channels, then rows. cell is a power of two,
  /// and s divides pitch. Rows go on to the last slot. Columns and rows that the shape does not reach are guards:
  /// where they hold zeros, a window that leaves the map reads zeros. The weights of a linear map repeat with its
  /// channels where the rows between hold none, and the same maps of the batch on both sides.
  static Layout guarded(const Shape& shape, Index pitch, Index cell, Gaps gaps, GapRows rows, Index slots);

  const Shape& shape() const { return shape_; }
  const std::vector<Digit>& across() const { return across_; }
  const std::vector<Digit>& within() const { return within_; }
  const std::vector<Fill>& fill() const { return fill_; }
  Index slots() const { return slots_; }
  /// Distinct ciphertexts: replicas across cost no storage.
  Index ciphertexts() const { return ciphertexts_; }
  /// Smallest p such that the slots repeat with period p (the leading replica digits stripped).
  Index period() const { return period_; }

  /// Whether every element lies where it does in the other layout, whatever the positions out of range hold.
  bool same_places(const Layout& other) const {
    return shape_ == other.shape_ && across_ == other.across_ && within_ == other.within_;
  }
  /// Whether some dimension's out-of-range positions hold this.
  bool has_fill(Fill fill) const { return std::find(fill_.begin(), fill_.end(), fill) != fill_.end(); }
  /// Whether some dimension with this fill has positions out of range.
  bool has_padding(Fill fill) const;
  /// The same places, with the same fill in all dimensions.
  Layout filled(Fill fill) const { return {shape_, across_, within_, std::vector<Fill>(shape_.size(), fill)}; }

  /// What the slots of a ciphertext hold, one period of them: elements, or out of range, zeros where all dimensions
  /// that are exceeded hold zeros, and unknown numbers elsewhere.
  enum class Content : std::uint8_t { element, zero, unknown };
  std::vector<Content> contents(Index ciphertext) const;

  /// The element at a position, or nothing where the position is out of range (padding).
  std::optional<Index> element_at(Index ciphertext, Index slot) const;
  /// One position of an element: the copy whose replica digits are all zero.
  Position position_of(Index element) const;
  /// position_of every element, in less time than one by one.
  std::vector<Position> positions() const;
  /// Slots from position_of to every copy of an element, in rising order from 0: the same for all elements.
  std::vector<Index> copies() const;
  /// Slots from position_of an element to that copy whose replica digits are those of slot `near`: the copy from which
  /// others that are laid out alike are equally far.
  Index copy_at(Index near) const;
  /// Those below the period.
  std::vector<Index> copies_in_period() const;
  /// Calls sink for every copy of the element.
  void for_each_position(Index element, const std::function<void(Position)>& sink) const;

  /// Tensor (row-major) to slot vectors, one per ciphertext, replicas filled, padding zero.
  std::vector<std::vector<double>> pack(std::span<const double> tensor) const;
  /// Slot vectors to tensor, reading the copy with zero replica digits.
  std::vector<double> unpack(std::span<const std::vector<double>> slots) const;

  /// Our notation; parses back to an equal layout.
  std::string to_string() const;
  static Layout parse(std::string_view text);
  bool operator==(const Layout&) const = default;

 private:
  /// Of digits within whose extents multiply to slots_, which is no power of two.
  Index cut_slots() const;

  Shape shape_;
  std::vector<Digit> across_, within_;
  std::vector<Fill> fill_;
  Index slots_ = 0, ciphertexts_ = 0, period_ = 0;
};

}  // namespace tacit::layout
