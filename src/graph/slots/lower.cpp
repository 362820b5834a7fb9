#include "graph/slots/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "graph/passes/text_forms.h"
#include "graph/slots/cheapest_placement.h"
#include "graph/slots/choose_forms.h"
#include "graph/slots/choose_layouts.h"
#include "graph/slots/contraction_plan.h"
#include "graph/slots/feature_grid.h"
#include "graph/slots/pair_bootstraps.h"
#include "graph/slots/place_bootstraps.h"
#include "graph/slots/small_questions.h"
#include "layout/diagonals.h"
#include "program/slots/levels.h"
#include "program/slots/lookup_failure.h"
#include "program/slots/operation_prices.h"

namespace tacit::graph::passes {
namespace {

// The free bits of the first prime above the scale and an output's bound: a factor of four, and the sign.
constexpr int kOutputSpareBits = 3;
// Outputs are not scaled up beyond this bound, because that would not make them more precise.
constexpr int kLargestOutputBits = 6;

// Returns the levels at which bootstraps of one form end. `wanted` has the levels at which values are needed, with
// their numbers of ciphertexts. The result is the highest level, and the level below it that makes all bootstraps
// cheapest. There are no more, because each level holds separate transforms of hundreds of megabytes.
using Wanted = std::map<int, std::vector<std::int64_t>>;
std::vector<int> output_levels(const Wanted& wanted, const std::function<double(int, std::int64_t)>& price) {
  std::vector<int> best;
  double cheapest = INFINITY;
  const int highest = wanted.rbegin()->first;
  for (const auto& [split, unused] : wanted) {
    double sum = 0;
    for (const auto& [level, values] : wanted)
      for (const std::int64_t ciphertexts : values) sum += price(level <= split ? split : highest, ciphertexts);
    if (sum >= cheapest) continue;
    cheapest = sum;
    best = {split};
    if (split != highest) best.push_back(highest);
  }
  return best;
}

// Lowers the output levels of bootstraps, because a bootstrap that ends lower is cheaper. Every bootstrap ends as low
// as its readers allow.
void lower_bootstraps(slots::Program& program, const params::CkksLiteral& literal,
                      const slots::OperationPrices& prices) {
  std::map<params::BootstrapForm, Wanted> wanted;
  const auto each = [&](const auto& body) {
    for (slots::Instruction& instruction : program.instructions)
      if (auto* bootstrap = std::get_if<slots::Bootstrap>(&instruction.operation))
        body(*bootstrap, std::max(instruction.level, bootstrap->schedule.chain.input),
             instruction.layout.ciphertexts());
  };
  each([&](const slots::Bootstrap& bootstrap, int level, std::int64_t ciphertexts) {
    wanted[bootstrap.schedule.form][level].push_back(ciphertexts);
  });
  std::map<std::pair<params::BootstrapForm, int>, params::BootstrapSchedule> schedules;
  const auto schedule = [&](params::BootstrapForm form, int level) -> const params::BootstrapSchedule& {
    const auto [made, fresh] = schedules.try_emplace({form, level});
    if (fresh) made->second = params::plan_bootstrap(literal, {.form = form, .output_level = level});
    return made->second;
  };
  std::map<params::BootstrapForm, std::vector<int>> levels;
  for (const auto& [form, values] : wanted)
    levels[form] = output_levels(values, [&, form = form](int level, std::int64_t ciphertexts) {
      return prices.bootstraps(schedule(form, level), ciphertexts);
    });
  each([&](slots::Bootstrap& bootstrap, int level, std::int64_t) {
    const params::BootstrapForm form = bootstrap.schedule.form;
    bootstrap.schedule = schedule(form, *std::ranges::lower_bound(levels[form], level));
  });
}

// Ends the lookups of one form at one level, as low as their readers allow: they share the transforms of a bootstrap.
void lower_lookups(slots::Program& program, const params::CkksLiteral& literal) {
  std::map<params::BootstrapForm, int> ends;
  const auto each = [&](const auto& body) {
    for (slots::Instruction& instruction : program.instructions)
      if (auto* lookup = std::get_if<slots::Lookup>(&instruction.operation)) body(*lookup, instruction.level);
  };
  each([&](const slots::Lookup& lookup, int level) {
    int& end = ends[lookup.schedule.form()];
    end = std::max(end, level + lookup.schedule.polynomial.depth);
  });
  each([&](slots::Lookup& lookup, int) {
    const params::LookupSchedule& known = lookup.schedule;
    lookup.schedule =
        params::plan_lookup(literal, {known.form(), known.entries, ends.at(known.form()) - known.polynomial.depth});
  });
}

// Returns the outputs that the client rounds, with the steps of a normalised network in units of the program.
std::vector<slots::RoundedOutput> rounded_outputs(const Normalised& normalised, const slots::Program& program) {
  std::vector<slots::RoundedOutput> rounded;
  std::vector<program::ValueId> made;
  for (const slots::Instruction& instruction : program.instructions)
    if (const auto* output = std::get_if<slots::Output>(&instruction.operation)) made.push_back(output->input);
  for (std::size_t o = 0; o < made.size(); ++o) {
    const ValueId id = normalised.network.outputs[o];
    const Value& value = normalised.network.values[id];
    if (value.step > 0)
      rounded.push_back({made[o], value.step * normalised.factors[id] * std::ranges::min(value.stretch.values())});
  }
  return rounded;
}

// Returns the problem of a program whose lookups may read a wrong entry, or whose results may be rounded to a wrong
// number.
std::optional<base::Infeasible> noisy_lookup(const slots::Program& program, const params::CkksParameters& parameters,
                                             const Normalised& normalised) {
  if (program::count_of<slots::Lookup>(program.instructions) == 0) return std::nullopt;
  const slots::LookupFailure worst = slots::lookup_failure(program, parameters, rounded_outputs(normalised, program));
  if (worst.log2_probability <= slots::kMostLog2LookupFailure) return std::nullopt;
  const slots::Instruction& value = program.value(worst.id);
  return base::Infeasible{
      .what = std::holds_alternative<slots::Lookup>(value.operation)
                  ? fmt::format("a lookup of node '{}' reads a wrong entry with probability 2^{:.1f} in a run",
                                value.node, worst.log2_probability)
                  : fmt::format("a result of node '{}' is rounded to a wrong number with probability 2^{:.1f} in a run",
                                value.node, worst.log2_probability),
      .bound = fmt::format("2^{} is allowed", slots::kMostLog2LookupFailure),
      .way_out = "use smaller weights or tables with fewer entries, or a parameter set with more precision"};
}

/// Returns the seconds to make `ciphertexts` ciphertexts of a value, or 0 if linear maps make it.
double array_seconds(const Value& value, int level, std::int64_t ciphertexts, const slots::OperationPrices& prices,
                     const BootstrapSchedules& bootstraps) {
  const auto count = static_cast<double>(ciphertexts);
  if (const auto* function = std::get_if<Function>(&value.operation)) {
    const int degree = static_cast<int>(function->coefficients.size()) - 1;
    const auto plan = params::plan_polynomial(function->coefficients, params::PolynomialSchedule::choose(degree));
    return count * prices.polynomial(level + depth_of_value(value), plan);
  }
  if (const auto* table = std::get_if<Tabulated>(&value.operation)) {
    const int entries = static_cast<int>(table->entries.size());
    return prices.lookups(params::plan_lookup(bootstraps.literal, {table->form, entries}), 1, ciphertexts);
  }
  if (const auto* refresh = std::get_if<Refresh>(&value.operation))
    return prices.bootstraps(refresh->folded ? bootstraps.folded : bootstraps.linear, ciphertexts);
  if (std::holds_alternative<Product>(value.operation)) return count * prices.multiply(level + 1);
  if (const auto* sums = std::get_if<SummedProduct>(&value.operation))
    return count * (prices.multiply_sum(level + 1, sums->terms) +
                    static_cast<double>(sums->steps.size()) * prices.rotate(level) +
                    (sums->turn != 0 ? prices.rotate(level + 1) : 0));
  return 0;
}

}  // namespace

/// The arguments of a lowering.
struct Lowering::Asked {
  const params::CkksLiteral& literal;
  BytePrices bytes;
  int output_level;
  GridKind kind;
};

/// A normalised network on one parameter set, for any placement of its bootstraps.
class Lowering::OnOneSet {
 public:
  OnOneSet(Lowering& lowering, const Normalised& normalised, params::CkksParameters parameters, const Asked& asked)
      : lowering_(lowering),
        normalised_(normalised),
        asked_(asked),
        parameters_(std::move(parameters)),
        prices_(asked.literal, lowering.costs_),
        on_slots_(with_contractions(normalised.network)),
        network_(on_slots_ ? *on_slots_ : normalised.network),
        grid_(feature_grid(network_, slot_count(), asked.kind)) {
    if (asked.literal.bootstrap)
      bootstraps_ = {params::plan_bootstrap(asked.literal, {.form = params::BootstrapForm::folded}),
                     params::plan_bootstrap(asked.literal, {.form = params::BootstrapForm::linear}), asked.literal};
    if (on_slots_) {
      std::optional<ContractionForms>& forms = lowering_.forms_[slot_count()];
      if (!forms)
        forms = choose_forms(network_, slot_count(), [&](const ContractionForms& tried) { return price_with(tried); });
      if (forms) take_forms(*on_slots_, *forms, slot_count());
    }
    place();
  }

