#include "program/integers/rank_needs.h"

#include <algorithm>
#include <cstddef>

namespace tacit::integers {

using layout::Index;
using layout::Interval;

std::vector<std::vector<Index>> needs_of_rows(const layout::Placement& placement, const WeightRows& weights) {
  std::vector<std::vector<Index>> needs(static_cast<std::size_t>(placement.ranks()));
  for (Index rank = 0; rank < placement.ranks(); ++rank) {
    std::vector<Index>& read = needs[static_cast<std::size_t>(rank)];
    const Interval rows = placement.blocks_of(rank, static_cast<Index>(weights.rows()));
    for (Index r = rows.begin; r < rows.end; ++r) {
      const auto columns = weights.row(static_cast<std::size_t>(r)).columns;
      read.insert(read.end(), columns.begin(), columns.end());
    }
    std::ranges::sort(read);
    read.erase(std::ranges::unique(read).begin(), read.end());
  }
  return needs;
}

std::vector<std::vector<Index>> needs_of_bootstraps(const layout::Placement& placement, const Bootstraps& bootstraps) {
  std::vector<std::vector<Index>> needs(static_cast<std::size_t>(placement.ranks()));
  for (Index rank = 0; rank < placement.ranks(); ++rank) {
    std::vector<Index>& read = needs[static_cast<std::size_t>(rank)];
    const Interval own = placement.blocks_of(rank, static_cast<Index>(bootstraps.count()));
    for (Index i = own.begin; i < own.end; ++i)  // arguments are in order
      if (const Index argument = bootstraps.arguments[static_cast<std::size_t>(i)];
          read.empty() || read.back() != argument)
        read.push_back(argument);
  }
  return needs;
}

}  // namespace tacit::integers
