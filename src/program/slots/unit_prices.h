#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "program/slots/operation_prices.h"

namespace tacit::slots {

/// The kinds of work that the cost reading counts and prices, per ciphertext.
enum class Unit : std::uint8_t {
  encrypt,
  encode,
  add,
  product,
  relinearise,
  plain_product,
  rescale,
  rotate,
  hoisted_rotation,
  drop
};
inline constexpr std::size_t kUnits = 10;

/// Seconds of one unit of each kind of work, by the level of its operands. They are measured, or come from the account
/// of a parameter set and a table. Not thread safe.
class UnitPrices {
 public:
  UnitPrices() = default;
  UnitPrices(const params::CkksLiteral& literal, const params::CostTable& table);
  /// Returns prices of whole operations for rotation keys over `rotation_primes`.
  const OperationPrices& operations(const params::RotationPrimes& rotation_primes = {}) const;
  /// Returns 0 for levels that the parameters do not have.
  double seconds(Unit unit, int level, const params::RotationPrimes& rotation_primes = {}) const;
  /// Sets a measured price, for every `rotation_primes`.
  void set(Unit unit, int level, double seconds) { put(measured_, unit, level, seconds); }

  /// Returns the median of every measured price and share over rounds that were measured alike.
  static UnitPrices median(std::span<const UnitPrices> rounds);

  /// Returns the additional seconds of a unit of a product or a sum whose operands come from memory; 0 for other work.
  double far_seconds(Unit unit, int level) const;
  void set_far(Unit unit, int level, double seconds) { put(far_, unit, level, seconds); }
  /// Returns the share of operands that come from memory if a computation holds `bytes` bytes of arrays and keys.
  /// Unless it was measured, it is 0 up to half of the largest cache and 1 from the whole of it. The cache always holds
  /// other data too.
  double far_share(double bytes) const;
  /// Sets (bytes, share) in order; between them shares are interpolated.
  void set_far_shares(std::vector<std::pair<double, double>> shares) { far_shares_ = std::move(shares); }

 private:
  using Prices = std::array<std::vector<std::optional<double>>, kUnits>;
  static std::optional<double> at(const Prices& prices, Unit unit, int level);
  static void put(Prices& prices, Unit unit, int level, double seconds);
  params::CkksLiteral literal_;
  params::CostTable table_;
  std::optional<OperationPrices> operations_;
  mutable std::vector<std::optional<OperationPrices>> rotating_;  ///< by RotationPrimes::top, made when asked for
  Prices measured_, far_;
  std::vector<std::pair<double, double>> far_shares_;
};

}  // namespace tacit::slots
