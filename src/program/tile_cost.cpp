#include "program/tile_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "params/rotation_primes.h"

namespace tacit::program {
namespace {

using layout::Index;

/// Keeps the live sum while it lives.
class CostArray final : public TileArray {
 public:
  CostArray(Index count, int level, double bytes, std::shared_ptr<TileCost> cost)
      : TileArray(count, level), bytes_(bytes), cost_(std::move(cost)) {
    cost_->live_bytes += bytes_;
    cost_->peak_bytes = std::max(cost_->peak_bytes, cost_->live_bytes);
    cost_->lowest_level = std::min(cost_->lowest_level, level);
  }
  ~CostArray() override { cost_->live_bytes -= bytes_; }

 private:
  double bytes_;
  std::shared_ptr<TileCost> cost_;
};

/// Everything that a plan depends on: layouts, and the entries of the operator (hashed after Fowler, Noll and Vo).
std::string fingerprint(const layout::LinearMap& map, int level) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto mix = [&](std::uint64_t word) { hash = (hash ^ word) * 0x100000001b3; };
  const Index rows = layout::element_count(map.op->out_shape());
  for (Index row = 0; row < rows; ++row)
    map.op->row(row, [&](Index column, double weight) {
      mix(static_cast<std::uint64_t>(row));
      mix(static_cast<std::uint64_t>(column));
      mix(weight != 0 ? 1 : 0);
    });
  return fmt::format("{} {} {} {:x}", level, map.in.to_string(), map.out.to_string(), hash);
}

}  // namespace

TilePrices::TilePrices(const params::CkksLiteral& literal, const params::CostTable& table, int base_level)
    : table_(table) {
  const OperationPrices prices(literal, table);
  const double row = table.mac_ns * 1e-9 * std::ldexp(1.0, literal.log_n);
  const int levels = static_cast<int>(literal.q_bits.size()) - 1 - base_level;
  for (int level = 0; level <= levels; ++level) {
    const int absolute = base_level + level;
    const double rows = absolute + 1;
    set(TileWork::encrypt, level, prices.encrypt(absolute));
    set(TileWork::encode, level, prices.encrypt(absolute) / 2);
    set(TileWork::add, level, 2 * rows * row);
    set(TileWork::product, level, 4 * rows * row);
    set(TileWork::relinearise, level, prices.multiply(absolute) - 4 * rows * row);
    set(TileWork::plain_product, level, 2 * rows * row);
    set(TileWork::rescale, level, prices.multiply_plain(absolute) - 2 * rows * row);
    set(TileWork::lower, level, prices.multiply_plain(absolute));
    const double far = table.far_ns * 1e-9 * std::ldexp(1.0, literal.log_n) * rows;
    set_far(TileWork::add, level, 2 * far);
    set_far(TileWork::product, level, 4 * far);
    set_far(TileWork::plain_product, level, 3 * far);
  }
  set_far_shares({{table.cache_mib * 0x1p19, 0}, {table.cache_mib * 0x1p20, 1}});
  for (int top = 0; top <= levels; ++top) {
    const OperationPrices rotating(params::for_rotations(literal, base_level + top), table);
    Prices& own = rotations_.emplace_back();
    for (int level = 0; level <= top; ++level) {
      own[static_cast<std::size_t>(TileWork::rotate)].push_back(rotating.rotate(base_level + level));
      own[static_cast<std::size_t>(TileWork::hoisted_rotation)].push_back(rotating.linear(base_level + level).baby);
    }
  }
}

double TilePrices::seconds(TileWork work, int level, int rotation_top) const {
  const bool rotation = work == TileWork::rotate || work == TileWork::hoisted_rotation;
  return rotation && static_cast<std::size_t>(rotation_top) < rotations_.size()
             ? at(rotations_[static_cast<std::size_t>(rotation_top)], work, level)
             : at(seconds_, work, level);
}

double TilePrices::at(const Prices& prices, TileWork work, int level) {
  const auto& row = prices[static_cast<std::size_t>(work)];
  return static_cast<std::size_t>(level) < row.size() ? row[static_cast<std::size_t>(level)] : 0;
}

