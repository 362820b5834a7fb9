#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "base/sha256.h"
#include "layout/diagonals.h"
#include "params/requirement.h"
#include "program/slots/cost_evaluator.h"
#include "program/slots/evaluator.h"

namespace tacit::tensor {

using layout::Index;
using program::ArrayPtr;
using program::SlotsOf;
using program::View;

/// The levels and scales of tile tensors. Operations execute at once, so that no later use can decide their levels. A
/// level counts the products that a tensor can still take. Every array of a level has one scale, so that arrays of a
/// level always add. The scales are s_top = parameters.scale() and s_(l-1) = s_l^2 / q_l (Kim, Papadimitriou, Polyakov
/// 2022, section 3).
struct TileLevels {
  int base = 0;                  ///< level of the parameters at which values are decrypted: level 0 here
  int max = 0;                   ///< level of a fresh array
  std::vector<double> scales{};  ///< by level of the parameters; empty if scales do not matter

  /// Throws InputError if the scales of a deep chain exceed the range of the parameters, or if they do not have `base`.
  static TileLevels of(const params::CkksParameters& parameters, int base);
  /// Returns the level and scale of level l.
  slots::Landing at(int level) const;
};

/// Chooses the schedule of a linear map on values of this level of the parameters.
using ScheduleMap =
    std::function<params::LinearSchedule(const layout::LinearMap&, const layout::DiagonalSet&, int level)>;
/// Returns the cheapest schedule by the prices of a table. Readings that share a table agree. The keys that the cost
/// reading requests are thus those that the encrypted one uses.
ScheduleMap cheapest_schedules(const params::CkksLiteral& literal, const params::CostTable& table);

/// The bytes of encoded linear maps that a session keeps to use them again.
inline constexpr double kKeptMapBytes = 0x1p28;

/// Executes tile arithmetic at once on one reading: the calls of slots::Evaluator with levels and scales by TileLevels.
/// Operands of an operation are at one level. Thread safe as far as the reading is.
class Session {
 public:
  /// A reading that takes no schedule (the clear one) needs no `schedules`.
  Session(std::shared_ptr<slots::Evaluator> evaluator, TileLevels levels, ScheduleMap schedules = {});
  virtual ~Session() = default;

  slots::Evaluator& evaluator() const { return *evaluator_; }
  const TileLevels& levels() const { return levels_; }
  Index slots() const { return evaluator_->slots(); }
  int max_level() const { return levels_.max; }
  /// Returns the number of products that an array can still take.
  int level_of(const View& a) const { return a.level() - levels_.base; }
  double tile_bytes(int level) const { return evaluator_->ciphertext_bytes(levels_.base + level); }

  ArrayPtr encrypt(const layout::Layout& layout, const SlotsOf& slots, int level) {
    return evaluator_->encrypt(layout, slots, levels_.at(level));
  }
  /// Encrypts any slots, without a layout that gives them a meaning.
  ArrayPtr encrypt(Index count, const SlotsOf& slots, int level) {
    return encrypt(layout::Layout::row_major({count * this->slots()}, this->slots()), slots, level);
  }
  std::vector<std::vector<double>> decrypt(const View& a, slots::Decoding decoding) {
    return evaluator_->decrypt(a, decoding);
  }
  /// Encode plaintexts that multiply an array of this level, or are added to one.
  ArrayPtr encode_factor(Index count, const SlotsOf& slots, int level) {
    return evaluator_->encode_factor(count, slots, levels_.at(level), levels_.at(level - 1));
  }
  ArrayPtr encode_addend(Index count, const SlotsOf& slots, int level) {
    return evaluator_->encode_addend(count, slots, levels_.at(level));
  }

  ArrayPtr add(const View& a, const View& b) { return evaluator_->add(a, b, landing(a)); }
  ArrayPtr subtract(const View& a, const View& b) { return evaluator_->subtract(a, b, landing(a)); }
  ArrayPtr add_plain(const View& a, const View& plain) { return evaluator_->add_plain(a, plain, landing(a)); }
  ArrayPtr sum(const View& a, Index terms) { return evaluator_->sum(a, terms, landing(a)); }
  ArrayPtr multiply_sum(const View& a, const View& b, Index terms) {
    return evaluator_->multiply_sum(a, b, terms, landing(a, 1));
  }
  ArrayPtr multiply_plain_sum(const View& a, const View& plain, Index terms) {
    return evaluator_->multiply_plain_sum(a, plain, terms, landing(a, 1));
  }
  ArrayPtr rotate(const View& a, std::int64_t steps) { return evaluator_->rotate(a, steps, landing(a)); }
  ArrayPtr rotate_sum(const View& a, std::span<const std::int64_t> steps) {
    return evaluator_->rotate_sum(a, steps, landing(a));
  }
  ArrayPtr gather(std::span<const View> parts) { return evaluator_->gather(parts, landing(parts.front())); }
  ArrayPtr drop(const View& a, int level) { return evaluator_->drop(a, levels_.at(level)); }
  ArrayPtr linear(std::span<const View> inputs, std::span<const layout::LinearMap> maps);

 protected:
  /// Forgets encoded maps, and keeps their schedules.
  void forget_maps();

 private:
  struct KnownMap {
    params::LinearSchedule schedule;
    layout::DiagonalCount diagonals;
    slots::EncodedMapPtr encoded{};  ///< null if it had to make room
    std::list<base::Digest>::iterator use{};
  };
  /// Returns the landing of the result of an operation on `a`. Throws InputError if no level is left for it.
  slots::Landing landing(const View& a, int depth = 0) const;
  slots::EncodedMapPtr encoded(const layout::LinearMap& map, slots::Landing from, slots::Landing to);

  std::shared_ptr<slots::Evaluator> evaluator_;
  TileLevels levels_;
  ScheduleMap schedules_;
  std::mutex mutex_;                       ///< guards the next members
  std::map<base::Digest, KnownMap> maps_;  ///< by layouts, entries and level
  std::list<base::Digest> uses_;           ///< of the encoded ones, the last used first
  double kept_bytes_ = 0;
};
using SessionPtr = std::shared_ptr<Session>;

/// Returns a session in the clear with `max_level` levels.
SessionPtr clear_session(Index slots, int max_level);

/// A session on a reading of a known kind.
template <class Reading>
class SessionOn : public Session {
 protected:
  SessionOn(std::shared_ptr<Reading> reading, TileLevels levels, ScheduleMap schedules)
      : Session(reading, std::move(levels), std::move(schedules)), reading_(std::move(reading)) {}

  const std::shared_ptr<Reading> reading_;
};

/// A session of costs.
class CostSession final : public SessionOn<slots::CostEvaluator> {
 public:
  /// `base` is that of TileLevels. Linear maps are split by the prices of the `table`.
  CostSession(const params::CkksLiteral& literal, const params::CostTable& table, int base, slots::UnitPrices prices);

  const slots::Cost& cost() const { return reading_->cost(); }
  std::int64_t count(slots::Unit unit) const { return cost().work.count(unit); }
  double key_bytes() const { return reading_->key_bytes(); }
  /// Forgets everything except the arrays that are alive.
  void restart();
};
/// Returns a session with the prices of a table alone.
std::shared_ptr<CostSession> cost_session(const params::RequiredParameters& parameters,
                                          const params::CostTable& table = {});

}  // namespace tacit::tensor
