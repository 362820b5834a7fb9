#include "params/bootstrap_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <numbers>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "params/account.h"
#include "params/cosine_fit.h"
#include "params/key_price.h"

namespace tacit::params {
namespace {

constexpr int kCosineDegree = 30, kCosineLogBaby = 3;
// Raised coefficients overflow by more than this in one slot of 2^23.
constexpr int kLikelyOverflow = 8;
constexpr int kLinearLogRatio = 10, kHalfLogRatio = 2, kWholeLogRatio = 1;
// Beside the cosines of even degree, a turn has sines of odd degree.
constexpr int kTurnDegree = 31;
// A raised coefficient is at most (weight + 1) / 2 times q_0, message included: the roundings of the bootstrap come to
// less than this beyond.
constexpr int kMostTurnsWeight = 2 * kOverflowBound;
constexpr double kTurnsMargin = 1.0 / 256;
// Of one factor, where there are levels for the others: its diagonals are twice as many with each.
constexpr int kMostStages = 7;
// A little more than the 1/4 that the argument is shifted by, and the message.
constexpr double kRangeMargin = 0.3;
// By which a coefficient of the cosine may differ between machines. Doubling the angles and the ratio make a result's
// error of it that is less than 2^-27.
constexpr double kCosineRounding = 1e-13;
// The largest ratio whose message decides how wide the intervals are that the cosine is fitted on.
constexpr int kNarrowestLogRatio = 8;

/// A ratio, and the overflows that the cosine is fitted to first.
struct Sine {
  int log_ratio, likely;

  /// Half the width of the intervals that the cosine is fitted on.
  double width() const { return std::ldexp(kMessageReach, -std::min(log_ratio, kNarrowestLogRatio)); }
};

constexpr int log_ratio_of(BootstrapForm form) {
  switch (form) {
    case BootstrapForm::linear: return kLinearLogRatio;
    case BootstrapForm::folded: return kLeastLogRatio;
    case BootstrapForm::half: return kHalfLogRatio;
    case BootstrapForm::whole: break;
  }
  return kWholeLogRatio;
}

constexpr Sine planned_sine(BootstrapForm form) { return {.log_ratio = log_ratio_of(form), .likely = kLikelyOverflow}; }

/// The sine of models that were compiled before cosines were fitted by the probability of overflows. `bits` are those
/// of the first prime of the sine.
constexpr Sine earlier_sine(BootstrapForm form, int bits) {
  constexpr int kFewBits = 48;
  const int folded = bits < kFewBits ? 6 : 8;
  return {.log_ratio = form == BootstrapForm::linear ? kLinearLogRatio : folded, .likely = kOverflowBound};
}

double ripple(double ratio) {
  const double x = 2 * std::numbers::pi / ratio;
  return x * x / 6;
}

/// The diagonals of some stages, as multiples of 2^first_stage.
struct Diagonals {
  Diagonals(int first, int stages, int log_slots)
      : first_stage(first),
        slots(std::int64_t{1} << log_slots),
        end(std::int64_t{1} << stages),
        // The stage that joins the two halves of the slots moves by half of them either way, which is the same.
        begin(first + stages == log_slots ? 0 : 1 - end) {}
  std::int64_t rotation(std::int64_t multiple) const {
    return (multiple * (std::int64_t{1} << first_stage) % slots + slots) % slots;
  }
  /// Counts the steps of `split`. The diagonals from -end on, or from 0, are in runs of `babies` with one giant step
  /// each. No two giant steps are the same rotation.
  LinearCounts counts(std::int64_t babies) const {
    const std::int64_t first = begin == 0 || babies == 1 ? begin : -end;
    LinearCounts counts;
    counts.babies = babies - 1;
    counts.giants = (end - babies - first) / babies;
    counts.products = end - begin;
    return counts;
  }
  /// With so many baby steps to a giant one, a power of two up to `end`.
  LinearSchedule split(std::int64_t babies) const {
    LinearSchedule schedule;
    for (std::int64_t j = begin; j < end; ++j) {
      const std::int64_t giant = (j >= 0 ? j / babies : -((-j + babies - 1) / babies)) * babies;
      schedule.steps.push_back({.diagonal = rotation(j), .baby = rotation(j - giant), .giant = rotation(giant)});
    }
    return schedule;
  }