void TilePrices::put(Prices& prices, TileWork work, int level, double seconds) {
  auto& row = prices[static_cast<std::size_t>(work)];
  if (row.size() <= static_cast<std::size_t>(level)) row.resize(static_cast<std::size_t>(level) + 1);
  row[static_cast<std::size_t>(level)] = seconds;
}

void TilePrices::set(TileWork work, int level, double seconds) {
  put(seconds_, work, level, seconds);
  for (Prices& prices : rotations_) put(prices, work, level, seconds);
}

TilePrices TilePrices::median(std::span<const TilePrices> rounds) {
  TilePrices result = rounds.front();
  std::vector<double> values(rounds.size());
  const auto settle = [&](double& out, const auto& of) {
    std::ranges::transform(rounds, values.begin(), of);
    std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
    out = values[values.size() / 2];
  };
  const auto settle_all = [&](Prices& out, const auto& of) {
    for (std::size_t w = 0; w < kTileWorks; ++w)
      for (std::size_t l = 0; l < out[w].size(); ++l)
        settle(out[w][l], [&](const TilePrices& round) { return of(round)[w][l]; });
  };
  settle_all(result.seconds_, [](const TilePrices& round) -> const Prices& { return round.seconds_; });
  settle_all(result.far_, [](const TilePrices& round) -> const Prices& { return round.far_; });
  for (std::size_t top = 0; top < result.rotations_.size(); ++top)
    settle_all(result.rotations_[top],
               [top](const TilePrices& round) -> const Prices& { return round.rotations_[top]; });
  for (std::size_t i = 0; i < result.far_shares_.size(); ++i)
    settle(result.far_shares_[i].second, [i](const TilePrices& round) { return round.far_shares_[i].second; });
  return result;
}

double TilePrices::far_share(double bytes) const {
  if (far_shares_.empty()) return 0;
  const auto above = std::ranges::find_if(far_shares_, [&](const auto& point) { return point.first > bytes; });
  if (above == far_shares_.end()) return far_shares_.back().second;
  if (above == far_shares_.begin()) return above->second;
  const auto& [x0, y0] = *std::prev(above);
  return y0 + (above->second - y0) * (bytes - x0) / (above->first - x0);
}

std::int64_t TileCost::count(TileWork work) const {
  std::int64_t sum = 0;
  for (const std::int64_t n : counts[static_cast<std::size_t>(work)]) sum += n;
  return sum;
}

CostTiles::CostTiles(const params::CkksLiteral& literal, TilePrices prices, int base_level)
    : literal_(literal),
      operations_(literal, prices.table()),
      rotating_(literal.q_bits.size()),
      prices_(std::move(prices)),
      base_level_(base_level),
      max_level_(static_cast<int>(literal.q_bits.size()) - 1 - base_level),
      slots_(Index{1} << (literal.log_n - (literal.real_slots ? 0 : 1))),
      limb_bytes_(std::ldexp(8.0, literal.log_n)),
      cost_(std::make_shared<TileCost>()) {
  if (base_level < 0 || max_level_ < 0)
    throw base::InternalError(fmt::format("a base level of {} for {} primes", base_level, literal.q_bits.size()));
  restart();
}

void CostTiles::restart() {
  const double live = cost_->live_bytes - kept_bytes_;
  kept_.clear();
  kept_bytes_ = 0;
  for (auto* counts : {&cost_->counts, &priced_})
    for (auto& row : *counts) row.assign(static_cast<std::size_t>(max_level_) + 1, 0);
  linears_.clear();
  cost_->seconds = cost_->encode_seconds = 0;
  cost_->live_bytes = cost_->peak_bytes = live;
  cost_->lowest_level = max_level_;
  cost_->keys = {};
}

const OperationPrices& CostTiles::operations(int level, int rotation_top) const {
  if (rotation_top < level) return operations_;
  auto& prices = rotating_[static_cast<std::size_t>(rotation_top)];
  if (!prices) prices.emplace(params::for_rotations(literal_, rotation_top), prices_.table());
  return *prices;
}

