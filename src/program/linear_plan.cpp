#include "program/linear_plan.h"

#include <algorithm>
#include <bit>
#include <set>

namespace tacit::program {
namespace {

std::int64_t modulo(std::int64_t a, std::int64_t m) { return ((a % m) + m) % m; }

/// Babies take the bits of d + offset that are in `mask`; the offset goes back to the babies.
struct Split {
  std::int64_t offset = 0;
  std::int64_t mask = 0;
  std::int64_t giant(std::int64_t diagonal) const { return (diagonal + offset) & ~mask; }
  std::int64_t baby(std::int64_t diagonal) const { return diagonal - giant(diagonal); }
};

std::int64_t distinct_nonzero(std::vector<std::int64_t>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return static_cast<std::int64_t>(values.size()) - (std::binary_search(values.begin(), values.end(), 0) ? 1 : 0);
}

std::vector<Split> splits(std::int64_t modulus) {
  const int bits = std::countr_zero(static_cast<std::uint64_t>(modulus));
  std::vector<Split> all;
  for (int low = 0; low <= bits; ++low)
    for (int high = low; high <= bits; ++high) {
      const std::int64_t middle = (std::int64_t{1} << high) - (std::int64_t{1} << low);
      const std::int64_t half_low = low > 0 ? std::int64_t{1} << (low - 1) : 0;
      const std::int64_t half_high = high > 0 ? std::int64_t{1} << (high - 1) : 0;
      for (const std::int64_t offset : {std::int64_t{0}, half_low, half_low + half_high}) all.push_back({offset, ~middle});
      if (high == bits) all.push_back({half_low, (std::int64_t{1} << low) - 1});
    }
  return all;
}

}  // namespace

LinearCounts count(const params::LinearSchedule& schedule, const layout::DiagonalSet& set, std::int64_t inputs,
                   std::int64_t outputs) {
  std::vector<std::int64_t> babies, giants;
  for (const params::DiagonalStep& step : schedule.steps) {
    babies.push_back(step.baby);
    giants.push_back(step.giant);
  }
  LinearCounts counts;
  counts.babies = distinct_nonzero(babies);
  counts.giants = distinct_nonzero(giants);
  counts.products = set.products;
  counts.folds = static_cast<std::int64_t>(schedule.folds.size());
  counts.inputs = inputs;
  counts.outputs = outputs;
  return counts;
}

double seconds(const LinearCounts& counts, const LinearPrices& prices) {
  const auto inputs = static_cast<double>(counts.inputs), outputs = static_cast<double>(counts.outputs);
  return (counts.babies > 0 ? inputs * prices.decompose : 0) + inputs * static_cast<double>(counts.babies) * prices.baby +
         outputs * static_cast<double>(counts.giants) * prices.giant +
         static_cast<double>(counts.products) * prices.product +
         outputs * static_cast<double>(counts.folds) * prices.fold + outputs * prices.finish;
}

params::LinearSchedule plan_linear(const layout::DiagonalSet& set, const LinearPrices& prices, std::int64_t inputs,
                                   std::int64_t outputs) {
  Split best;
  double best_price = -1;
  std::vector<std::int64_t> babies, giants;
  for (const Split& split : splits(set.modulus)) {
    babies.clear();
    giants.clear();
    for (const layout::Index diagonal : set.diagonals) {
      babies.push_back(modulo(split.baby(diagonal), set.slots));
      giants.push_back(modulo(split.giant(diagonal), set.slots));
    }
    LinearCounts counts;
    counts.babies = distinct_nonzero(babies);
    counts.giants = distinct_nonzero(giants);
    counts.inputs = inputs;
    counts.outputs = outputs;
    const double price = seconds(counts, prices);
    if (best_price >= 0 && price >= best_price) continue;
    best_price = price;
    best = split;
  }
  params::LinearSchedule schedule;
  for (const layout::Index diagonal : set.diagonals)
    schedule.steps.push_back(
        {diagonal, modulo(best.baby(diagonal), set.slots), modulo(best.giant(diagonal), set.slots)});
  schedule.folds.assign(set.folds.begin(), set.folds.end());
  return schedule;
}

}  // namespace tacit::program
