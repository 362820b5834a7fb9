#include "layout/placement.h"

#include <algorithm>

namespace tacit::layout {
namespace {

/// Part `part` of `whole` things in so many parts, where there are at least as many things as parts.
Interval stretch(Index part, Index parts, Index whole) { return {part * whole / parts, (part + 1) * whole / parts}; }

/// The part that a thing lies in: the last one that begins at it or before.
Interval part_of(Index thing, Index parts, Index whole) {
  const Index part = (parts * (thing + 1) - 1) / whole;
  return {part, part + 1};
}

}  // namespace

Interval Placement::ranks_of(Index block, Index blocks) const {
  return blocks <= ranks_ ? stretch(block, blocks, ranks_) : part_of(block, ranks_, blocks);
}

Interval Placement::blocks_of(Index rank, Index blocks) const {
  if (blocks == 0) return {};
  return blocks <= ranks_ ? part_of(rank, blocks, ranks_) : stretch(rank, ranks_, blocks);
}

std::vector<std::vector<Index>> needs_of_units(const Placement& placement, Index units, Index each, Index members) {
  std::vector<std::vector<Index>> needs(static_cast<std::size_t>(placement.ranks()));
  for (Index rank = 0; rank < placement.ranks(); ++rank) {
    const Interval share = placement.blocks_of(rank, units);
    for (Index i = share.begin * each; i < std::min(share.end * each, members); ++i)
      needs[static_cast<std::size_t>(rank)].push_back(i);
  }
  return needs;
}

std::vector<std::vector<Index>> needs_of_units(const Placement& placement,
                                               const std::vector<std::vector<Index>>& inputs) {
  std::vector<std::vector<Index>> needs(static_cast<std::size_t>(placement.ranks()));
  for (Index rank = 0; rank < placement.ranks(); ++rank) {
    std::vector<Index>& read = needs[static_cast<std::size_t>(rank)];
    const Interval share = placement.blocks_of(rank, static_cast<Index>(inputs.size()));
    for (Index u = share.begin; u < share.end; ++u) {
      const std::vector<Index>& more = inputs[static_cast<std::size_t>(u)];
      read.insert(read.end(), more.begin(), more.end());
    }
    std::ranges::sort(read);
    read.erase(std::ranges::unique(read).begin(), read.end());
  }
  return needs;
}

std::vector<Transfer> transfers(const std::vector<Interval>& holders, const std::vector<std::vector<Index>>& needs) {
  std::vector<Transfer> moved;
  for (Index to = 0; to < static_cast<Index>(needs.size()); ++to)
    for (const Index member : needs[static_cast<std::size_t>(to)]) {
      const Interval& held = holders.at(static_cast<std::size_t>(member));
      if (!held.contains(to)) moved.push_back({member, held.begin + to % held.size(), to});
    }
  return moved;
}

}  // namespace tacit::layout
