#include "program/slots/linear_plan.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/parallel.h"

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

/// Finds the splits of a set and counts their steps.
class LinearSplits::Counter {
 public:
  explicit Counter(const LinearSplits& splits)
      : splits_(splits),
        modulus_(splits.set_.modulus),
        diagonals_(splits.set_.diagonals.begin(), splits.set_.diagonals.end()) {}

  std::vector<Split> run() const {
    const int bits = std::countr_zero(static_cast<std::uint64_t>(modulus_));
    std::vector<Split> all{{0, 0}};
    for (int low = 0; low < bits; ++low) {
      const Index low_cut = cut(0, low, 0);
      for (int high = low + 1; high <= bits; ++high) {
        const Index middle = (Index{1} << high) - (Index{1} << low);
        const Index both_cut = low_cut + cut(low, high, low_cut);
        std::vector<Index> offsets{0, low_cut, both_cut};
        offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
        for (const Index offset : offsets) {
          all.push_back({offset, middle});
          all.push_back({offset, ~middle});
        }
      }
    }
    const auto parts = static_cast<std::size_t>(base::thread_limit());
    base::parallel_for(0, parts, [&](std::size_t part) {
      Seen babies(splits_.set_.slots), giants(splits_.set_.slots);
      for (std::size_t i = part; i < all.size(); i += parts) count(all[i], babies, giants);
    });
    return all;
  }

 private:
  /// Which of the rotations were seen since the last `begin`.
  class Seen {
   public:
    explicit Seen(Index slots) : stamps_(static_cast<std::size_t>(slots)) {}
    void begin() { ++stamp_; }
    int first(Index rotation) {
      std::uint32_t& stamp = stamps_[static_cast<std::size_t>(rotation)];
      if (rotation == 0 || stamp == stamp_) return 0;
      stamp = stamp_;
      return 1;
    }

   private:
    std::vector<std::uint32_t> stamps_;
    std::uint32_t stamp_ = 0;
  };

  // Distinct non-zero steps, each counted by its remainder modulo the period that it is reduced by.
  void count(Split& split, Seen& babies, Seen& giants) const {
    const Index baby_mask = splits_.baby_period() - 1, giant_mask = splits_.giant_period() - 1;
    babies.begin();
    giants.begin();
    for (const Index diagonal : diagonals_) {
      const Index raw = (diagonal + split.offset) & split.mask;
      split.babies += babies.first((diagonal - raw) & baby_mask);
      split.giants += giants.first(raw & giant_mask);
    }
  }

  // The offset that moves the largest gap between the set's residues modulo 2^high, seen in units of 2^low, to the
  // wrap-around, so that a window that straddles 0 is not torn.
  Index cut(int low, int high, Index offset) const {
    const Index units = Index{1} << (high - low);
    const std::vector<Index> residues = residues_of(low, units, offset);
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

  // In rising order, each once.
  std::vector<Index> residues_of(int low, Index units, Index offset) const {
    std::vector<Index> residues;
    if (units > kManyUnits * static_cast<Index>(diagonals_.size())) {
      for (const Index diagonal : diagonals_) residues.push_back(((diagonal + offset) >> low) & (units - 1));
      std::sort(residues.begin(), residues.end());
      residues.erase(std::unique(residues.begin(), residues.end()), residues.end());
      return residues;
    }
    std::vector<char> present(static_cast<std::size_t>(units));
    for (const Index diagonal : diagonals_)
      present[static_cast<std::size_t>(((diagonal + offset) >> low) & (units - 1))] = 1;
    for (Index unit = 0; unit < units; ++unit)
      if (present[static_cast<std::size_t>(unit)] != 0) residues.push_back(unit);
    return residues;
  }

  /// Above so many a diagonal, sorting takes less than looking at every unit.
  static constexpr Index kManyUnits = 8;
  const LinearSplits& splits_;
  Index modulus_;
  std::vector<Index> diagonals_;
};

LinearSplits::LinearSplits(DiagonalSet set, std::int64_t inputs, std::int64_t outputs)
    : set_(std::move(set)), inputs_(inputs), outputs_(outputs) {
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
  for (const Index diagonal : set_.diagonals) schedule.steps.push_back(step(diagonal, split));
  schedule.folds.assign(set_.folds.begin(), set_.folds.end());
  return schedule;
}

params::LinearSchedule plan_linear(const DiagonalSet& set, const LinearPrices& prices, std::int64_t inputs,
                                   std::int64_t outputs) {
  return LinearSplits(set, inputs, outputs).cheapest(prices);
}

}  // namespace tacit::slots
