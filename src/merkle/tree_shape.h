#pragma once

#include <cstdint>
#include <vector>

namespace tacit::merkle {

/// The places of the nodes of a tree of N leaves. Slot 0 of the node array is unused, slot 1 holds the root, and slots
/// 2i and 2i + 1 hold the children of slot i. Leaves have a separate array.
///
/// The node at height h (leaves: 0) and position p is in slot 2^(depth - h) + p. It covers the existing leaves of [p
/// 2^h, (p + 1) 2^h). If N is not a power of two, levels are partial. A node without a right sibling is moved up
/// unchanged, never paired with a copy of itself. The tree is thus that of RFC 6962 (section 2.1). For a power of two
/// the array has N slots.
class TreeShape {
 public:
  /// Throws InputError without leaves or with more than 2^48.
  explicit TreeShape(std::uint64_t leaves);

  std::uint64_t leaves() const { return leaves_; }
  /// Returns ceil(log2 N).
  unsigned depth() const { return depth_; }
  /// Returns the number of nodes at a height: ceil(N / 2^height).
  std::uint64_t nodes_at(unsigned height) const {
    return (leaves_ >> height) + ((leaves_ & ((std::uint64_t{1} << height) - 1)) != 0 ? 1 : 0);
  }
  /// Returns the slot of the first node at a height above 0.
  std::uint64_t first_slot(unsigned height) const { return std::uint64_t{1} << (depth_ - height); }
  /// Returns the number of slots of the node array: N for a power of two above 1.
  std::uint64_t slots() const { return depth_ == 0 ? 1 : first_slot(1) + nodes_at(1); }

 private:
  std::uint64_t leaves_;
  unsigned depth_;
};

inline constexpr std::uint64_t kMostLeaves = std::uint64_t{1} << 48;

/// The ways to build a tree. Approach 1 makes one dispatch per level. In approach 2, after the first level, every
/// work-group of B items finishes log2 B + 1 levels before the next dispatch.
enum class Approach { level_by_level = 1, work_groups = 2 };

/// One kernel start. `items` work-items write the nodes at `height`. Groups of `group` items then continue to the
/// `levels` - 1 heights above.
struct Dispatch {
  unsigned height = 1, levels = 1;
  std::uint64_t items = 0;
  std::uint64_t group = 1;
  bool operator==(const Dispatch&) const = default;
};

/// Returns the dispatches that build a tree. `group` is B, a power of two. Groups of a dispatch with fewer items shrink
/// to the next power of two. A single leaf needs no dispatch. Throws InputError unless `group` is a power of two up to
/// 2^16.
std::vector<Dispatch> plan_dispatches(const TreeShape& shape, Approach approach, std::uint64_t group);

/// Returns the rounds by the published formula of approach 2. It counts surplus dispatches that compute the root again:
/// only 1 + ceil((log2 N - 1) / (log2 B + 1)) are needed. Both numbers must be powers of two with 2 <= 4 B <= N;
/// otherwise the function throws InputError.
unsigned published_rounds(std::uint64_t leaves, std::uint64_t group);

}  // namespace tacit::merkle
