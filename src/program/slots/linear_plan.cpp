#include "program/slots/linear_plan.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "program/slots/number_set.h"

namespace tacit::slots {
namespace {

using layout::DiagonalSet;
using layout::Index;

/// The representative of a rotation modulo a period that lies nearest to 0, as a rotation to the left by 0 to slots -
/// 1: layers with different periods then share the keys of small rotations in both directions.
Index nearest(Index rotation, Index period, Index slots) {
  const Index low = rotation & (period - 1);
  return (low > period / 2 ? low - period : low) & (slots - 1);
}

}  // namespace

LinearCounts count(const params::LinearSchedule& schedule, const layout::DiagonalCount& diagonals, std::int64_t inputs,
                   std::int64_t outputs) {
  LinearCounts counts = params::count(schedule.steps);
  counts.products = diagonals.products;
  counts.folds = static_cast<std::int64_t>(schedule.folds.size());
  counts.inputs = inputs;
  counts.outputs = outputs;
  counts.density = diagonals.density;
  return counts;
}

/// Finds the splits of a set and counts their steps. A step's number is some digits of d + offset, so that steps are
/// counted by leaving the other digits out of all d at once.
class LinearSplits::Counter {
 public:
  explicit Counter(const LinearSplits& splits)
      : digits_(std::countr_zero(static_cast<std::uint64_t>(splits.set_.modulus))),
        wide_babies_(splits.baby_period() > splits.set_.modulus),
        wide_giants_(splits.giant_period() > splits.set_.modulus),
        diagonals_(digits_) {
    for (const Index diagonal : splits.diagonals_) diagonals_.insert(diagonal);
  }

  std::vector<Split> run() {
    std::vector<Split> all{{0, 0, diagonals_.size() - (diagonals_.contains(0) ? 1 : 0), 0}};
    for (int low = 0; low < digits_; ++low) {
      const Index low_cut = cut(0, low, 0);
      for (int high = low + 1; high <= digits_; ++high) {
        const Index both_cut = low_cut + cut(low, high, low_cut);
        std::vector<Index> offsets{0, low_cut, both_cut};
        offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
        for (const Index offset : offsets) add_splits(low, high, offset, all);
      }
    }
    return all;
  }

 private:
  // The two splits of a field [low, high) of digits: giant steps take the field, or the rest. With d + offset = s, a
  // step by the field is s's field, or that less the offset; and so for the rest. A period above the modulus tells
  // apart the numbers that the offset moved beyond the modulus. Only steps that are not 0 count.
  void add_splits(int low, int high, Index offset, std::vector<Split>& all) {
    const Index field = (Index{1} << high) - (Index{1} << low);
    const auto counted = [](const NumberSet& steps, bool has_zero) { return steps.size() - (has_zero ? 1 : 0); };
    const auto has_rest = [&](const NumberSet& rest, Index of) {
      return (of & field) == 0 && rest.contains((of >> high << low) | (of & ((Index{1} << low) - 1)));
    };
    const NumberSet& fields = fields_of(low, high, offset);
    const bool has_offset = (offset & ~field) == 0 && fields.contains(offset >> low);
    Split by_field{offset, field}, by_rest{offset, ~field};
    by_field.giants = counted(fields, fields.contains(0));
    by_rest.babies = counted(fields, has_offset);
    rest_.assign_sums(diagonals_, offset);
    rest_.leave_out(low, high);
    if (wide_babies_) by_field.babies = counted(rest_, has_rest(rest_, offset));
    if (wide_giants_) by_rest.giants = counted(rest_, rest_.contains(0));
    if (!wide_babies_ || !wide_giants_) {
      rest_.leave_out(rest_.digits() - 1);
      if (!wide_babies_) by_field.babies = counted(rest_, has_rest(rest_, offset));
      if (!wide_giants_) by_rest.giants = counted(rest_, rest_.contains(0));
    }
    all.push_back(by_field);
    all.push_back(by_rest);
  }

  // The fields [low, high) of the digits of d + offset, until the next call.
  const NumberSet& fields_of(int low, int high, Index offset) {
    fields_.assign_sums(diagonals_, offset);
    fields_.leave_out(high, digits_ + 1);
    fields_.leave_out(0, low);
    return fields_;
  }

  // The offset that moves the largest gap between the set's residues modulo 2^high, seen in units of 2^low, to the
  // wrap-around, so that a window that straddles 0 is not torn.
  Index cut(int low, int high, Index offset) {
    const Index units = Index{1} << (high - low);
    const std::vector<Index> residues = fields_of(low, high, offset).numbers();
    Index start = 0, widest = -1;
    for (std::size_t i = 0; i < residues.size(); ++i) {
      const Index before = i == 0 ? residues.back() - units : residues[i - 1];
      if (residues[i] - before > widest) {
        widest = residues[i] - before;
        start = residues[i];
      }
    }
    return ((units - start) & (units - 1)) << low;
  }

  int digits_;
  bool wide_babies_, wide_giants_;  // steps repeat with more than the modulus
  NumberSet diagonals_;
  NumberSet fields_{0}, rest_{0};  // made again for every question
};

LinearSplits::LinearSplits(DiagonalSet set, std::int64_t inputs, std::int64_t outputs)
    : set_(std::move(set)),
      diagonals_(set_.diagonals.begin(), set_.diagonals.end()),
      inputs_(inputs),
      outputs_(outputs) {
  set_.diagonals.clear();  // a list of them takes a sixth of the memory, and splits of every map are kept
  splits_ = Counter(*this).run();
}

// Only baby + giant modulo the set's modulus counts, so that each is reduced on its own: a baby step rotates the input,
// which repeats with its period; a giant step rotates a sum whose period is the set's, or which is about to be folded.
params::DiagonalStep LinearSplits::step(Index diagonal, const Split& split) const {
  const Index raw = (diagonal + split.offset) & split.mask;
  const Index giant = nearest(raw, giant_period(), set_.slots);
  const Index baby = nearest(diagonal - raw, baby_period(), set_.slots);
  return {(baby + giant) & (set_.slots - 1), baby, giant};
}

const LinearSplits::Split& LinearSplits::best(const LinearPrices& prices) const {
  const auto rotations = [&](const Split& split) {
    return params::total(LinearCounts{split.babies, split.giants, 0, 0, inputs_, outputs_}, prices);
  };
  return *std::min_element(splits_.begin(), splits_.end(),
                           [&](const Split& a, const Split& b) { return rotations(a) < rotations(b); });
}

double LinearSplits::seconds(const LinearPrices& prices) const {
  const Split& split = best(prices);
  return params::total(
      LinearCounts{split.babies, split.giants, set_.count.products, static_cast<std::int64_t>(set_.folds.size()),
                   inputs_, outputs_, set_.count.density},
      prices);
}

params::LinearSchedule LinearSplits::cheapest(const LinearPrices& prices) const {
  const Split& split = best(prices);
  params::LinearSchedule schedule;
  for (const Index diagonal : diagonals_) schedule.steps.push_back(step(diagonal, split));
  schedule.folds.assign(set_.folds.begin(), set_.folds.end());
  return schedule;
}

params::LinearSchedule plan_linear(const DiagonalSet& set, const LinearPrices& prices, std::int64_t inputs,
                                   std::int64_t outputs) {
  return LinearSplits(set, inputs, outputs).cheapest(prices);
}

}  // namespace tacit::slots