  base::Feasible<Lowered> cheapest() const {
    if (!placer_)
      return lowered(laid_out(without_bootstraps(network_, grid_, slot_count(), lowering_.planned_.contractions)));
    const base::Feasible<BootstrapPlacement> latest = placer_->place();
    if (!latest) return latest.problem();
    const LaidOut late = laid_out(refreshed(*latest));
    base::Feasible<Lowered> found = lowered(late);
    if (!found || !lowering_.passes_.runs("place-by-price")) return found;
    Lowered& result = *found;
    SecondsOnLayouts seconds(*this, late, *latest);
    const std::set<ValueId> early =
        worth_refreshing_early(*placer_, [&](const BootstrapPlacement& placement) { return seconds.of(placement); });
    std::string decision =
        fmt::format("latest: {:.4g} s, {:.3g} GB\n", result.cost.seconds, result.cost.memory.peak() / 1e9);
    if (!early.empty()) {
      base::Feasible<Lowered> other = lowered_early(early);
      const bool better = other && other->cost.seconds < result.cost.seconds &&
                          other->cost.memory.least() <= kMostMemory * result.cost.memory.least();
      decision +=
          fmt::format("{} refreshed early: {}{}\n", early.size(),
                      other ? fmt::format("{:.4g} s, {:.3g} GB", other->cost.seconds, other->cost.memory.peak() / 1e9)
                            : other.problem().reason(),
                      better ? ", taken" : "");
      if (better) result = *std::move(other);
    }
    if (lowering_.passes_.explains("place-by-price"))
      result.decisions.insert(result.decisions.begin(), {"place-by-price", std::move(decision)});
    return found;
  }

