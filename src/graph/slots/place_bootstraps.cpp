#include "graph/slots/place_bootstraps.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "graph/approximate/chebyshev.h"
#include "graph/slots/contraction_plan.h"
#include "graph/slots/parts_plan.h"
#include "layout/operators/movement.h"
#include "layout/operators/row_band.h"
#include "params/bootstrap_schedule.h"

namespace tacit::graph::passes {
namespace {

using layout::Index;

// Returns p(x). Beyond 1 the curve is turned by 180 degrees around its end: no value, slope or size jumps there.
double turned_at_ends(std::span<const double> coefficients, double x) {
  const double end = std::clamp(x, -1.0, 1.0);
  const double inside = approximate::evaluate(coefficients, 2 * end - x);
  return x == end ? inside : 2 * approximate::evaluate(coefficients, end) - inside;
}

double sum_of_sizes(const std::vector<double>& numbers) {
  double sum = 0;
  for (const double x : numbers) sum += std::abs(x);
  return sum;
}

// Changes p(x) to the series in y = result(x) that has the same values, with the same degree and parity. The argument y
// differs from x by at most 0.0016, and p is read as far beyond 1. A series of high degree explodes there, and gives
// way to a turned curve. The truncation adds about 0.0004 times the degree and the last coefficient, which is far below
// the error of p.
std::vector<double> unbent(const std::vector<double>& coefficients, const params::BootstrapSchedule& schedule) {
  constexpr double kMostGrowth = 4;
  const int degree = static_cast<int>(coefficients.size()) - 1;
  const auto series_of = [&](double (*p)(std::span<const double>, double)) {
    const approximate::Samples composed = [&](std::span<const double> points) {
      std::vector<double> values;
      for (const double y : points) values.push_back(p(coefficients, schedule.inverse(y)));
      return values;
    };
    std::vector<double> series = approximate::interpolate(composed, 2 * degree + 16);
    series.resize(coefficients.size());
    for (std::size_t k = 0; k < series.size(); ++k)
      if (coefficients[k] == 0) series[k] = 0;
    return series;
  };
  std::vector<double> series = series_of(&approximate::evaluate);
  return sum_of_sizes(series) <= kMostGrowth * sum_of_sizes(coefficients) ? series : series_of(&turned_at_ends);
}

ValueId add(Refreshed& to, Value value, layout::Layout::Gaps gaps = {}) {
  if (to.grid) to.grid->maps.push_back({value.shape, gaps});
  return to.network.add(std::move(value));
}

ValueId add_in(Refreshed& to, Value value, const layout::Layout& layout) {
  const ValueId id = add(to, std::move(value));
  to.fixed.emplace(id, layout);
  return id;
}

// Adds the copies of an operand of a contraction. Returns the value that is multiplied.
ValueId add_operand(Refreshed& to, const Value& contraction, ValueId operand, const ContractionPlan::Operand& plan) {
  const auto moved = [&](ValueId from, const layout::LinearOperatorPtr& op, const layout::Layout& layout) {
    Value value{Affine{{{from, op}}}, layout.shape(), contraction.node, contraction.op,
                to.network.values[operand].range};
    return add_in(to, std::move(value), layout);
  };
  return moved(plan.skew ? moved(operand, plan.skew, plan.skewed) : operand, plan.spread, plan.copies);
}

// Adds a contraction whose operands have their names in `to`.
ValueId add_contraction(Refreshed& to, Value value, Index slots, ContractionPlans& plans) {
  const Contraction contraction = std::get<Contraction>(value.operation);
  const auto shape = [&](ValueId operand) -> const Shape& { return to.network.values[operand].shape; };
  const ContractionPlan& plan =
      plans.of(contraction, shape(contraction.left), shape(contraction.right), value.shape, slots);
  SummedProduct products = plan.sums;
  products.left = add_operand(to, value, plan.swapped ? contraction.right : contraction.left, plan.left);
  products.right = add_operand(to, value, plan.swapped ? contraction.left : contraction.right, plan.right);
  std::ranges::copy(plan.offered, std::back_inserter(to.offered[value.shape]));
  Value sums = value;
  sums.operation = std::move(products);
  if (!plan.unshift) return add_in(to, std::move(sums), plan.result);
  sums.tensor = kNoTensor;
  ValueId shifted = add_in(to, sums, plan.result);
  if (plan.collect) {
    sums.operation = Affine{{{shifted, plan.collect}}};
    shifted = add_in(to, std::move(sums), plan.collected);
  }
  value.operation = Affine{{{shifted, plan.unshift}}};
  return add(to, std::move(value));
}

// Adds the product of the parts of a value that has its name in `to`. The value gets the layout of its parts.
ValueId add_parts_product(Refreshed& to, Value value, Index slots) {
  const PartsProduct whole = std::get<PartsProduct>(value.operation);
  const PartsPlan plan = plan_parts(to.network.values[whole.input].shape, slots);
  to.fixed.insert_or_assign(whole.input, plan.operand);
  struct Group {
    ValueId value;
    Index offset;
  };
  const auto multiply = [&](Group left, Group right, std::int64_t turn, bool last) -> Group {
    Value made = value;
    SummedProduct product{left.value, right.value};
    product.turn = turn;
    if (last && whole.summed) {
      const std::vector<Index> strides{1, plan.sample_blocks};
      product.pairs = {
          {plan.sample_blocks, plan.element_blocks}, strides, strides, left.offset, right.offset, plan.summands};
      product.terms = plan.element_blocks;
      product.steps = plan.steps;
    } else {
      product.pairs = {{plan.ciphertexts()}, {1}, {1}, left.offset, right.offset, plan.products};
    }
    made.operation = std::move(product);
    if (last) return {add_in(to, std::move(made), whole.summed ? plan.sum : plan.result), 0};
    made.tensor = kNoTensor;
    made.shape = plan.products.shape();
    return {add_in(to, std::move(made), plan.products), 0};
  };
  std::vector<Group> groups;
  for (Index g = 0; g < plan.groups; ++g) groups.push_back({whole.input, g * plan.ciphertexts()});
  while (groups.size() > 1) {
    std::vector<Group> products;
    for (std::size_t i = 0; i + 1 < groups.size(); i += 2)
      products.push_back(multiply(groups[i], groups[i + 1], 0, groups.size() == 2 && plan.inside == 1));
    if (groups.size() % 2 == 1) products.push_back(groups.back());
    groups = std::move(products);
  }
  for (Index inside = plan.inside / 2; inside >= 1; inside /= 2)
    groups = {multiply(groups[0], groups[0], inside * plan.distance, inside == 1)};
  return groups[0].value;
}

// Adds a value that lowering replaces by others on these slots, or the value itself.
ValueId add_on_slots(Refreshed& to, Value value, layout::Layout::Gaps gaps, Index slots, ContractionPlans& plans) {
  if (std::holds_alternative<Contraction>(value.operation)) return add_contraction(to, std::move(value), slots, plans);
  if (std::holds_alternative<PartsProduct>(value.operation)) return add_parts_product(to, std::move(value), slots);
  return add(to, std::move(value), gaps);
}

/// Writes a network with the refreshes of a placement.
class Rewriter {
 public:
  Rewriter(const Network& network, const params::CkksLiteral& literal, const std::optional<FeatureGrid>& grid,
           const BootstrapPlacer& placer, ContractionPlans& plans)
      : network_(network),
        grid_(grid),
        placer_(placer),
        plans_(plans),
        slots_(Index{1} << (literal.log_n - (literal.real_slots ? 0 : 1))),
        chain_(params::chain_of(literal)),
        folded_(params::plan_bootstrap(literal, {.form = params::BootstrapForm::folded})) {}

