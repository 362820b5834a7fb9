#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "layout/layout.h"

namespace tacit::layout {

/// Holds the positions of all elements of a layout once for all callers, because the maps of a network share a few
/// layouts. Thread safe.
class KnownPositions {
 public:
  using Positions = std::shared_ptr<const std::vector<Position>>;

  Positions of(const Layout& layout) {
    const std::lock_guard lock(mutex_);
    for (const auto& [known, positions] : known_)
      if (known == layout) return positions;
    return known_.emplace_back(layout, std::make_shared<const std::vector<Position>>(layout.positions())).second;
  }

 private:
  std::mutex mutex_;
  std::vector<std::pair<Layout, Positions>> known_;
};

}  // namespace tacit::layout