const TileCost& CostTiles::cost() const {
  const int top = cost_->keys.rotation_top;
  const double far = prices_.far_share(cost_->peak_bytes + key_bytes());
  cost_->seconds = cost_->encode_seconds = 0;
  for (std::size_t w = 0; w < kTileWorks; ++w)
    for (int level = 0; level <= max_level_; ++level) {
      const auto work = static_cast<TileWork>(w);
      const std::int64_t times = priced_[w][static_cast<std::size_t>(level)];
      if (times == 0) continue;
      const double unit = prices_.seconds(work, level, top - base_level_) + far * prices_.far_seconds(work, level);
      const double seconds = static_cast<double>(times) * unit;
      (work == TileWork::encrypt || work == TileWork::encode ? cost_->encode_seconds : cost_->seconds) += seconds;
    }
  for (const auto& [linear, level] : linears_)
    cost_->seconds += params::total(linear->counts, operations(level, top).linear(level));
  return *cost_;
}

double CostTiles::key_bytes() const {
  const int top = cost_->keys.rotation_top;
  return params::key_bytes(operations_.account(), operations(std::max(top, 0), top).account(), cost_->keys);
}

void CostTiles::work(TileWork work, int level, Index times) {
  for (auto* counts : {&cost_->counts, &priced_})
    (*counts)[static_cast<std::size_t>(work)][static_cast<std::size_t>(level)] += times;
}

void CostTiles::rotation(std::int64_t steps, int level) {
  steps &= slots_ - 1;
  if (steps == 0) return;
  int& highest = cost_->keys.rotations.try_emplace(steps, -1).first->second;
  highest = std::max(highest, base_level_ + level);
  cost_->keys.rotation_top = std::max(cost_->keys.rotation_top, highest);
}

TileArrayPtr CostTiles::ciphertexts(Index count, int level) {
  if (level < 0)
    throw base::InputError(
        "the computation needs more levels than there are: encrypt at a higher level or ask for a "
        "greater depth");
  return std::make_shared<const CostArray>(count, level, static_cast<double>(count) * tile_bytes(level), cost_);
}

TileArrayPtr CostTiles::encrypt(Index count, const TileSlots&, int level) {
  work(TileWork::encrypt, level, count);
  return ciphertexts(count, level);
}

std::vector<std::vector<double>> CostTiles::decrypt(const TileView&) {
  throw base::InputError("the cost reading has no values to decrypt");
}

TileArrayPtr CostTiles::encode_factor(Index count, const TileSlots&, int level) {
  work(TileWork::encode, level, count);
  return std::make_shared<const CostArray>(count, level, static_cast<double>(count) * plain_bytes(level), cost_);
}

TileArrayPtr CostTiles::encode_addend(Index count, const TileSlots& slots, int level) {
  return encode_factor(count, slots, level);
}

TileArrayPtr CostTiles::add(const TileView& a, const TileView&) {
  work(TileWork::add, a.level(), a.count());
  return ciphertexts(a.count(), a.level());
}
TileArrayPtr CostTiles::subtract(const TileView& a, const TileView& b) { return add(a, b); }
TileArrayPtr CostTiles::add_plain(const TileView& a, const TileView& plain) { return add(a, plain); }

TileArrayPtr CostTiles::sum_tiles(const TileView& a, Index terms) {
  const Index sums = a.count() / terms;
  work(TileWork::add, a.level(), sums * (terms - 1));
  return ciphertexts(sums, a.level());
}

TileArrayPtr CostTiles::multiply_sum(const TileView& a, const TileView&, Index terms) {
  const Index sums = a.count() / terms;
  if (a.level() >= 1) {
    work(TileWork::product, a.level(), a.count());
    work(TileWork::relinearise, a.level(), sums);
    cost_->keys.relinearise_level = std::max(cost_->keys.relinearise_level, base_level_ + a.level());
  }
  return ciphertexts(sums, a.level() - 1);
}

TileArrayPtr CostTiles::multiply_plain_sum(const TileView& a, const TileView&, Index terms) {
  const Index sums = a.count() / terms;
  if (a.level() >= 1) {
    work(TileWork::plain_product, a.level(), a.count());
    work(TileWork::rescale, a.level(), sums);
  }
  return ciphertexts(sums, a.level() - 1);
}

