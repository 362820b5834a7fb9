#include "graph/slots/lower.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>

#include "graph/passes/network_levels.h"
#include "graph/passes/text_forms.h"
#include "graph/slots/choose_layouts.h"
#include "graph/slots/feature_grid.h"
#include "graph/slots/pair_bootstraps.h"
#include "graph/slots/place_bootstraps.h"
#include "layout/diagonals.h"
#include "program/slots/levels.h"
#include "program/slots/operation_prices.h"

namespace tacit::graph::passes {
namespace {

// Free bits of the first prime above the scale and an output's bound: a factor of four, and the sign.
constexpr int kOutputSpareBits = 3;
// Outputs are not scaled up beyond this: more would not make them more precise.
constexpr int kLargestOutputBits = 6;

// Where bootstraps of one form end, from the levels at which values of so many ciphertexts are wanted: at the highest,
// and at the one below it that makes all of them cheapest. No more, for each holds transforms of its own, hundreds of
// megabytes.
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

// A bootstrap that ends lower is cheaper: every one ends as low as what follows it allows.
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

/// Of making so many ciphertexts of a value, unless linear maps do.
double array_seconds(const Value& value, int level, std::int64_t ciphertexts, const slots::OperationPrices& prices,
                     const BootstrapSchedules& bootstraps) {
  const auto count = static_cast<double>(ciphertexts);
  if (const auto* function = std::get_if<Function>(&value.operation)) {
    const int degree = static_cast<int>(function->coefficients.size()) - 1;
    const auto plan = params::plan_polynomial(function->coefficients, params::PolynomialSchedule::choose(degree));
    return count * prices.polynomial(level + depth_of_value(value), plan);
  }
  if (const auto* refresh = std::get_if<Refresh>(&value.operation))
    return prices.bootstraps(refresh->folded ? bootstraps.folded : bootstraps.linear, ciphertexts);
  if (std::holds_alternative<Product>(value.operation)) return count * prices.multiply(level + 1);
  return 0;
}

}  // namespace

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

const Normalised& Lowering::normalised(double output_bound, double operand_bound) {
  const auto [made, fresh] = normalised_.try_emplace({output_bound, operand_bound});
  if (fresh) made->second = normalise(network_, output_bound, operand_bound);
  return made->second;
}

const slots::LinearSplits& Lowering::splits(const layout::LinearMap& map) {
  const layout::LinearOperator& pattern = map.op->pattern();
  std::vector<PlannedMaps::Planned>& known = planned_.by_pattern[&pattern];
  for (const PlannedMaps::Planned& planned : known)
    if (planned.map.in == map.in && planned.map.out == map.out) return planned.splits;
  const layout::LinearMap bare{map.in, map.out, layout::LinearOperatorPtr(map.op, &pattern)};
  known.push_back({bare, {layout::diagonal_set(bare), map.in.ciphertexts(), map.out.ciphertexts()}});
  return known.back().splits;
}

Lowered Lowering::lower(const params::CkksLiteral& literal, double key_seconds_per_byte, int output_level,
                        GridKind kind) {
  const params::CkksParameters parameters = params::CkksParameters::check(literal);
  const slots::OperationPrices prices(literal, costs_);
  const auto linear_prices = [&](int level) {
    slots::LinearPrices at = prices.linear(level);
    const double stream = key_seconds_per_byte * prices.account().half_key_bytes(level);
    at.baby += stream;
    at.giant += stream;
    at.fold += stream;
    return at;
  };
  const double output_bound = std::min(std::exp2(kLargestOutputBits), largest_output(literal));
  Lowered lowered{literal, normalised(output_bound, literal.bootstrap ? 1 : kOperandBound), {}, {}, {}};
  const auto slots = static_cast<layout::Index>(parameters.slots());
  const std::optional<FeatureGrid> grid = feature_grid(lowered.normalised.network, slots, kind);
  lowered.grid = grid ? kind : GridKind::none;
  Refreshed refreshed = place_bootstraps(lowered.normalised.network, literal, output_level, grid, planned_.slices);
  const std::vector<int> levels = levels_of(refreshed.network);
  BootstrapSchedules bootstraps;
  if (literal.bootstrap)
    bootstraps = {params::plan_bootstrap(literal, {.form = params::BootstrapForm::folded}),
                  params::plan_bootstrap(literal, {.form = params::BootstrapForm::linear})};
  const ChosenLayouts chosen = choose_layouts(
      refreshed.network, slots,
      [&](const layout::LinearMap& map, ValueId id) { return splits(map).seconds(linear_prices(levels[id] + 1)); },
      [&](ValueId id, layout::Index ciphertexts) {
        return array_seconds(refreshed.network.values[id], levels[id], ciphertexts, prices, bootstraps);
      },
      refreshed.grid);
  std::vector<program::ValueId> places;
  lowered.program = emit(
      refreshed.network, chosen.layouts,
      [&](const layout::LinearMap& map, ValueId id) {
        const slots::LinearSplits& known = splits(map);
        return PlannedMap{known.cheapest(linear_prices(levels[id] + 1)), known.count()};
      },
      names_, bootstraps, &places);
  slots::verify(lowered.program);
  slots::assign_levels(lowered.program, parameters, output_level);
  if (passes_.runs("lower-bootstraps")) lower_bootstraps(lowered.program, literal, prices);
  std::vector<program::ValueId> paired(lowered.program.instructions.size());
  std::iota(paired.begin(), paired.end(), program::ValueId{0});
  if (passes_.runs("pair-bootstraps")) paired = pair_bootstraps(lowered.program);
  slots::verify(lowered.program);  // pairs, too, keep what lies beside their elements
  for (const ValueId value : refreshed.names) lowered.places.push_back(paired[places[value]]);
  lowered.cost = slots::price(lowered.program, literal, costs_);
  if (passes_.explain)
    lowered.decisions = {{"bootstraps", to_text(refreshed.network)},
                         {"layouts", to_text(chosen.choices)},
                         {"program", slots::to_text(lowered.program)}};
  if (std::string prices_of_blocks = priced_shardings(refreshed.network, chosen.choices);
      passes_.explain && !prices_of_blocks.empty())
    lowered.decisions.emplace_back("sharding-prices", std::move(prices_of_blocks));
  return lowered;
}

}  // namespace tacit::graph::passes
