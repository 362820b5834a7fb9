#pragma once

#include <cstdint>
#include <vector>

namespace tacit::merkle {

/// Where the nodes of a tree of N leaves lie. Nodes stand in slots of one array, slot 0 unused, the root in slot 1, the
/// children of slot i in 2i and 2i + 1. The node at height h (leaves: 0) and position p stands in slot 2^(depth - h) +
/// p and covers the leaves [p 2^h, (p + 1) 2^h) that exist; leaves lie in an array of their own. Where N is no power of
/// two, levels are partial: a node without a right sibling is moved up as it is, never paired with a copy of itself, so
/// the tree is that of RFC 6962 (section 2.1). For a power of two the array has N slots.
class TreeShape {
 public:
  /// Throws InputError for no leaves or more than 2^48.
  explicit TreeShape(std::uint64_t leaves);

  std::uint64_t leaves() const { return leaves_; }
  /// ceil(log2 N).
  unsigned depth() const { return depth_; }
  /// Nodes at a height: ceil(N / 2^height).
  std::uint64_t nodes_at(unsigned height) const {
    return (leaves_ >> height) + ((leaves_ & ((std::uint64_t{1} << height) - 1)) != 0 ? 1 : 0);
  }
  /// The slot of the first node at a height above 0.
  std::uint64_t first_slot(unsigned height) const { return std::uint64_t{1} << (depth_ - height); }
  /// Slots of the node array: N for a power of two above 1.
  std::uint64_t slots() const { return depth_ == 0 ? 1 : first_slot(1) + nodes_at(1); }

 private:
  std::uint64_t leaves_;
  unsigned depth_;
};

inline constexpr std::uint64_t kMostLeaves = std::uint64_t{1} << 48;

/// How a tree is built. Approach 1: one dispatch a level. Approach 2: after the first level, every work-group of B
/// items finishes log2 B + 1 levels before the next dispatch.
enum class Approach { level_by_level = 1, work_groups = 2 };

/// One kernel start: `items` work-items write the nodes at `height`; groups of `group` items then go on to the `levels`
/// - 1 heights above.
struct Dispatch {
  unsigned height = 1, levels = 1;
  std::uint64_t items = 0;
  std::uint64_t group = 1;
  bool operator==(const Dispatch&) const = default;
};

/// The dispatches that build a tree. `group` is B, a power of two; groups of a dispatch with fewer items shrink to the
/// next power of two. A single leaf needs none. Throws InputError for a group size that is no power of two up to 2^16.
std::vector<Dispatch> plan_dispatches(const TreeShape& shape, Approach approach, std::uint64_t group);

/// Rounds by the published formula of approach 2, which counts surplus dispatches that compute the root again:
/// 1 + ceil((log2 N - 1) / (log2 B + 1)) are needed. Both numbers are powers of two with 2 <= 4 B <= N; else
/// InputError.
unsigned published_rounds(std::uint64_t leaves, std::uint64_t group);

}  // namespace tacit::merkle