  int first_stage;
  std::int64_t slots, end, begin;
};

/// What a factor's parts take at its level, and what one more key counts for, in seconds.
struct LevelPrices {
  LinearParts<double> parts;
  double key;
};

/// The baby steps to a giant one of a factor, and its price.
struct PricedSplit {
  std::int64_t babies = 0;
  double seconds = INFINITY;
};
PricedSplit cheapest_split(const Diagonals& diagonals, double density, const LevelPrices& level, bool giants) {
  PricedSplit best;
  for (std::int64_t babies = giants ? 1 : diagonals.end; babies <= diagonals.end; babies *= 2) {
    LinearCounts counts = diagonals.counts(babies);
    counts.density = density;
    const double seconds = total(counts, level.parts) + static_cast<double>(counts.rotations()) * level.key;
    if (seconds < best.seconds) best = {babies, seconds};
  }
  return best;
}

/// One period of a factor's diagonals, as a share of the slots.
double density_of(int first_stage, int stages, int log_slots) {
  return std::ldexp(1.0, first_stage + stages - log_slots);
}

/// All stages divided over the levels, in the order of their use, so that the factors and their keys cost the least.
/// Level by level it finds the best way to spend so many stages on the levels so far. Slots to coefficients uses stages
/// from the lowest up. Coefficients to slots uses them from the highest down, and its first factor has no giant steps.
std::vector<DftFactor> cheapest_factors(int log_slots, bool to_coefficients, const std::vector<LevelPrices>& levels) {
  struct SplitFactor {
    int first, stages;
    std::int64_t babies;
  };
  struct Plan {
    double seconds = INFINITY;
    std::vector<SplitFactor> factors;
  };
  const auto slots = static_cast<std::size_t>(log_slots);
  const auto count_of_levels = static_cast<int>(levels.size());
  const int most = std::max(kMostStages, (log_slots + count_of_levels - 1) / count_of_levels);
  std::vector<Plan> plans(slots + 1);  // by stages that are used
  plans[0].seconds = 0;
  for (const LevelPrices& level : levels) {
    std::vector<Plan> next(slots + 1);
    for (int used = 0; used < log_slots; ++used) {
      const Plan& before = plans[static_cast<std::size_t>(used)];
      for (int stages = 1; before.seconds < INFINITY && stages <= std::min(most, log_slots - used); ++stages) {
        const int first = to_coefficients ? used : log_slots - used - stages;
        const PricedSplit split =
            cheapest_split(Diagonals(first, stages, log_slots), density_of(first, stages, log_slots), level,
                           to_coefficients || used > 0);
        Plan& plan = next[static_cast<std::size_t>(used + stages)];
        if (before.seconds + split.seconds >= plan.seconds) continue;
        plan = {.seconds = before.seconds + split.seconds, .factors = before.factors};
        plan.factors.push_back({first, stages, split.babies});
      }
    }
    plans = std::move(next);
  }
  std::vector<DftFactor> factors;
  for (const auto& [first, stages, babies] : plans.back().factors)
    factors.push_back(
        {.first_stage = first, .stages = stages, .schedule = Diagonals(first, stages, log_slots).split(babies)});
  return factors;
}

/// Factors one after another, from the level of the first one's input down.
void place(std::vector<DftFactor>& factors, int level) {
  for (DftFactor& factor : factors) factor.level = level--;
}

/// Why factors cannot take the place of those that were planned: other levels, stages that are left out or repeated,
/// steps that do not read every diagonal once, giant steps of a raised ciphertext.
std::string factors_problem(std::span<const DftFactor> factors, std::span<const DftFactor> planned, int log_slots,
                            bool to_coefficients) {
  const char* const name = to_coefficients ? "slots to coefficients" : "coefficients to slots";
  if (factors.size() != planned.size())
    return fmt::format("has {} factors of {} and {} levels for them", factors.size(), name, planned.size());
  int used = 0;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const auto& [first, stages, level, schedule] = factors[i];
    if (level != planned[i].level)
      return fmt::format("has a factor of {} at level {} in place of {}", name, level, planned[i].level);
    if (stages < 1 || stages > log_slots - used || first != (to_coefficients ? used : log_slots - used - stages))
      return fmt::format("does not take each of the {} stages of {} once and in order", log_slots, name);
    used += stages;
    const Diagonals diagonals(first, stages, log_slots);
    std::vector<std::int64_t> wanted, read;
    for (std::int64_t j = diagonals.begin; j < diagonals.end; ++j) wanted.push_back(diagonals.rotation(j));
    for (const auto& [diagonal, baby, giant] : schedule.steps) {
      const bool in_slots = std::min({diagonal, baby, giant}) >= 0 && std::max(baby, giant) < diagonals.slots;
      if (!in_slots || (baby + giant) % diagonals.slots != diagonal)
        return fmt::format("has a step of {} that does not reach its diagonal", name);
      if (!to_coefficients && i == 0 && giant != 0) return "has a giant step of a raised ciphertext";
      read.push_back(diagonal);
    }
    std::ranges::sort(wanted);
    std::ranges::sort(read);
    if (read != wanted || !schedule.folds.empty())
      return fmt::format("has a factor of {} that does not read each of its diagonals once", name);
  }
  if (used != log_slots) return fmt::format("leaves out stages of {}", name);
  return {};
}

/// Fits take milliseconds, and plans for many levels ask for the same few.
std::vector<double> cosine_of(double range, const Sine& sine) {
  static std::mutex mutex;
  static std::map<std::tuple<double, double, int>, std::vector<double>> known;
  const std::lock_guard lock(mutex);
  std::vector<double>& fit = known[{range, sine.width(), sine.likely}];
  if (fit.empty()) fit = fit_cosine(kCosineDegree, kDoubleAngles, kOverflowBound, sine.likely, range, sine.width());
  return fit;
}

/// The bits of the first prime of the sine of a set.
int sine_bits(const CkksLiteral& literal) {
  return literal.q_bits[static_cast<std::size_t>(chain_of(literal).sine[0])];
}

/// True if a schedule has this ratio and this series.
bool has_sine(const BootstrapSchedule& schedule, int log_ratio, std::span<const double> cosine) {
  return schedule.log_ratio == log_ratio && std::ranges::equal(schedule.cosine, cosine, [](double a, double b) {
           return std::abs(a - b) <= kCosineRounding;
         });
}

/// True if a schedule has the sine that its set was given before cosines were fitted by probability.
bool has_earlier_sine(const BootstrapSchedule& schedule, const CkksLiteral& literal) {
  if (is_of_lookups(schedule.form)) return false;
  const Sine sine = earlier_sine(schedule.form, sine_bits(literal));
  return has_sine(schedule, sine.log_ratio, cosine_of(schedule.range, sine));
}

/// The series of the forms that lookups read. Every argument is possible, not only those near whole turns.
void plan_turns(BootstrapSchedule& schedule, const CkksLiteral& literal) {
  if (const int weight = literal.bootstrap->ephemeral_weight; weight > kMostTurnsWeight)
    base::refuse(
        "lookups: the ephemeral secret of parameter set '{}' has weight {}, above {}, so that arguments leave "
        "the interval of the sine; lower ephemeral_weight to {}",
        literal.name, weight, kMostTurnsWeight, kMostTurnsWeight);
  schedule.range = (kMostTurnsWeight + 1) / 2.0 + schedule.shift() + kTurnsMargin;
  const bool whole = schedule.form == BootstrapForm::whole;
  const int degree = whole ? kTurnDegree : kCosineDegree;
  schedule.cosine = turn_series(degree, kDoubleAngles, schedule.range, whole);
  schedule.polynomial = {.degree = degree, .log_baby = kCosineLogBaby, .depth = kCosineDepth};
}

}  // namespace

