#include "tensor/session.h"

#include <cmath>
#include <utility>

#include "base/byte_stream.h"
#include "base/error.h"
#include "layout/serialize.h"
#include "program/slots/clear.h"
#include "program/slots/linear_plan.h"

namespace tacit::tensor {
namespace {

/// Two maps with one digest have equal layouts and operators.
base::Digest digest_of(const layout::LinearMap& map, int level) {
  base::ByteWriter bytes;
  bytes.i64(level);
  layout::write_layout(bytes, map.in);
  layout::write_layout(bytes, map.out);
  layout::write_operator(bytes, *map.op);
  const std::vector<std::uint8_t> all = bytes.take();
  return base::sha256(std::as_bytes(std::span(all)));
}

}  // namespace

TileLevels TileLevels::of(const params::CkksParameters& parameters, int base) {
  const int top = parameters.max_level();
  if (base < 0 || base > top) base::refuse("a base level of {} is outside 0 to {}", base, top);
  TileLevels levels{base, top - base, std::vector<double>(static_cast<std::size_t>(top) + 1, parameters.scale())};
  for (int level = top; level > base; --level) {
    const auto l = static_cast<std::size_t>(level);
    double& scale = levels.scales[l - 1];
    scale = levels.scales[l] * levels.scales[l] / static_cast<double>(parameters.q()[l]);
    if (!(std::abs(std::log2(scale / parameters.scale())) < 1))
      base::refuse(
          "parameter set {}: products drift from the scale by more than a bit at level {}; use primes of the size of "
          "the scale",
          parameters.literal().name, level - 1);
  }
  return levels;
}

slots::Landing TileLevels::at(int level) const {
  const int absolute = base + level;
  return {absolute, scales.empty() ? 1 : scales.at(static_cast<std::size_t>(absolute))};
}

ScheduleMap cheapest_schedules(const params::CkksLiteral& literal, const params::CostTable& table) {
  return [prices = slots::OperationPrices(literal, table)](const layout::LinearMap& map, const layout::DiagonalSet& set,
                                                           int level) {
    return slots::plan_linear(set, prices.linear(level), map.in.ciphertexts(), map.out.ciphertexts());
  };
}

Session::Session(std::shared_ptr<slots::Evaluator> evaluator, TileLevels levels, ScheduleMap schedules)
    : evaluator_(std::move(evaluator)), levels_(std::move(levels)), schedules_(std::move(schedules)) {}

slots::Landing Session::landing(const View& a, int depth) const {
  const int level = level_of(a) - depth;
  if (level < 0)
    base::refuse(
        "the computation needs more levels than there are: encrypt at a higher level or ask for a greater depth");
  return levels_.at(level);
}

ArrayPtr Session::linear(std::span<const View> inputs, std::span<const layout::LinearMap> maps) {
  const slots::Landing from = landing(inputs.front()), to = landing(inputs.front(), 1);
  std::vector<slots::MappedView> terms;
  for (std::size_t t = 0; t < maps.size(); ++t) terms.push_back({inputs[t], encoded(maps[t], from, to)});
  return evaluator_->linear(terms, nullptr, to);
}

slots::EncodedMapPtr Session::encoded(const layout::LinearMap& map, slots::Landing from, slots::Landing to) {
  if (!schedules_) return evaluator_->encode_map({map, {}}, from, to);
  const base::Digest digest = digest_of(map, from.level);
  KnownMap known;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = maps_.find(digest); found != maps_.end()) {
      if (found->second.encoded) {
        uses_.splice(uses_.begin(), uses_, found->second.use);
        return found->second.encoded;
      }
      known = found->second;
    }
  }
  if (known.schedule.steps.empty()) {
    const layout::DiagonalSet set = layout::diagonal_set(map);
    known.schedule = schedules_(map, set, from.level);
    known.diagonals = set.count;
  }
  known.encoded = evaluator_->encode_map({map, known.schedule, known.diagonals}, from, to);
  const slots::EncodedMapPtr made = known.encoded;
  const std::lock_guard lock(mutex_);
  KnownMap& kept = maps_[digest];
  if (kept.encoded) return made;  // by another thread in between
  kept = std::move(known);
  if (made->bytes() > kKeptMapBytes) {
    kept.encoded.reset();
    return made;
  }
  while (kept_bytes_ + made->bytes() > kKeptMapBytes) {
    slots::EncodedMapPtr& oldest = maps_[uses_.back()].encoded;
    kept_bytes_ -= oldest->bytes();
    oldest.reset();
    uses_.pop_back();
  }
  uses_.push_front(digest);
  kept.use = uses_.begin();
  kept_bytes_ += made->bytes();
  return made;
}

void Session::forget_maps() {
  const std::lock_guard lock(mutex_);
  for (auto& [digest, known] : maps_) known.encoded.reset();
  uses_.clear();
  kept_bytes_ = 0;
}

SessionPtr clear_session(Index slots, int max_level) {
  return std::make_shared<Session>(std::make_shared<slots::ClearEvaluator>(slots), TileLevels{0, max_level, {}});
}

CostSession::CostSession(const params::CkksLiteral& literal, const params::CostTable& table, int base,
                         slots::UnitPrices prices)
    : SessionOn(slots::CostEvaluator::make(literal, std::move(prices), slots::Priced::session),
                TileLevels{base, static_cast<int>(literal.q_bits.size()) - 1 - base, {}},
                cheapest_schedules(literal, table)) {}

std::shared_ptr<CostSession> cost_session(const params::RequiredParameters& parameters,
                                          const params::CostTable& table) {
  return std::make_shared<CostSession>(parameters.literal, table, parameters.base_level,
                                       slots::UnitPrices(parameters.literal, table));
}

void CostSession::restart() {
  forget_maps();
  reading_->restart();
}

}  // namespace tacit::tensor
