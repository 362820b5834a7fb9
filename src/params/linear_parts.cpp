#include "params/linear_parts.h"

#include <set>

namespace tacit::params {

LinearCounts count(std::span<const DiagonalStep> steps) {
  std::set<std::int64_t> babies, giants;
  for (const DiagonalStep& step : steps) {
    if (step.baby != 0) babies.insert(step.baby);
    if (step.giant != 0) giants.insert(step.giant);
  }
  LinearCounts counts;
  counts.babies = static_cast<std::int64_t>(babies.size());
  counts.giants = static_cast<std::int64_t>(giants.size());
  counts.products = static_cast<std::int64_t>(steps.size());
  return counts;
}

}  // namespace tacit::params
