#include "params/bootstrap_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.h"
#include "params/account.h"
#include "params/cosine_fit.h"

namespace tacit::params {
namespace {

constexpr int kLinearLogRatio = 10, kFoldedLogRatio = 8;
// Primes of the sine below this many bits leave more noise than a smaller ratio costs.
constexpr int kFewBits = 48, kFoldedLogRatioOfFewBits = 6;
constexpr int kCosineDegree = 30, kCosineLogBaby = 3;
constexpr int kArcsineLevels = 2;
// A little more than the 1/4 that the argument is shifted by, and the message.
constexpr double kRangeMargin = 0.3;
// Half the width of the intervals that the cosine is fitted on, in units of the ratio: |z| up to 1.4; at least that of
// 2^8.
double fit_width(int log_ratio) { return std::exp2(0.5 - std::min(log_ratio, kFoldedLogRatio)); }

double ripple(double ratio) {
  const double x = 2 * std::numbers::pi / ratio;
  return x * x / 6;
}

/// Multiples of 2^first_stage, split into baby and giant steps by what each of them takes.
LinearSchedule split(int first_stage, int stages, int log_slots, const LinearParts<Work>& work) {
  const std::int64_t slots = std::int64_t{1} << log_slots, unit = std::int64_t{1} << first_stage;
  const std::int64_t reach = std::int64_t{1} << stages;
  // The stage that joins the two halves of the slots moves by half of them either way, which is the same.
  const std::int64_t lowest = first_stage + stages == log_slots ? 0 : 1 - reach;
  const auto giant_index = [](std::int64_t j, std::int64_t babies) {
    return j >= 0 ? j / babies : -((-j + babies - 1) / babies);
  };
  const CostTable table;
  const double baby_price = seconds(work.baby, table), giant_price = seconds(work.giant, table);
  std::int64_t best = 1;
  double cheapest = INFINITY;
  for (std::int64_t babies = 1; babies <= reach; babies *= 2) {
    const std::int64_t giants = giant_index(reach - 1, babies) - giant_index(lowest, babies) + 1;
    const double price = baby_price * static_cast<double>(babies) + giant_price * static_cast<double>(giants);
    if (price >= cheapest) continue;
    cheapest = price;
    best = babies;
  }
  const auto wrapped = [&](std::int64_t multiple) { return (multiple * unit % slots + slots) % slots; };
  LinearSchedule schedule;
  for (std::int64_t j = lowest; j < reach; ++j) {
    const std::int64_t giant = giant_index(j, best) * best;
    schedule.steps.push_back({.diagonal = wrapped(j), .baby = wrapped(j - giant), .giant = wrapped(giant)});
  }
  return schedule;
}

/// The stages of a transform divided over its levels, the larger parts first.
std::vector<int> parts(int stages, int levels) {
  std::vector<int> result;
  for (int left = levels; left > 0; --left) {
    result.push_back((stages + left - 1) / left);
    stages -= result.back();
  }
  return result;
}

}  // namespace

double BootstrapSchedule::result(double z) const {
  if (form == BootstrapForm::classic) return z;
  const double x = 2 * std::numbers::pi / ratio();
  double value = std::sin(x * z) / x;
  if (form == BootstrapForm::linear && !arcsine) value *= 1 + 0.75 * ripple(ratio());
  return arcsine ? value + x * x / 6 * value * value * value : value;
}

double BootstrapSchedule::inverse(double result) const {
  const double x = 2 * std::numbers::pi / ratio();
  if (arcsine || form == BootstrapForm::classic) return result;
  if (form == BootstrapForm::linear) result /= 1 + 0.75 * ripple(ratio());
  return std::asin(x * result) / x;
}

BootstrapSchedule plan_bootstrap(const CkksLiteral& literal, const BootstrapOptions& options) {
  BootstrapSchedule schedule;
  schedule.chain = chain_of(literal);
  schedule.form = options.form;
  const bool classic = options.form == BootstrapForm::classic;
  const int sine_bits = literal.q_bits[static_cast<std::size_t>(schedule.chain.sine[0])];
  schedule.log_ratio = classic                                 ? literal.q_bits[0] - literal.log_scale
                       : options.form == BootstrapForm::linear ? kLinearLogRatio
                       : sine_bits < kFewBits                  ? kFoldedLogRatioOfFewBits
                                                               : kFoldedLogRatio;
  if (classic && schedule.log_ratio < kFoldedLogRatioOfFewBits)
    throw base::InputError(fmt::format(
        "bootstrap: the classic form leaves {} bits between q_0 and the scale of the parameter set '{}', fewer "
        "than {}; use the linear or the folded form",
        schedule.log_ratio, literal.name, kFoldedLogRatioOfFewBits));
  schedule.arcsine = options.arcsine;
  schedule.input_level = classic ? 0 : schedule.chain.input;
  const int before_transform = schedule.chain.output - (options.arcsine ? kArcsineLevels : 0);
  const int highest = before_transform - (classic ? schedule.chain.input : 0);
  schedule.output_level = options.output_level < 0 ? highest : options.output_level;
  if (schedule.output_level > highest || schedule.output_level < schedule.input_level)
    throw base::InputError(fmt::format("bootstrap: the output level {} is outside {} to {} of the parameter set '{}'",
                                       schedule.output_level, schedule.input_level, highest, literal.name));
  schedule.chain.skipped = std::min(highest - schedule.output_level, schedule.chain.output - schedule.chain.input - 1);
  for (int* const above : {&schedule.chain.output, &schedule.chain.top}) *above -= schedule.chain.skipped;
  for (int& above : schedule.chain.sine) above -= schedule.chain.skipped;
  const int log_slots = literal.log_n - 1;
  // The same at every level, so that transforms to different levels share their keys.
  const LinearParts<Work> work = Account(literal).linear(chain_of(literal).top);
  int level = classic ? before_transform - schedule.chain.skipped : schedule.chain.input, stage = 0;
  for (const int stages : parts(log_slots, schedule.chain.input)) {
    schedule.slots_to_coefficients.push_back(
        {.first_stage = stage, .stages = stages, .level = level, .schedule = split(stage, stages, log_slots, work)});
    --level;
    stage += stages;
  }
  level = schedule.chain.top;
  for (const int stages : parts(log_slots, schedule.chain.top - schedule.chain.sine[0])) {
    stage -= stages;
    schedule.coefficients_to_slots.push_back(
        {.first_stage = stage, .stages = stages, .level = level, .schedule = split(stage, stages, log_slots, work)});
    --level;
  }
  schedule.range = kOverflowBound + kRangeMargin;
  schedule.cosine =
      fit_cosine(kCosineDegree, kDoubleAngles, kOverflowBound, schedule.range, fit_width(schedule.log_ratio));
  schedule.polynomial = {.degree = kCosineDegree, .log_baby = kCosineLogBaby, .depth = kCosineDepth};
  return schedule;
}

KeyManifest key_manifest(const BootstrapSchedule& schedule) {
  KeyManifest keys;
  const int skipped = schedule.chain.skipped;
  keys.relinearise_level = keys.conjugate_level = schedule.chain.sine[0] + skipped;
  keys.raise_level = schedule.chain.top + skipped;
  const auto add = [&](const std::vector<DftFactor>& factors, int above) {
    for (const DftFactor& factor : factors)
      for (const DiagonalStep& step : factor.schedule.steps)
        for (const std::int64_t rotation : {step.baby, step.giant})
          if (rotation != 0) need_rotation(keys.rotations, rotation, factor.level + above);
  };
  add(schedule.coefficients_to_slots, skipped);
  add(schedule.slots_to_coefficients, 0);
  return keys;
}

}  // namespace tacit::params
