#include "merkle/tree_shape.h"

#include <algorithm>
#include <bit>

#include "base/error.h"

namespace tacit::merkle {

TreeShape::TreeShape(std::uint64_t leaves) : leaves_(leaves), depth_(0) {
  if (leaves == 0) throw base::InputError("a Merkle tree needs at least one leaf");
  if (leaves > kMostLeaves) base::refuse("{} leaves; a tree has at most 2^48", leaves);
  depth_ = static_cast<unsigned>(std::bit_width(leaves - 1));
}

namespace {

void require_group(std::uint64_t group) {
  if (!std::has_single_bit(group) || group > 1 << 16)
    base::refuse("work-group size {}: give a power of two from 1 to 65536", group);
}

unsigned log2_of(std::uint64_t power) { return static_cast<unsigned>(std::countr_zero(power)); }

}  // namespace

std::vector<Dispatch> plan_dispatches(const TreeShape& shape, Approach approach, std::uint64_t group) {
  require_group(group);
  std::vector<Dispatch> plan;
  for (unsigned height = 1; height <= shape.depth();) {
    Dispatch next{height, 1, shape.nodes_at(height), 1};
    next.group = std::min(group, std::bit_ceil(next.items));
    if (approach == Approach::work_groups && height > 1) next.levels = log2_of(next.group) + 1;
    next.levels = std::min(next.levels, shape.depth() - height + 1);
    plan.push_back(next);
    height += next.levels;
  }
  return plan;
}

unsigned published_rounds(std::uint64_t leaves, std::uint64_t group) {
  require_group(group);
  if (!std::has_single_bit(leaves) || leaves / 4 < group)
    base::refuse("the published formula holds for powers of two of at least 4 B leaves, not {} with B = {}", leaves,
                 group);
  if (leaves / 4 == group) return 2;
  const unsigned quotient = log2_of(leaves / 4) - log2_of(group);
  return leaves / 8 == group ? quotient + 2 : quotient + 1;
}

}  // namespace tacit::merkle
