#include "program/slots/linear_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "layout/random_layout_for_test.h"
#include "layout/sparse_rows.h"

namespace tacit::slots {
namespace {

using layout::Index;
using Slots = std::vector<double>;

Slots rotated(const Slots& x, Index steps) {
  Slots result(x.size());
  for (std::size_t s = 0; s < x.size(); ++s) result[s] = x[(s + static_cast<std::size_t>(steps)) % x.size()];
  return result;
}

void add_to(Slots& sum, const Slots& more) {
  for (std::size_t s = 0; s < sum.size(); ++s) sum[s] += more[s];
}

/// What `scheme` does with a schedule: sum over g of rotate(sum over b of diagonal * rotate(x, b), g), every diagonal
/// moved back by its giant step; then the folds.
Slots carry_out(const params::LinearSchedule& schedule, const layout::Diagonals& made, std::size_t output,
                const std::vector<Slots>& inputs) {
  const auto slots = static_cast<std::size_t>(made.set.slots);
  std::map<Index, Slots> by_giant;
  for (const params::DiagonalStep& step : schedule.steps)
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Slots weights = layout::weights_of(made.set, made.blocks[output][i], step.diagonal);
      if (weights.empty()) continue;
      const Slots x = rotated(inputs[i], step.baby);
      Slots& sum = by_giant[step.giant];
      sum.resize(slots);
      for (std::size_t s = 0; s < slots; ++s)
        sum[s] += weights[(s + slots - static_cast<std::size_t>(step.giant)) % slots % weights.size()] * x[s];
    }
  Slots result(slots);
  for (const auto& [giant, sum] : by_giant) add_to(result, rotated(sum, giant));
  for (const Index fold : schedule.folds) add_to(result, rotated(result, fold));
  return result;
}

TEST(LinearPlan, SchedulesEqualTheOperatorBetweenRandomLayouts) {
  std::mt19937 random(12);
  std::uniform_real_distribution<double> value(-1, 1), coin(0, 1);
  for (int trial = 0; trial < 60; ++trial) {
    const layout::Shape in = layout::random_shape(random), out = layout::random_shape(random);
    std::vector<Index> begin{0}, columns;
    std::vector<double> weights, y;
    std::vector<double> x(static_cast<std::size_t>(layout::element_count(in)));
    for (double& v : x) v = value(random);
    for (Index row = 0; row < layout::element_count(out); ++row) {
      y.push_back(0);
      for (Index column = 0; column < layout::element_count(in); ++column) {
        if (coin(random) > 0.3) continue;
        columns.push_back(column);
        weights.push_back(value(random));
        y.back() += weights.back() * x[static_cast<std::size_t>(column)];
      }
      begin.push_back(static_cast<Index>(columns.size()));
    }
    const layout::LinearMap map{layout::random_layout(in, 64, random), layout::random_layout(out, 64, random),
                                std::make_shared<layout::SparseRows>(in, out, begin, columns, weights)};
    SCOPED_TRACE(map.in.to_string() + " -> " + map.out.to_string());
    LinearPrices prices;
    prices.baby = 1;
    prices.giant = coin(random) * 5;
    const layout::Diagonals made = layout::diagonals(map);
    const params::LinearSchedule schedule = plan_linear(made.set, prices, 1, 1);
    const auto inputs = layout::packed_with_unknowns(map.in, x), expected = map.out.pack(y);
    const auto known = layout::known_slots(map.out);
    for (std::size_t c = 0; c < expected.size(); ++c) {
      const Slots got = carry_out(schedule, made, c, inputs);
      for (std::size_t s = 0; s < got.size(); ++s) {
        if (!known[c][s]) continue;
        ASSERT_NEAR(got[s], expected[c][s], 1e-12) << c << " " << s;
      }
    }
  }
}

TEST(LinearPlan, SplitsADenseMatrixNearTheSquareRoot) {
  layout::DiagonalSet set;
  set.slots = 4096;
  set.period = set.modulus = 256;
  for (Index d = 0; d < 256; ++d) set.diagonals.insert(d);
  set.count.products = 256;
  LinearPrices prices;
  prices.baby = prices.giant = 1;
  const auto counts = count(plan_linear(set, prices, 1, 1), set.count, 1, 1);
  EXPECT_EQ(counts.babies, 15);
  EXPECT_EQ(counts.giants, 15);
}

TEST(LinearPlan, KeepsTheStructureOfAWindowOverMaps) {
  layout::DiagonalSet set;
  set.slots = 32768;
  set.period = set.modulus = 8192;
  for (Index c = 0; c < 8; ++c)
    for (Index dy = -2; dy <= 2; ++dy)
      for (Index dx = -2; dx <= 2; ++dx) set.diagonals.insert((c * 1024 + dy * 32 + dx + 8192) % 8192);
  set.count.products = 200;
  LinearPrices prices;
  prices.baby = prices.giant = 1;
  const params::LinearSchedule schedule = plan_linear(set, prices, 1, 1);
  std::set<Index> reached;
  for (const auto& step : schedule.steps) {
    EXPECT_EQ((step.baby + step.giant) % set.slots, step.diagonal);
    reached.insert(step.diagonal % set.modulus);
  }
  EXPECT_EQ(reached, set.diagonals);
  EXPECT_LE(count(schedule, set.count, 1, 1).rotations(), 28);
}

TEST(LinearPlan, CutsAWindowWhereItEnds) {
  layout::DiagonalSet set;
  set.slots = 4096;
  set.period = set.modulus = 1024;
  for (Index dy = -1; dy <= 4; ++dy)
    for (Index dx = -1; dx <= 4; ++dx) set.diagonals.insert((dy * 32 + dx + 1024) % 1024);
  LinearPrices prices;
  prices.baby = prices.giant = 1;
  const params::LinearSchedule schedule = plan_linear(set, prices, 1, 1);
  const LinearCounts counts = count(schedule, set.count, 1, 1);
  EXPECT_EQ(counts.babies, 5);
  EXPECT_EQ(counts.giants, 5);
  // Rotations to the right are the same in every layer, whatever its period.
  for (const auto& step : schedule.steps) {
    EXPECT_TRUE(step.baby <= 4 || step.baby == set.slots - 1) << step.baby;
    EXPECT_TRUE(step.giant <= 128 || step.giant == set.slots - 32) << step.giant;
  }
}

// Two samples of windows over maps of 16 columns. The diagonals of the rows lie between those of the columns and those
// of the samples. The three rows are giant steps of all five columns of both samples where columns and rows are cut.
TEST(LinearPlan, CutsRowsBetweenColumnsAndSamples) {
  const auto planned = [](Index samples, Index rows, double baby, double giant) {
    layout::DiagonalSet set;
    set.slots = 16384;
    set.period = set.modulus = 8192;
    for (Index sample = 0; sample < samples; ++sample)
      for (Index dy = -rows; dy <= rows; ++dy)
        for (Index dx = -2; dx <= 2; ++dx) set.diagonals.insert((sample * 2048 + dy * 256 + dx * 16 + 8192) % 8192);
    LinearPrices prices;
    prices.baby = baby;
    prices.giant = giant;
    const params::LinearSchedule schedule = plan_linear(set, prices, 1, 1);
    EXPECT_EQ(schedule.steps.size(), set.diagonals.size());
    return count(schedule, set.count, 1, 1);
  };
  const LinearCounts few_giants = planned(2, 1, 1, 3), few_babies = planned(1, 2, 3, 1);
  EXPECT_EQ(few_giants.babies, 10);
  EXPECT_EQ(few_giants.giants, 2);
  EXPECT_EQ(few_babies.babies, 2);
  EXPECT_EQ(few_babies.giants, 9);
}

/// The distinct baby and giant steps of the cheapest schedule of diagonals 0 to count - 1, which repeat.
std::pair<std::set<Index>, std::set<Index>> steps_of(Index count, Index slots, double baby, double giant) {
  layout::DiagonalSet all;
  all.slots = slots;
  all.period = all.modulus = count;
  for (Index d = 0; d < count; ++d) all.diagonals.insert(d);
  all.count.products = count;
  LinearPrices prices;
  prices.baby = baby;
  prices.giant = giant;
  std::pair<std::set<Index>, std::set<Index>> steps;
  for (const params::DiagonalStep& step : plan_linear(all, prices, 1, 1).steps) {
    steps.first.insert(step.baby);
    steps.second.insert(step.giant);
  }
  return steps;
}

// Halves turn to the left, and what lies beyond them to the right: keys of small rotations serve many maps.
TEST(LinearPlan, StepsAreTheNearestThatDoTheSame) {
  std::set<Index> sixteens, ones;
  for (Index i = -7; i <= 8; ++i) sixteens.insert((16 * i + 4096) % 4096);
  for (Index i = 0; i < 16; ++i) ones.insert(i);
  EXPECT_EQ(steps_of(256, 4096, 1, 1), std::pair(sixteens, ones));
  using Steps = std::set<Index>;
  // Giant steps by single bits where they cost much, and all of them where nothing else may be rotated.
  EXPECT_EQ(steps_of(8, 64, 1, 3), std::pair(Steps{0, 2, 4, 62}, Steps{0, 1}));
  EXPECT_EQ(steps_of(8, 64, 100, 1), std::pair(Steps{0}, Steps{0, 1, 2, 3, 4, 61, 62, 63}));
  EXPECT_EQ(steps_of(8, 64, 1, 100), std::pair(Steps{0, 1, 2, 3, 4, 61, 62, 63}, Steps{0}));
  EXPECT_EQ(steps_of(2, 64, 1, 2), std::pair(Steps{0, 1}, Steps{0}));
}

TEST(LinearPlan, SecondsCountInputsOutputsAndFolds) {
  layout::DiagonalSet set;
  set.slots = 64;
  set.period = 32;
  set.modulus = 8;
  set.folds = {16, 8};
  set.diagonals = {0, 1};
  set.count = {.products = 12, .density = 0.25};
  const LinearPrices prices{
      .decompose = 1000, .baby = 100, .giant = 1e9, .product = 8, .repeated = 4, .fold = 10000, .finish = 100000};
  const LinearSplits splits(set, 3, 2);
  EXPECT_DOUBLE_EQ(splits.seconds(prices), 3 * (1000 + 100) + 12 * (2 + 3) + 2 * (2 * 10000 + 100000));
  EXPECT_EQ(splits.count().products, 12);
  const LinearCounts counts = count(splits.cheapest(prices), splits.count(), 3, 2);
  EXPECT_EQ(counts.babies, 1);
  EXPECT_EQ(counts.giants, 0);
  EXPECT_EQ(counts.folds, 2);
  EXPECT_EQ(counts.rotations(), 3 + 2 * 2);
  EXPECT_EQ(counts.density, 0.25);
}

// Sums of a few numbers, of which one lies in every field of bits that giant steps may take, once the diagonals are
// moved to where their widest gap wraps around.
TEST(LinearPlan, SumsOfTwoStepsAreFoundWhereverTheyLie) {
  const auto planned = [](Index modulus, const std::vector<Index>& diagonals, double baby, double giant) {
    layout::DiagonalSet set;
    set.slots = 4096;
    set.period = set.modulus = modulus;
    set.diagonals.insert(diagonals.begin(), diagonals.end());
    LinearPrices prices;
    prices.baby = baby;
    prices.giant = giant;
    const LinearCounts counts = count(plan_linear(set, prices, 1, 1), set.count, 1, 1);
    return std::pair(counts.babies, counts.giants);
  };
  using Steps = std::pair<std::int64_t, std::int64_t>;
  EXPECT_EQ(planned(16, {4, 7, 11}, 1, 1), Steps(1, 1));
  // 0, -16 and -17; 128 more than those.
  EXPECT_EQ(planned(256, {0, 240, 239, 128, 112, 111}, 1, 1), Steps(2, 1));
  // -69, -5 and 11; 10 more.
  EXPECT_EQ(planned(256, {187, 251, 11, 197, 5, 21}, 1, 1), Steps(2, 3));
  EXPECT_EQ(planned(1024, {369, 370, 389, 390, 497, 498, 517, 518, 753, 754, 773, 774}, 3, 1), Steps(2, 5));
}

/// The offset that moves the widest gap between the fields [low, high) of the digits of d + offset to the wrap-around.
Index widest_gap(const std::set<Index>& diagonals, int low, int high, Index offset) {
  const Index units = Index{1} << (high - low);
  std::set<Index> fields;
  for (const Index d : diagonals) fields.insert(((d + offset) >> low) & (units - 1));
  Index start = 0, widest = -1, before = fields.empty() ? 0 : *fields.rbegin() - units;
  for (const Index field : fields) {
    if (field - before > widest) {
      widest = field - before;
      start = field;
    }
    before = field;
  }
  return ((units - start) % units) << low;
}

/// The least seconds of the baby and giant steps of a set, of which every split is carried out for every diagonal.
double least_seconds(const layout::DiagonalSet& set, const LinearPrices& prices) {
  const Index babies = set.folds.empty() ? set.modulus : set.period,
              giants = set.folds.empty() ? set.period : set.modulus;
  const auto seconds = [&](Index offset, Index mask) {
    std::set<Index> baby, giant;
    for (const Index d : set.diagonals) {
      const Index raw = (d + offset) & mask;
      if (const Index step = (d - raw) & (babies - 1); step != 0) baby.insert(step);
      if (const Index step = raw & (giants - 1); step != 0) giant.insert(step);
    }
    return static_cast<double>(baby.size()) * prices.baby + static_cast<double>(giant.size()) * prices.giant;
  };
  double least = seconds(0, 0);
  const int digits = std::countr_zero(static_cast<std::uint64_t>(set.modulus));
  for (int low = 0; low < digits; ++low)
    for (int high = low + 1; high <= digits; ++high) {
      const Index field = (Index{1} << high) - (Index{1} << low), cut = widest_gap(set.diagonals, 0, low, 0);
      for (const Index offset : {Index{0}, cut, cut + widest_gap(set.diagonals, low, high, cut)})
        least = std::min({least, seconds(offset, field), seconds(offset, ~field)});
    }
  return least;
}

// With each of three ways in which the periods of the layouts may differ.
TEST(LinearPlan, SplitsAreTheCheapestOfAllThatAreCarriedOut) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> price(0, 4);
  for (int i = 0; i < 120; ++i) {
    const auto pick = [&](Index low, Index high) { return std::uniform_int_distribution<Index>(low, high)(random); };
    layout::DiagonalSet set;
    set.slots = 1024;
    set.modulus = Index{1} << pick(0, 8);
    set.period = i % 3 == 0 ? set.modulus : set.modulus * 4;
    if (i % 3 == 2) set.folds = {2 * set.modulus, set.modulus};
    const Index step = pick(1, 20), runs = pick(0, 6), length = pick(1, 9), first = pick(0, 300);
    for (Index run = 0; run < runs; ++run)  // windows over rows, as those of a convolution are
      for (Index d = 0; d < length; ++d) set.diagonals.insert((first + run * step + d) % set.modulus);
    const LinearSplits splits(set, 1, 1);
    for (int k = 0; k < 4; ++k) {
      const LinearPrices prices{.baby = price(random), .giant = price(random)};
      SCOPED_TRACE(testing::Message() << i << ": " << set.diagonals.size() << " modulo " << set.modulus);
      EXPECT_DOUBLE_EQ(splits.seconds(prices), least_seconds(set, prices));
      const LinearCounts counts = count(splits.cheapest(prices), set.count, 1, 1);
      EXPECT_DOUBLE_EQ(
          static_cast<double>(counts.babies) * prices.baby + static_cast<double>(counts.giants) * prices.giant,
          least_seconds(set, prices));
    }
  }
}

}  // namespace
}  // namespace tacit::slots