LinearCounts count(const DftFactor& factor, int log_slots) {
  LinearCounts counts = count(factor.schedule.steps);
  counts.density = density_of(factor.first_stage, factor.stages, log_slots);
  return counts;
}

double BootstrapSchedule::result(double z) const {
  const double x = 2 * std::numbers::pi / ratio();
  if (is_of_lookups(form)) return form == BootstrapForm::half ? std::sin(x * z) : std::cos(x * z);
  const double value = std::sin(x * z) / x;
  return form == BootstrapForm::linear ? value * (1 + 0.75 * ripple(ratio())) : value;
}

double BootstrapSchedule::inverse(double result) const {
  TACIT_ASSERT(form != BootstrapForm::whole);
  const double x = 2 * std::numbers::pi / ratio();
  if (form == BootstrapForm::half) return std::asin(result) / x;
  if (form == BootstrapForm::linear) result /= 1 + 0.75 * ripple(ratio());
  return std::asin(x * result) / x;
}

BootstrapSchedule plan_bootstrap(const CkksLiteral& literal, const BootstrapOptions& options, const CostTable& table) {
  BootstrapSchedule schedule;
  schedule.chain = chain_of(literal);
  schedule.form = options.form;
  const Sine sine = planned_sine(options.form);
  schedule.log_ratio = sine.log_ratio;
  schedule.input_level = schedule.chain.input;
  const int highest = schedule.chain.output;
  schedule.output_level = options.output_level < 0 ? highest : options.output_level;
  if (schedule.output_level > highest || schedule.output_level < schedule.input_level)
    base::refuse("bootstrap: the output level {} is outside {} to {} of the parameter set '{}'", schedule.output_level,
                 schedule.input_level, highest, literal.name);
  schedule.chain.skipped = std::min(highest - schedule.output_level, schedule.chain.output - schedule.chain.input - 1);
  for (int* const above : {&schedule.chain.output, &schedule.chain.top}) *above -= schedule.chain.skipped;
  for (int& above : schedule.chain.sine) above -= schedule.chain.skipped;
  // The factors are those of bootstraps to the highest level.
  const BootstrapChain whole = chain_of(literal);
  const Account account(literal);
  const auto prices = [&](const LinearParts<Work>& parts, double key_bytes) {
    return LevelPrices{.parts = seconds(parts, table), .key = key_bytes * kKeySecondsPerByte};
  };
  const auto linear = [&](int level) { return prices(account.linear(level), account.half_key_bytes(level)); };
  std::vector<LevelPrices> down, up;
  for (int level = whole.input; level > 0; --level) down.push_back(linear(level));
  up.push_back(prices(account.raised_linear(whole.top), account.half_raised_key_bytes(whole.top)));
  for (int level = whole.top - 1; level > whole.sine[0]; --level) up.push_back(linear(level));
  schedule.slots_to_coefficients = cheapest_factors(literal.log_n - 1, true, down);
  schedule.coefficients_to_slots = cheapest_factors(literal.log_n - 1, false, up);
  place(schedule.slots_to_coefficients, schedule.chain.input);
  place(schedule.coefficients_to_slots, schedule.chain.top);
  if (is_of_lookups(schedule.form)) {
    plan_turns(schedule, literal);
    return schedule;
  }
  schedule.range = kOverflowBound + kRangeMargin;
  schedule.cosine = cosine_of(schedule.range, sine);
  schedule.polynomial = {.degree = kCosineDegree, .log_baby = kCosineLogBaby, .depth = kCosineDepth};
  return schedule;
}

