#include "program/slots/cost_evaluator.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "layout/diagonals.h"
#include "program/slots/key_manifest.h"

namespace tacit::slots {
namespace {

using layout::Index;

/// Adds its bytes to the living ones while it lives.
class Living {
 public:
  Living(double bytes, std::shared_ptr<Cost> cost) : bytes_(bytes), cost_(std::move(cost)) {
    cost_->live_bytes += bytes_;
    cost_->peak_bytes = std::max(cost_->peak_bytes, cost_->live_bytes);
  }
  Living(const Living&) = delete;
  Living& operator=(const Living&) = delete;
  ~Living() { cost_->live_bytes -= bytes_; }
  double bytes() const { return bytes_; }

 private:
  double bytes_;
  std::shared_ptr<Cost> cost_;
};

struct CountedArray final : Array {
  CountedArray(Index count, int level, double bytes, std::shared_ptr<Cost> cost)
      : Array(count, level), living(bytes, std::move(cost)) {}
  Living living;
};

void clear(WorkCounts::ByLevel& counts, std::size_t levels) {
  for (auto& row : counts) row.assign(levels, 0);
}

struct CountedMap final : EncodedMap {
  CountedMap(params::LinearSchedule schedule_, LinearCounts counts_, double bytes, double seconds,
             std::shared_ptr<Cost> cost)
      : schedule(std::move(schedule_)), counts(counts_), encode_seconds(seconds), living(bytes, std::move(cost)) {}
  double bytes() const override { return living.bytes(); }

  params::LinearSchedule schedule;
  LinearCounts counts;
  double encode_seconds;
  Living living;
};

/// Counts what it is asked to carry out, and prices it when it is asked for the cost.
class CostReading final : public CostEvaluator {
 public:
  CostReading(const params::CkksLiteral& literal, UnitPrices prices, Priced priced)
      : prices_(std::move(prices)),
        kind_(priced),
        slots_(Index{1} << (literal.log_n - (literal.real_slots ? 0 : 1))),
        limb_bytes_(std::ldexp(8.0, literal.log_n)),
        levels_(literal.q_bits.size()),
        cost_(std::make_shared<Cost>()) {
    restart();
  }

  layout::Index slots() const override { return slots_; }
  double ciphertext_bytes(int level) const override { return 2 * (level + 1) * limb_bytes_; }

  void restart() override {
    const double live = cost_->live_bytes;
    *cost_ = {};
    cost_->live_bytes = cost_->peak_bytes = live;
    clear(cost_->work.units, levels_);
    clear(priced_, levels_);
    maps_.clear();
    whole_seconds_ = 0;
  }

  const Cost& cost() const override {
    const params::RotationPrimes& primes = cost_->keys.rotation_primes;
    const double far = kind_ == Priced::session ? prices_.far_share(cost_->peak_bytes + key_bytes()) : 0;
    cost_->seconds = whole_seconds_;
    cost_->encode_seconds = cost_->key_switch_seconds = 0;
    for (std::size_t u = 0; u < kUnits; ++u)
      for (std::size_t l = 0; l < levels_; ++l) {
        const auto unit = static_cast<Unit>(u);
        const int level = static_cast<int>(l);
        const std::int64_t times = priced_[u][l];
        if (times == 0) continue;
        const double seconds = static_cast<double>(times) *
                               (prices_.seconds(unit, level, primes) + far * prices_.far_seconds(unit, level));
        (unit == Unit::encrypt || unit == Unit::encode ? cost_->encode_seconds : cost_->seconds) += seconds;
      }
    for (const auto& [counts, level] : maps_) {
      const LinearPrices prices = prices_.operations(primes).linear(level);
      cost_->seconds += params::total(counts, prices);
      LinearCounts others = counts;
      others.products = 0;
      cost_->key_switch_seconds += params::total(others, prices) - static_cast<double>(counts.outputs) * prices.finish;
    }
    return *cost_;
  }

  double key_bytes() const override {
    return params::key_bytes(prices_.operations().account(), prices_.operations(cost_->keys.rotation_primes).account(),
                             cost_->keys);
  }

  ArrayPtr encrypt(const layout::Layout& layout, const SlotsOf&, Landing to) override {
    work(Unit::encrypt, to.level, layout.ciphertexts());
    return ciphertexts(layout.ciphertexts(), to.level);
  }

  std::vector<std::vector<double>> decrypt(const View&, Decoding) override {
    throw base::InputError("the cost reading has no values to decrypt");
  }

