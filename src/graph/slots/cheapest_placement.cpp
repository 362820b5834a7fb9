#include "graph/slots/cheapest_placement.h"

#include <cmath>
#include <utility>

namespace tacit::graph::passes {
namespace {

// Smaller gains are within what prices are off by.
constexpr double kLeastGain = 0.01;

}  // namespace

std::set<ValueId> worth_refreshing_early(const BootstrapPlacer& placer, const PlacementPrice& price) {
  std::set<ValueId> early;
  Placement placement = placer.place();
  double seconds = price(placement);
  while (true) {
    std::set<ValueId> best;
    double least = INFINITY;
    for (ValueId id = 0; id < placement.refreshed.size(); ++id) {
      std::set<ValueId> tried = early;
      if (tried.erase(id) == 0) {
        if (!placer.can_be_refreshed(id) || placement.refreshed[id]) continue;
        tried.insert(id);
      }
      if (const double sum = price(placer.place(tried)); sum < least) {
        least = sum;
        best = std::move(tried);
      }
    }
    if (!(least < (1 - kLeastGain) * seconds)) return early;
    seconds = least;
    early = std::move(best);
    placement = placer.place(early);
  }
}

}  // namespace tacit::graph::passes