std::string schedule_problem(const BootstrapSchedule& schedule, const CkksLiteral& literal) {
  const BootstrapSchedule planned =
      plan_bootstrap(literal, {.form = schedule.form, .output_level = schedule.output_level});
  const auto all_but_factors = [](const BootstrapSchedule& of) {
    return std::tie(of.chain, of.input_level, of.range, of.polynomial);
  };
  if (all_but_factors(schedule) != all_but_factors(planned)) return "is none of the parameter set " + literal.name;
  if (!has_sine(schedule, planned.log_ratio, planned.cosine) && !has_earlier_sine(schedule, literal))
    return "has another sine than the parameter set " + literal.name + " needs";
  std::string problem =
      factors_problem(schedule.slots_to_coefficients, planned.slots_to_coefficients, literal.log_n - 1, true);
  if (problem.empty())
    problem = factors_problem(schedule.coefficients_to_slots, planned.coefficients_to_slots, literal.log_n - 1, false);
  return problem;
}

KeyManifest key_manifest(const BootstrapSchedule& schedule) {
  KeyManifest keys;
  const int skipped = schedule.chain.skipped;
  keys.relinearise_level = keys.conjugate_level = schedule.chain.sine[0] + skipped;
  const std::span coefficients_to_slots(schedule.coefficients_to_slots);
  for (const DiagonalStep& step : coefficients_to_slots[0].schedule.steps)
    need_rotation(keys.raised_rotations, step.baby, schedule.chain.top + skipped);
  const auto add = [&](std::span<const DftFactor> factors, int above) {
    for (const DftFactor& factor : factors)
      for (const DiagonalStep& step : factor.schedule.steps)
        for (const std::int64_t rotation : {step.baby, step.giant})
          if (rotation != 0) need_rotation(keys.rotations, rotation, factor.level + above);
  };
  add(coefficients_to_slots.subspan(1), skipped);
  add(schedule.slots_to_coefficients, 0);
  return keys;
}

}  // namespace tacit::params