  ArrayPtr encode_addend(Index count, const SlotsOf&, Landing to) override {
    work(Unit::encode, to.level, count);
    return array(count, to.level, static_cast<double>(count) * limb_bytes_);
  }

  ArrayPtr encode_factor(Index count, const SlotsOf& slots, Landing from, Landing) override {
    return encode_addend(count, slots, from);
  }

  EncodedMapPtr encode_map(const ScheduledMap& map, Landing from, Landing) override {
    const layout::DiagonalCount diagonals = map.diagonals ? *map.diagonals : layout::diagonal_set(map.map).count;
    const LinearCounts counts =
        slots::count(map.schedule, diagonals, map.map.in.ciphertexts(), map.map.out.ciphertexts());
    // A diagonal that repeats is held once a repetition. Its rows are those of keys that reach this level.
    const OperationPrices& prices =
        prices_.operations(kind_ == Priced::session ? params::RotationPrimes{from.level} : params::RotationPrimes{});
    const double weights = diagonals.weights(slots_);
    const double bytes = weights / static_cast<double>(slots_) * prices.account().real_diagonal_bytes(from.level);
    const double seconds =
        prices.seconds(prices.account().encode_diagonals(from.level, static_cast<double>(diagonals.products), weights));
    return std::make_shared<const CountedMap>(map.schedule, counts, bytes, seconds, cost_);
  }

  ArrayPtr add(const View& a, const View&, Landing to) override {
    work(Unit::add, to.level, a.count());
    return ciphertexts(a.count(), to.level);
  }
  ArrayPtr subtract(const View& a, const View& b, Landing to) override { return add(a, b, to); }
  ArrayPtr add_plain(const View& a, const View& plain, Landing to) override {
    hold(*plain.array);
    return add(a, plain, to);
  }

  ArrayPtr sum(const View& a, Index terms, Landing to) override {
    const Index sums = a.count() / terms;
    work(Unit::add, to.level, sums * (terms - 1));
    return ciphertexts(sums, to.level);
  }

  ArrayPtr multiply_sum(const View& a, const View&, Index terms, Landing to) override {
    const Index sums = a.count() / terms;
    work(Unit::product, to.level + 1, a.count());
    work(Unit::relinearise, to.level + 1, sums);
    need_product(cost_->keys, to.level + 1);
    return ciphertexts(sums, to.level);
  }

  ArrayPtr multiply_plain_sum(const View& a, const View& plain, Index terms, Landing to) override {
    hold(*plain.array);
    const Index sums = a.count() / terms;
    work(Unit::plain_product, to.level + 1, a.count());
    work(Unit::rescale, to.level + 1, sums);
    return ciphertexts(sums, to.level);
  }

  ArrayPtr rotate(const View& a, std::int64_t steps, Landing to) override {
    rotation(steps, to.level);
    work(Unit::rotate, to.level, a.count());
    return ciphertexts(a.count(), to.level);
  }

  ArrayPtr rotate_sum(const View& a, std::span<const std::int64_t> steps, Landing to) override {
    for (const std::int64_t step : steps) rotation(step, to.level);
    work(Unit::rotate, to.level, a.count());
    work(Unit::hoisted_rotation, to.level, a.count() * (static_cast<Index>(steps.size()) - 1));
    work(Unit::add, to.level, a.count());
    return ciphertexts(a.count(), to.level);
  }

  ArrayPtr gather(std::span<const View> parts, Landing to) override {
    Index count = 0;
    for (const View& part : parts) count += part.count();
    return ciphertexts(count, to.level);
  }

  ArrayPtr drop(const View& a, Landing to) override {
    work(Unit::drop, to.level + 1, a.count());
    return ciphertexts(a.count(), to.level);
  }

  ArrayPtr linear(std::span<const MappedView> terms, const ArrayPtr& bias, Landing to) override {
    if (bias) hold(*bias);
    const int level = to.level + 1;
    Index outputs = 0;
    for (const MappedView& term : terms) {
      const auto& map = static_cast<const CountedMap&>(*term.map);
      const LinearCounts& counts = map.counts;
      for (const params::DiagonalStep& step : map.schedule.steps) {
        rotation(step.baby, level);
        rotation(step.giant, level);
      }
      for (const std::int64_t fold : map.schedule.folds) rotation(fold, to.level);
      count(Unit::plain_product, level, counts.products);
      count(Unit::hoisted_rotation, level, counts.babies * counts.inputs);
      count(Unit::rotate, level, (counts.giants + counts.folds) * counts.outputs);
      cost_->work.diagonals += counts.products;
      cost_->work.weight_bytes += map.bytes();
      cost_->weight_seconds += map.encode_seconds;
      maps_.emplace_back(counts, level);
      outputs = counts.outputs;
    }
    work(Unit::add, to.level, static_cast<Index>(terms.size() - 1) * outputs);
    return ciphertexts(outputs, to.level);
  }

