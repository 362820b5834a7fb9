#include "program/slots/unit_prices.h"

#include <algorithm>
#include <cmath>

#include "params/rotation_primes.h"

namespace tacit::slots {
namespace {

/// Rows of an operand or of two that a unit reads.
double rows_read(Unit unit) {
  switch (unit) {
    case Unit::add: return 2;
    case Unit::product: return 4;
    case Unit::plain_product: return 3;
    default: return 0;
  }
}

}  // namespace

UnitPrices::UnitPrices(const params::CkksLiteral& literal, const params::CostTable& table)
    : literal_(literal),
      table_(table),
      operations_(OperationPrices(literal, table)),
      rotating_(literal.q_bits.size()),
      far_shares_{{table.cache_mib * 0x1p19, 0}, {table.cache_mib * 0x1p20, 1}} {}

const OperationPrices& UnitPrices::operations(const params::RotationPrimes& rotation_primes) const {
  if (!rotation_primes.top) return *operations_;
  auto& prices = rotating_.at(static_cast<std::size_t>(*rotation_primes.top));
  if (!prices) prices.emplace(params::for_rotations(literal_, *rotation_primes.top), table_);
  return *prices;
}

double UnitPrices::seconds(Unit unit, int level, const params::RotationPrimes& rotation_primes) const {
  if (const auto measured = at(measured_, unit, level)) return *measured;
  if (!operations_ || level < 0 || static_cast<std::size_t>(level) >= literal_.q_bits.size()) return 0;
  const OperationPrices& all = *operations_;
  const double row = table_.mac_ns * 1e-9 * std::ldexp(1.0, literal_.log_n), rows = level + 1;
  switch (unit) {
    case Unit::encrypt: return all.encrypt(level);
    case Unit::encode: return all.encrypt(level) / 2;
    case Unit::add: return 2 * rows * row;
    case Unit::product: return 4 * rows * row;
    case Unit::relinearise: return all.multiply(level) - 4 * rows * row;
    case Unit::plain_product: return 2 * rows * row;
    case Unit::rescale: return all.multiply_plain(level) - 2 * rows * row;
    case Unit::rotate: return operations(rotation_primes).rotate(level);
    case Unit::hoisted_rotation: return operations(rotation_primes).linear(level).baby;
    case Unit::drop: return all.multiply_plain(level);
  }
  return 0;
}

double UnitPrices::far_seconds(Unit unit, int level) const {
  if (const auto measured = at(far_, unit, level)) return *measured;
  if (!operations_) return 0;
  return rows_read(unit) * (level + 1) * table_.far_ns * 1e-9 * std::ldexp(1.0, literal_.log_n);
}

std::optional<double> UnitPrices::at(const Prices& prices, Unit unit, int level) {
  const auto& row = prices[static_cast<std::size_t>(unit)];
  return level >= 0 && static_cast<std::size_t>(level) < row.size() ? row[static_cast<std::size_t>(level)]
                                                                    : std::nullopt;
}

void UnitPrices::put(Prices& prices, Unit unit, int level, double seconds) {
  auto& row = prices[static_cast<std::size_t>(unit)];
  if (row.size() <= static_cast<std::size_t>(level)) row.resize(static_cast<std::size_t>(level) + 1);
  row[static_cast<std::size_t>(level)] = seconds;
}

UnitPrices UnitPrices::median(std::span<const UnitPrices> rounds) {
  UnitPrices result = rounds.front();
  std::vector<double> values(rounds.size());
  const auto middle = [&](const auto& of) {
    std::ranges::transform(rounds, values.begin(), of);
    std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
    return values[values.size() / 2];
  };
  const auto settle = [&](Prices& out, const auto& of) {
    for (std::size_t u = 0; u < kUnits; ++u)
      for (std::size_t l = 0; l < out[u].size(); ++l)
        if (out[u][l]) out[u][l] = middle([&](const UnitPrices& round) { return of(round)[u][l].value(); });
  };
  settle(result.measured_, [](const UnitPrices& round) -> const Prices& { return round.measured_; });
  settle(result.far_, [](const UnitPrices& round) -> const Prices& { return round.far_; });
  for (std::size_t i = 0; i < result.far_shares_.size(); ++i)
    result.far_shares_[i].second = middle([i](const UnitPrices& round) { return round.far_shares_[i].second; });
  return result;
}

double UnitPrices::far_share(double bytes) const {
  if (far_shares_.empty()) return 0;
  const auto above = std::ranges::find_if(far_shares_, [&](const auto& point) { return point.first > bytes; });
  if (above == far_shares_.end()) return far_shares_.back().second;
  if (above == far_shares_.begin()) return above->second;
  const auto& [x0, y0] = *std::prev(above);
  return y0 + (above->second - y0) * (bytes - x0) / (above->first - x0);
}

}  // namespace tacit::slots
