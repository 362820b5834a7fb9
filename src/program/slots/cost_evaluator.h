#pragma once

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "params/key_manifest.h"
#include "params/polynomial_plan.h"
#include "program/slots/evaluator.h"
#include "program/slots/unit_prices.h"

namespace tacit::slots {

/// The work of some instructions, counted.
struct WorkCounts {
  using ByLevel = std::array<std::vector<std::int64_t>, kUnits>;
  ByLevel units;               ///< units[unit][level of the operands], those inside linear maps and bootstraps included
  std::int64_t diagonals = 0;  ///< plaintext products of linear maps
  double weight_bytes = 0;     ///< of what is encoded ahead: their diagonals, and plaintexts

  std::int64_t count(Unit unit) const;
  /// Rotations of both kinds.
  std::int64_t rotations() const { return count(Unit::rotate) + count(Unit::hoisted_rotation); }
};

/// What a computation takes.
struct Cost {
  WorkCounts work;
  double seconds = 0;             ///< on the threads of the prices, without encryption and encoding
  double key_switch_seconds = 0;  ///< of them, for rotations of linear maps
  double encode_seconds = 0;      ///< encryption and encoding
  double weight_seconds = 0;      ///< encoding the weights that `work.weight_bytes` counts
  double live_bytes = 0;          ///< arrays and encoded maps alive now
  double peak_bytes = 0;          ///< largest sum of them alive together
  params::KeyManifest keys;
};

/// What is priced.
enum class Priced : std::uint8_t {
  program,  ///< rotation keys over all primes; operands are taken to be in the caches, whatever else is alive
  session,  ///< no rotation key reaches above the highest rotation, so that primes above it serve as special ones;
            ///< operands come from memory in the share that the bytes alive say
};

/// The cost reading: arrays are counts. Not thread safe. Arrays and maps may outlive the reading.
class CostEvaluator final : public Evaluator {
 public:
  /// `prices` must be for this literal.
  CostEvaluator(const params::CkksLiteral& literal, UnitPrices prices, Priced priced);

  /// Of the work since the last `restart`.
  const Cost& cost() const;
  /// Bytes of the evaluation keys that it needs.
  double key_bytes() const;
  /// Forgets all but what is alive.
  void restart();

  layout::Index slots() const override { return slots_; }
  double ciphertext_bytes(int level) const override { return 2 * (level + 1) * limb_bytes_; }
  ArrayPtr encrypt(const layout::Layout& layout, const SlotsOf& slots, Landing to) override;
  /// Throws InputError: a cost has no values.
  std::vector<std::vector<double>> decrypt(const View& a, Decoding decoding) override;
  ArrayPtr encode_addend(layout::Index count, const SlotsOf& slots, Landing to) override;
  ArrayPtr encode_factor(layout::Index count, const SlotsOf& slots, Landing from, Landing to) override;
  EncodedMapPtr encode_map(const ScheduledMap& map, Landing from, Landing to) override;
  ArrayPtr add(const View& a, const View& b, Landing to) override;
  ArrayPtr subtract(const View& a, const View& b, Landing to) override;
  ArrayPtr add_plain(const View& a, const View& plain, Landing to) override;
  ArrayPtr sum(const View& a, layout::Index terms, Landing to) override;
  ArrayPtr multiply_sum(const View& a, const View& b, layout::Index terms, Landing to) override;
  ArrayPtr multiply_plain_sum(const View& a, const View& plain, layout::Index terms, Landing to) override;
  ArrayPtr rotate(const View& a, std::int64_t steps, Landing to) override;
  ArrayPtr rotate_sum(const View& a, std::span<const std::int64_t> steps, Landing to) override;
  ArrayPtr gather(std::span<const View> parts, Landing to) override;
  ArrayPtr drop(const View& a, Landing to) override;
  ArrayPtr linear(std::span<const MappedView> terms, const ArrayPtr& bias, Landing to) override;
  ArrayPtr polynomial(const View& a, std::span<const double> coefficients, const params::PolynomialSchedule& schedule,
                      Landing to) override;
  ArrayPtr bootstrap(std::span<const View> parts, const params::BootstrapSchedule& schedule, Landing to) override;

 private:
  class Map;
  /// Counts units without their price, and with it.
  void count(Unit unit, int level, layout::Index times);
  void work(Unit unit, int level, layout::Index times);
  void rotation(std::int64_t steps, int level);
  /// Counts plaintexts that are encoded ahead.
  void hold(const Array& plaintexts) {
    cost_->work.weight_bytes += static_cast<double>(plaintexts.count()) * limb_bytes_;
    cost_->weight_seconds += static_cast<double>(plaintexts.count()) * prices_.operations().encode_compact();
  }
  ArrayPtr array(layout::Index count, int level, double bytes) const;
  ArrayPtr ciphertexts(layout::Index count, int level) const;

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

}  // namespace tacit::slots