 private:
  // The factor of memory that early refreshes may take if they save time.
  static constexpr double kMostMemory = 1.1;

  struct LaidOut {
    Refreshed refreshed;
    ChosenLayouts chosen;
    std::vector<int> levels;  // by value of the refreshed network
  };

  // The prices of other placements on the layouts of one placement.
  class SecondsOnLayouts {
   public:
    SecondsOnLayouts(const OnOneSet& set, const LaidOut& on, const BootstrapPlacement& placement)
        : set_(set), on_(on), placement_(placement) {}

    double of(const BootstrapPlacement& placement) {
      double sum = 0;
      const Network& network = on_.refreshed.network;
      for (ValueId id = 0; id < network.values.size(); ++id) {
        if (std::holds_alternative<Refresh>(network.values[id].operation)) continue;
        const ValueId origin = on_.refreshed.origins[id];
        sum += made(id, std::max(0, on_.levels[id] + placement.levels[origin] - placement_.levels[origin]));
      }
      for (ValueId origin = 0; origin < placement.refreshed.size(); ++origin)
        if (placement.refreshed[origin])
          sum += refreshed(set_.placer_->read_by_function(origin), placement.ends[origin],
                           layout_of(on_.refreshed.names[origin]).ciphertexts());
      return sum;
    }

