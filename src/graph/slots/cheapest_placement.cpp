#include "graph/slots/cheapest_placement.h"

#include <algorithm>
#include <cmath>
#include <ranges>
#include <utility>

namespace tacit::graph::passes {
namespace {

// Smaller gains are within the error of prices.
constexpr double kLeastGain = 0.01;

}  // namespace

std::set<ValueId> worth_refreshing_early(const BootstrapPlacer& placer, const PlacementPrice& price) {
  std::set<ValueId> early;
  base::Feasible<BootstrapPlacement> latest = placer.place();
  if (!latest) return early;
  BootstrapPlacement placement = *std::move(latest);
  const auto could_be_early = [&](ValueId id) { return placer.can_be_refreshed(id) && !placement.refreshed[id]; };
  const auto ids = std::views::iota(ValueId{0}, static_cast<ValueId>(placement.refreshed.size()));
  if (std::ranges::none_of(ids, could_be_early)) return early;
  double seconds = price(placement);
  while (true) {
    std::set<ValueId> best;
    BootstrapPlacement cheapest;
    double least = INFINITY;
    for (const ValueId id : ids) {
      std::set<ValueId> tried = early;
      if (tried.erase(id) == 0) {
        if (!could_be_early(id)) continue;
        tried.insert(id);
      }
      const base::Feasible<BootstrapPlacement> other = placer.place(tried);
      if (!other) continue;
      if (const double sum = price(*other); sum < least) {
        least = sum;
        best = std::move(tried);
        cheapest = *other;
      }
    }
    if (!(least < (1 - kLeastGain) * seconds)) return early;
    seconds = least;
    early = std::move(best);
    placement = std::move(cheapest);
  }
}

}  // namespace tacit::graph::passes