TileArrayPtr CostTiles::rotate(const TileView& a, std::int64_t steps) {
  rotation(steps, a.level());
  work(TileWork::rotate, a.level(), a.count());
  return ciphertexts(a.count(), a.level());
}

TileArrayPtr CostTiles::rotate_sum(const TileView& a, std::span<const std::int64_t> steps) {
  for (const std::int64_t step : steps) rotation(step, a.level());
  work(TileWork::rotate, a.level(), a.count());
  work(TileWork::hoisted_rotation, a.level(), a.count() * (static_cast<Index>(steps.size()) - 1));
  work(TileWork::add, a.level(), a.count());
  return ciphertexts(a.count(), a.level());
}

TileArrayPtr CostTiles::gather(std::span<const TileView> parts) {
  Index count = 0;
  for (const TileView& part : parts) count += part.count();
  return ciphertexts(count, parts.front().level());
}

params::LinearSchedule plan_tile_linear(const layout::LinearMap& map, const layout::DiagonalSet& set,
                                        const params::CkksLiteral& literal, const params::CostTable& table, int level) {
  return plan_linear(set, OperationPrices(literal, table).linear(level), map.in.ciphertexts(), map.out.ciphertexts());
}

const CostTiles::Linear& CostTiles::planned(const layout::LinearMap& map, int level) {
  const auto [entry, absent] = linear_.try_emplace(fingerprint(map, level));
  Linear& linear = entry->second;
  if (absent) {
    const layout::DiagonalSet set = layout::diagonal_set(map);
    linear.schedule = plan_linear(set, operations_.linear(level), map.in.ciphertexts(), map.out.ciphertexts());
    linear.counts = count(linear.schedule, set, map.in.ciphertexts(), map.out.ciphertexts());
    // A diagonal that repeats is kept once.
    linear.bytes = static_cast<double>(set.products) * operations(level, level).account().diagonal_bytes(level) *
                   static_cast<double>(set.period) / static_cast<double>(slots_);
  }
  return linear;
}

void CostTiles::keep(const Linear& linear) {
  if (!kept_.insert(&linear).second) return;
  const double bytes = std::min(linear.bytes, static_cast<double>(kKeptMapBytes) - kept_bytes_);
  kept_bytes_ += bytes;
  cost_->live_bytes += bytes;
  cost_->peak_bytes = std::max(cost_->peak_bytes, cost_->live_bytes);
}

TileArrayPtr CostTiles::linear(std::span<const TileView> inputs, std::span<const layout::LinearMap> maps) {
  const int level = inputs.front().level();
  if (level >= 1) {
    for (const layout::LinearMap& map : maps) {
      const int absolute = base_level_ + level;
      const Linear& linear = planned(map, absolute);
      keep(linear);
      for (const params::DiagonalStep& step : linear.schedule.steps) {
        rotation(step.baby, level);
        rotation(step.giant, level);
      }
      for (const std::int64_t fold : linear.schedule.folds) rotation(fold, level - 1);
      const auto& counts = linear.counts;
      auto& row = cost_->counts;
      row[static_cast<std::size_t>(TileWork::linear)][static_cast<std::size_t>(level)] += 1;
      row[static_cast<std::size_t>(TileWork::plain_product)][static_cast<std::size_t>(level)] += counts.products;
      row[static_cast<std::size_t>(TileWork::hoisted_rotation)][static_cast<std::size_t>(level)] +=
          counts.babies * counts.inputs;
      row[static_cast<std::size_t>(TileWork::rotate)][static_cast<std::size_t>(level)] +=
          (counts.giants + counts.folds) * counts.outputs;
      linears_.emplace_back(&linear, absolute);
    }
    if (maps.size() > 1)
      work(TileWork::add, level - 1, static_cast<Index>(maps.size() - 1) * maps.front().out.ciphertexts());
  }
  return ciphertexts(maps.front().out.ciphertexts(), level - 1);
}

TileArrayPtr CostTiles::lower(const TileView& a, int level) {
  work(TileWork::lower, level + 1, a.count());
  return ciphertexts(a.count(), level);
}

}  // namespace tacit::program