   private:
    const layout::Layout& layout_of(ValueId id) const { return on_.chosen.layouts[id]; }

    double made(ValueId id, int level) {
      const Value& value = on_.refreshed.network.values[id];
      if (std::holds_alternative<Affine>(value.operation)) return mapped(id) * by_key_switch(level, on_.levels[id]);
      const auto [known, fresh] = made_.try_emplace({id, level});
      if (fresh)
        known->second = array_seconds(value, level, layout_of(id).ciphertexts(), set_.prices_, set_.bootstraps_);
      return known->second;
    }

    // Returns the seconds of the linear maps of an affine value at its own level. At another level, they scale as a key
    // switch does. Pricing them again at every level would take longer than the rest of a lowering.
    double mapped(ValueId id) {
      const auto [known, fresh] = mapped_.try_emplace(id);
      if (fresh)
        for (const AffineTerm& term : std::get<Affine>(on_.refreshed.network.values[id].operation).terms)
          known->second += set_.lowering_.planned_.splits({layout_of(term.input), layout_of(id), term.op})
                               .seconds(set_.prices_.linear(on_.levels[id] + 1));
      return known->second;
    }

    double by_key_switch(int level, int own) const {
      return level == own ? 1 : set_.prices_.rotate(level + 1) / set_.prices_.rotate(own + 1);
    }

    double refreshed(bool folded, int level, std::int64_t ciphertexts) {
      const auto [known, fresh] = refreshed_.try_emplace({folded, level, ciphertexts});
      if (!fresh) return known->second;
      const params::BootstrapSchedule& highest = folded ? set_.bootstraps_.folded : set_.bootstraps_.linear;
      const params::BootstrapSchedule schedule = params::plan_bootstrap(
          set_.asked_.literal, {.form = highest.form, .output_level = std::max(level, highest.chain.input)});
      return known->second = set_.prices_.bootstraps(schedule, ciphertexts);
    }

    const OnOneSet& set_;
    const LaidOut& on_;
    const BootstrapPlacement& placement_;
    std::map<ValueId, double> mapped_;
    std::map<std::pair<ValueId, int>, double> made_;                   // by value and level
    std::map<std::tuple<bool, int, std::int64_t>, double> refreshed_;  // by form, level and ciphertexts
  };

  void place_at(Refreshable refreshable) {
    placer_.emplace(network_, asked_.literal, asked_.output_level, grid_, lowering_.planned_.slices, refreshable);
  }

  Refreshed refreshed(const BootstrapPlacement& placement) const {
    return place_bootstraps(network_, asked_.literal, grid_, *placer_, placement, lowering_.planned_.contractions);
  }

  slots::LinearPrices linear_prices(int level) const {
    slots::LinearPrices at = prices_.linear(level);
    const double stream = asked_.bytes.keys * prices_.account().half_key_bytes(level);
    at.baby += stream;
    at.giant += stream;
    at.fold += stream;
    return at;
  }

  // Returns the price of the weights of a linear map, which are encoded and held.
  double weight_price(const layout::DiagonalCount& diagonals, int level) const {
    if (asked_.bytes.weights == 0) return 0;
    const layout::Index slots = slot_count();
    return asked_.bytes.weights * prices_.account().real_diagonal_bytes(level) * diagonals.weights(slots) /
           static_cast<double>(slots);
  }

  layout::Index slot_count() const { return static_cast<layout::Index>(parameters_.slots()); }

  // Returns a copy of a network with contractions, whose forms are chosen for a set.
  static std::optional<Network> with_contractions(const Network& network) {
    if (program::count_of<Contraction>(network.values) == 0) return std::nullopt;
    return network;
  }