  Refreshed run(const BootstrapPlacement& placement) {
    Refreshed result{.network = {}, .names = {}, .grid = grid_};
    if (grid_) result.grid->maps.clear();
    std::vector<ValueId> readable;  // by value: the value that its readers read
    for (ValueId id = 0; id < network_.values.size(); ++id) {
      const layout::Layout::Gaps gaps = grid_ ? grid_->maps[id].gaps : layout::Layout::Gaps{};
      Value value = renamed(network_.values[id], readable);
      auto* function = std::get_if<Function>(&value.operation);
      if (function && placement.refreshed[std::get<Function>(network_.values[id].operation).input])
        function->coefficients = unbent(function->coefficients, folded_);
      if (auto* table = std::get_if<Tabulated>(&value.operation)) table->from_level = chain_.input;
      if (auto* affine = std::get_if<Affine>(&value.operation); affine && grid_)
        *affine = on_slices(id, std::move(*affine), result);
      ValueId made = 0;
      if (placer_.cleaned(id)) {
        Value clean = value;
        Affine sum;
        for (Affine& part : by_width(value, result.network)) {
          value.operation = std::move(part);
          made = add(result, value, gaps);
          sum.terms.push_back({made, std::make_shared<layout::Identity>(clean.shape)});
        }
        const bool whole = sum.terms.size() == 1;
        clean.operation = std::move(sum);
        const ValueId cleaned_value = add(result, std::move(clean), gaps);
        result.names.push_back(whole ? made : cleaned_value);
        made = cleaned_value;
      } else {
        made = add_on_slots(result, std::move(value), gaps, slots_, plans_);
        result.names.push_back(made);
      }
      if (placement.refreshed[id]) {
        Value refresh = result.network.values[made];
        refresh.operation = Refresh{made, placer_.read_by_function(id), chain_.input};
        made = add(result, std::move(refresh), gaps);
      }
      readable.push_back(made);
      result.origins.resize(result.network.values.size(), id);
    }
    for (const ValueId id : network_.outputs) result.network.outputs.push_back(readable[id]);
    return result;
  }

