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

LinearParts<double> seconds(const LinearParts<Work>& work, const CostTable& table) {
  return {.decompose = seconds(work.decompose, table),
          .baby = seconds(work.baby, table),
          .giant = seconds(work.giant, table),
          .product = seconds(work.product, table),
          .repeated = seconds(work.repeated, table),
          .fold = seconds(work.fold, table),
          .finish = seconds(work.finish, table)};
}

}  // namespace tacit::params