  // Returns the price of the latest bootstraps and the cheapest layouts with these forms, or infinity.
  double price_with(const ContractionForms& forms) {
    take_forms(*on_slots_, forms, slot_count());
    place();
    if (!placer_) {
      if (depth_of(network_) + asked_.output_level > parameters_.max_level()) return INFINITY;
      return laid_out(without_bootstraps(network_, grid_, slot_count(), lowering_.planned_.contractions))
          .chosen.selection.price;
    }
    const base::Feasible<BootstrapPlacement> latest = placer_->place();
    return latest ? laid_out(refreshed(*latest)).chosen.selection.price : INFINITY;
  }

  // Makes the placer of a set that bootstraps.
  void place() {
    if (!asked_.literal.bootstrap) return;
    place_at(Refreshable::function_inputs);
    if (!placer_->place()) place_at(Refreshable::affine_values);
  }

  LaidOut laid_out(Refreshed refreshed) const {
    std::vector<int> levels = levels_of(refreshed.network);
    ChosenLayouts chosen = choose_layouts(
        refreshed.network, slot_count(),
        [&](const layout::LinearMap& map, ValueId id) {
          const slots::LinearSplits& splits = lowering_.planned_.splits(map);
          return splits.seconds(linear_prices(levels[id] + 1)) + weight_price(splits.count(), levels[id] + 1);
        },
        [&](ValueId id, layout::Index ciphertexts) {
          return array_seconds(refreshed.network.values[id], levels[id], ciphertexts, prices_, bootstraps_);
        },
        refreshed.grid, refreshed.fixed, refreshed.offered);
    return {std::move(refreshed), std::move(chosen), std::move(levels)};
  }

  base::Feasible<Lowered> lowered_early(const std::set<ValueId>& early) const {
    const base::Feasible<BootstrapPlacement> placement = placer_->place(early);
    if (!placement) return placement.problem();
    return lowered(laid_out(refreshed(*placement)));
  }

  base::Feasible<Lowered> lowered(const LaidOut& on) const {
    Lowered lowered{.literal = asked_.literal, .normalised = normalised_, .program = {}, .cost = {}, .places = {}};
    lowered.grid = grid_ ? asked_.kind : GridKind::none;
    const Network& network = on.refreshed.network;
    std::vector<program::ValueId> places;
    lowered.program = emit(
        network, on.chosen.layouts,
        [&](const layout::LinearMap& map, ValueId id) {
          const slots::LinearSplits& known = lowering_.planned_.splits(map);
          return PlannedMap{known.cheapest(linear_prices(on.levels[id] + 1)), known.count()};
        },
        lowering_.names_, bootstraps_, places);
    if (lowering_.passes_.runs("small-questions")) {
      const std::vector<program::ValueId> traced = small_questions(lowered.program);
      for (program::ValueId& place : places) place = traced[place];
    }
    slots::verify(lowered.program);
    if (auto lacking = slots::try_levels(lowered.program, parameters_, asked_.output_level)) return *std::move(lacking);
    if (lowering_.passes_.runs("lower-bootstraps")) {
      lower_bootstraps(lowered.program, asked_.literal, prices_);
      lower_lookups(lowered.program, asked_.literal);
    }
    if (auto noisy = noisy_lookup(lowered.program, parameters_, normalised_)) return *std::move(noisy);
    std::vector<program::ValueId> paired(lowered.program.instructions.size());
    std::iota(paired.begin(), paired.end(), program::ValueId{0});
    if (lowering_.passes_.runs("pair-bootstraps")) paired = pair_bootstraps(lowered.program);
    slots::verify(lowered.program);  // pairs, too, keep the contents around their elements
    for (const ValueId value : on.refreshed.names) lowered.places.push_back(paired[places[value]]);
    lowered.cost = slots::price(lowered.program, asked_.literal, lowering_.costs_);
    const auto decide = [&](const char* pass, const auto& text) {
      if (lowering_.passes_.explains(pass)) lowered.decisions.emplace_back(pass, text());
    };
    decide("bootstraps", [&] { return to_text(network); });
    decide("layouts", [&] { return to_text(on.chosen.choices()); });
    decide("program", [&] { return slots::to_text(lowered.program); });
    decide("sharding-prices", [&] { return priced_shardings(network, on.chosen.choices()); });
    std::erase_if(lowered.decisions, [](const auto& decision) { return decision.second.empty(); });
    return lowered;
  }