 private:
  // Replaces the terms of a value by their parts, on slices of the operands.
  Affine on_slices(ValueId id, Affine affine, Refreshed& to) {
    std::vector<AffineTerm> terms;
    for (std::size_t k = 0; k < affine.terms.size(); ++k) {
      const AffineTerm& term = affine.terms[k];
      if (!placer_.sliced(id, k)) {
        terms.push_back(term);
        continue;
      }
      for (const RowPart& part : placer_.parts(id, k))
        terms.push_back({slice(term.input, part.begin, part.rows, to), part.op});
    }
    affine.terms = std::move(terms);
    return affine;
  }

  ValueId slice(ValueId read, Index begin, Index rows, Refreshed& to) {
    const Shape whole = to.network.values[read].shape;
    if (rows == whole[2]) return read;
    const auto [made, fresh] = slices_.try_emplace({read, begin, rows});
    if (fresh) {
      const Value& from = to.network.values[read];
      Value value{Affine{{{read, layout::kept_rows(whole, begin, rows)}}}, whole, from.node, from.op, from.range};
      value.shape[2] = rows;
      made->second = add(to, std::move(value), to.grid->maps[read].gaps);
    }
    return made->second;
  }

  // Splits a sum of maps of a batch by the widths of its operands. Each part leaves the samples in the rows where it
  // finds them. The sum of the parts brings them together. One sample has no rows to share.
  static std::vector<Affine> by_width(const Value& value, const Network& network) {
    const auto& whole = std::get<Affine>(value.operation);
    if (value.shape[0] == 1) return {whole};
    std::map<Index, Affine> parts;
    for (const AffineTerm& term : whole.terms) parts[network.values[term.input].shape.back()].terms.push_back(term);
    std::vector<Affine> result;
    for (auto& [width, part] : parts) result.push_back(std::move(part));
    if (result.empty()) return {whole};
    result.front().bias = whole.bias;
    return result;
  }

  const Network& network_;
  const std::optional<FeatureGrid>& grid_;
  const BootstrapPlacer& placer_;
  ContractionPlans& plans_;
  Index slots_;
  params::BootstrapChain chain_;
  params::BootstrapSchedule folded_;
  std::map<std::tuple<ValueId, Index, Index>, ValueId>
      slices_;  // by value of the new network, first row and number of rows
};

}  // namespace

Refreshed place_bootstraps(const Network& network, const params::CkksLiteral& literal,
                           const std::optional<FeatureGrid>& grid, const BootstrapPlacer& placer,
                           const BootstrapPlacement& placement, ContractionPlans& plans) {
  return Rewriter(network, literal, grid, placer, plans).run(placement);
}

Refreshed without_bootstraps(const Network& network, const std::optional<FeatureGrid>& grid, Index slots,
                             ContractionPlans& plans) {
  Refreshed result{.network = {}, .names = {}, .grid = grid};
  if (grid) result.grid->maps.clear();
  for (ValueId id = 0; id < network.values.size(); ++id) {
    Value value = renamed(network.values[id], result.names);
    const layout::Layout::Gaps gaps = grid ? grid->maps[id].gaps : layout::Layout::Gaps{};
    result.names.push_back(add_on_slots(result, std::move(value), gaps, slots, plans));
    result.origins.resize(result.network.values.size(), id);
  }
  for (const ValueId id : network.outputs) result.network.outputs.push_back(result.names[id]);
  return result;
}

}  // namespace tacit::graph::passes
