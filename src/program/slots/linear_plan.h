#pragma once

#include <vector>

#include "layout/diagonals.h"
#include "params/linear_parts.h"
#include "params/schedule.h"

namespace tacit::slots {

using params::LinearCounts;
/// Prices in seconds.
using LinearPrices = params::LinearParts<double>;

/// Returns the counts of a schedule for a map between arrays of ciphertexts.
LinearCounts count(const params::LinearSchedule& schedule, const layout::DiagonalCount& diagonals, std::int64_t inputs,
                   std::int64_t outputs);

/// The ways of splitting the diagonals of a map into baby and giant steps, counted once and priced often. A split uses
/// bit fields of d + offset: the giant steps take the bits between two places, or all others. The offset cuts windows
/// at their widest gap, which suits windows over maps as well as dense matrices. A step's diagonal equals one of the
/// set's modulo its modulus, not always as a number: layout::weights_of finds its weights.
class LinearSplits {
 public:
  LinearSplits(layout::DiagonalSet set, std::int64_t inputs, std::int64_t outputs);

  params::LinearSchedule cheapest(const LinearPrices& prices) const;
  layout::DiagonalCount count() const { return set_.count; }
  /// Returns the seconds of the cheapest schedule.
  double seconds(const LinearPrices& prices) const;

 private:
  struct Split {
    layout::Index offset = 0,
                  mask = 0;  // giant steps take the bits of d + offset that are in the mask, baby steps the rest
    std::int64_t babies = 0, giants = 0;
  };
  class Counter;
  /// Return the periods with which baby and giant steps repeat.
  layout::Index baby_period() const { return set_.folds.empty() ? set_.modulus : set_.period; }
  layout::Index giant_period() const { return set_.folds.empty() ? set_.period : set_.modulus; }
  params::DiagonalStep step(layout::Index diagonal, const Split& split) const;
  const Split& best(const LinearPrices& prices) const;

  layout::DiagonalSet set_;  // without its diagonals
  std::vector<layout::Index> diagonals_;
  std::int64_t inputs_, outputs_;
  std::vector<Split> splits_;
};

/// Returns the cheapest schedule of LinearSplits.
params::LinearSchedule plan_linear(const layout::DiagonalSet& set, const LinearPrices& prices, std::int64_t inputs,
                                   std::int64_t outputs);

}  // namespace tacit::slots