  Lowering& lowering_;
  const Normalised& normalised_;
  const Asked asked_;
  params::CkksParameters parameters_;
  slots::OperationPrices prices_;
  std::optional<Network> on_slots_;  // the network, if it has contractions
  const Network& network_;
  std::optional<FeatureGrid> grid_;
  std::optional<BootstrapPlacer> placer_;  // present on a set that bootstraps
  BootstrapSchedules bootstraps_;
};

double largest_output(const params::CkksLiteral& literal, int level) {
  const int bits = std::accumulate(literal.q_bits.begin(), literal.q_bits.begin() + level + 1, 0);
  return std::exp2(bits - literal.log_scale - kOutputSpareBits);
}

bool hides_overflow(const slots::Program& program) {
  return std::any_of(program.instructions.begin(), program.instructions.end(), [](const slots::Instruction& value) {
    if (!std::holds_alternative<slots::Output>(value.operation)) return false;
    const layout::Layout& layout = value.layout;
    if (layout.has_fill(layout::Fill::unknown)) return true;
    const auto taken = layout::element_count(layout.shape()) * static_cast<layout::Index>(layout.copies().size());
    return taken == layout.slots() * layout.ciphertexts();
  });
}

// Maps are planned outside of the lock, on all threads. Two threads seldom plan the same one.
const slots::LinearSplits& PlannedMaps::splits(const layout::LinearMap& map) {
  const layout::LinearOperator& pattern = map.op->pattern();
  const auto known = [&]() -> const slots::LinearSplits* {
    for (const Planned& planned : by_pattern_[&pattern].planned)
      if (planned.map.in == map.in && planned.map.out == map.out) return &planned.splits;
    return nullptr;
  };
  {
    const std::lock_guard lock(mutex_);
    if (const slots::LinearSplits* found = known()) return *found;
  }
  const layout::LinearMap bare{map.in, map.out, layout::LinearOperatorPtr(map.op, &pattern)};
  slots::LinearSplits made{layout::diagonal_set(bare, [&] { return lines(bare); }), map.in.ciphertexts(),
                           map.out.ciphertexts()};
  const std::lock_guard lock(mutex_);
  if (const slots::LinearSplits* found = known()) return *found;
  Pattern& of = by_pattern_[&pattern];
  of.planned.push_back({bare, std::move(made)});
  return of.planned.back().splits;
}

// Seeking lines reads every entry. It pays from the second pair of layouts on.
std::optional<layout::AlikeLines> PlannedMaps::lines(const layout::LinearMap& bare) {
  {
    const std::lock_guard lock(mutex_);
    const Pattern& of = by_pattern_[bare.op.get()];
    if (of.planned.empty()) return std::nullopt;
    const layout::LinearMap& first = of.planned.front().map;
    if (first.in.shape() != bare.in.shape() || first.out.shape() != bare.out.shape()) return std::nullopt;
    if (of.sought) return of.lines;
  }
  const auto found = layout::alike_lines(*bare.op, bare.in.shape(), bare.out.shape());
  const std::lock_guard lock(mutex_);
  Pattern& of = by_pattern_[bare.op.get()];
  of.sought = true;
  return of.lines = found;
}

const Normalised& Lowering::normalised(double output_bound, bool bootstraps) {
  const auto [made, fresh] = normalised_.try_emplace({output_bound, bootstraps});
  if (fresh) made->second = normalise(network_, output_bound, bootstraps ? kRefreshableBounds : StoredBounds{});
  return made->second;
}

base::Feasible<Lowered> Lowering::lower(const params::CkksLiteral& literal, BytePrices bytes, int output_level,
                                        GridKind kind) {
  base::Feasible<params::CkksParameters> parameters = params::CkksParameters::possible(literal);
  if (!parameters) return parameters.problem();
  const double output_bound = std::min(std::exp2(kLargestOutputBits), largest_output(literal, output_level));
  const Normalised& units = normalised(output_bound, literal.bootstrap.has_value());
  return OnOneSet(*this, units, *std::move(parameters), {literal, bytes, output_level, kind}).cheapest();
}

}  // namespace tacit::graph::passes
