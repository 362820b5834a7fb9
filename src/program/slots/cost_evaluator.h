#pragma once

#include <array>
#include <memory>
#include <vector>

#include "params/key_manifest.h"
#include "params/polynomial_plan.h"
#include "program/slots/evaluator.h"
#include "program/slots/unit_prices.h"

namespace tacit::slots {

/// The counted work of some instructions.
struct WorkCounts {
  using ByLevel = std::array<std::vector<std::int64_t>, kUnits>;
  ByLevel units;               ///< units[unit][level of the operands], those inside linear maps and bootstraps included
  std::int64_t diagonals = 0;  ///< plaintext products of linear maps
  double weight_bytes = 0;     ///< bytes encoded ahead: their diagonals, and plaintexts

  std::int64_t count(Unit unit) const;
  /// Returns the rotations of both kinds.
  std::int64_t rotations() const { return count(Unit::rotate) + count(Unit::hoisted_rotation); }
};

/// The cost of a computation.
struct Cost {
  WorkCounts work;
  double seconds = 0;             ///< on the threads of the prices, without encryption and encoding
  double key_switch_seconds = 0;  ///< part of them for rotations of linear maps
  double encode_seconds = 0;      ///< encryption and encoding
  double weight_seconds = 0;      ///< encoding the weights that `work.weight_bytes` counts
  double live_bytes = 0;          ///< arrays and encoded maps alive now
  double peak_bytes = 0;          ///< largest sum of them alive together
  params::KeyManifest keys;
};

/// The computation that is priced.
enum class Priced : std::uint8_t {
  program,  ///< rotation keys over all primes; operands count as if they were in the caches
  session,  ///< no rotation key reaches above the highest rotation, so that primes above it serve as special ones; the
            ///< share of operands that come from memory follows from the bytes alive
};

/// The cost reading: arrays are counts. It throws InputError when it should decrypt, because a cost has no values. Not
/// thread safe. Arrays and maps may outlive the reading.
class CostEvaluator : public Evaluator {
 public:
  /// `prices` must be for this literal.
  static std::unique_ptr<CostEvaluator> make(const params::CkksLiteral& literal, UnitPrices prices, Priced priced);

  /// Returns the cost of the work after the last `restart`.
  virtual const Cost& cost() const = 0;
  /// Returns the bytes of the evaluation keys that the work needs.
  virtual double key_bytes() const = 0;
  /// Forgets everything except the arrays and maps that are alive.
  virtual void restart() = 0;
};

}  // namespace tacit::slots