  ArrayPtr polynomial(const View& a, std::span<const double> coefficients, const params::PolynomialSchedule& schedule,
                      Landing to) override {
    const int level = to.level + schedule.depth;
    const params::PolynomialPlan plan = params::plan_polynomial(coefficients, schedule);
    for (const int products : plan.relinearisations) count(Unit::relinearise, level, products * a.count());
    whole_seconds_ += static_cast<double>(a.count()) * prices_.operations().polynomial(level, plan);
    need_product(cost_->keys, level);
    return ciphertexts(a.count(), to.level);
  }

  ArrayPtr bootstrap(std::span<const View> parts, const params::BootstrapSchedule& schedule, Landing to) override {
    Index all = 0;
    for (const View& part : parts) all += part.count();
    whole_seconds_ += prices_.operations().bootstraps(schedule, all);
    for (const auto* factors : {&schedule.slots_to_coefficients, &schedule.coefficients_to_slots})
      for (const params::DftFactor& factor : *factors)
        count(Unit::rotate, to.level, params::count(factor.schedule.steps).rotations() * ((all + 1) / 2));
    cost_->keys.merge(params::key_manifest(schedule));
    return ciphertexts(all, to.level);
  }

  ArrayPtr look_up(std::span<const View> parts, std::span<const std::vector<double>> tables,
                   const params::LookupSchedule& schedule, Landing to) override {
    const auto table_count = static_cast<Index>(tables.size());
    Index all = 0;
    for (const View& part : parts) all += part.count();
    bootstrap(parts, schedule.bootstrap, to);
    whole_seconds_ += prices_.operations().lookups(schedule, table_count, all) -
                      prices_.operations().bootstraps(schedule.bootstrap, all);
    for (const int products : params::series_plan(schedule).relinearisations)
      count(Unit::relinearise, to.level, products * all);
    return ciphertexts(all * table_count, to.level);
  }

 private:
  /// Counts units without their price, and with it.
  void count(Unit unit, int level, Index times) {
    cost_->work.units[static_cast<std::size_t>(unit)].at(static_cast<std::size_t>(level)) += times;
  }

  void work(Unit unit, int level, Index times) {
    count(unit, level, times);
    priced_[static_cast<std::size_t>(unit)][static_cast<std::size_t>(level)] += times;
  }

  void rotation(std::int64_t steps, int level) {
    need_rotation(cost_->keys, steps, level, slots_);
    if (kind_ == Priced::session && (steps & (slots_ - 1)) != 0)
      cost_->keys.rotation_primes.top = std::max(cost_->keys.rotation_primes.top.value_or(level), level);
  }

  ArrayPtr array(Index count, int level, double bytes) const {
    return std::make_shared<const CountedArray>(count, level, bytes, cost_);
  }

  ArrayPtr ciphertexts(Index count, int level) const {
    return array(count, level, static_cast<double>(count) * ciphertext_bytes(level));
  }

  /// Counts plaintexts that are encoded ahead.
  void hold(const Array& plaintexts) {
    cost_->work.weight_bytes += static_cast<double>(plaintexts.count()) * limb_bytes_;
    const OperationPrices& prices = prices_.operations();
    cost_->weight_seconds +=
        static_cast<double>(plaintexts.count()) * prices.seconds(prices.account().encode_compact());
  }

  UnitPrices prices_;
  Priced kind_;
  layout::Index slots_;
  double limb_bytes_;
  std::size_t levels_;
  std::shared_ptr<Cost> cost_;
  WorkCounts::ByLevel priced_;                      ///< what prices_ has units for
  std::vector<std::pair<LinearCounts, int>> maps_;  ///< carried out, and the levels of their operands
  double whole_seconds_ = 0;                        ///< of polynomials and bootstraps
};

}  // namespace

std::int64_t WorkCounts::count(Unit unit) const {
  std::int64_t sum = 0;
  for (const std::int64_t n : units[static_cast<std::size_t>(unit)]) sum += n;
  return sum;
}

std::unique_ptr<CostEvaluator> CostEvaluator::make(const params::CkksLiteral& literal, UnitPrices prices,
                                                   Priced priced) {
  return std::make_unique<CostReading>(literal, std::move(prices), priced);
}

}  // namespace tacit::slots
