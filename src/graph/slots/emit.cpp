#include "graph/slots/emit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "graph/approximate/chebyshev.h"

namespace tacit::graph::passes {
namespace {

using layout::Layout;

class Emitter {
 public:
  Emitter(const Network& network, const std::vector<Layout>& layouts, const MapPlan& plan, const ProgramNames& names,
          const BootstrapSchedules& bootstraps, std::vector<program::ValueId>& places)
      : network_(network), layouts_(layouts), plan_(plan), labels_(names), bootstraps_(bootstraps), names_(places) {}

  slots::Program run() {
    program_.name = labels_.model;
    program_.slots = layouts_.at(0).slots();
    for (ValueId id = 0; id < network_.values.size(); ++id) {
      const Value& value = network_.values[id];
      if (const auto* input = std::get_if<Private>(&value.operation)) {
        names_.push_back(add(value, slots::Input{labels_.inputs.at(input->input), input->units}, layouts_[id]));
      } else if (const auto* affine = std::get_if<Affine>(&value.operation)) {
        names_.push_back(emit_affine(*affine, id));
      } else if (const auto* function = std::get_if<Function>(&value.operation)) {
        names_.push_back(emit_function(*function, id));
      } else if (const auto* table = std::get_if<Tabulated>(&value.operation)) {
        names_.push_back(emit_table(*table, id));
      } else if (const auto* refresh = std::get_if<Refresh>(&value.operation)) {
        names_.push_back(
            add(value,
                slots::Bootstrap{{names_[refresh->input]}, refresh->folded ? bootstraps_.folded : bootstraps_.linear},
                layouts_[id]));
      } else if (const auto* sums = std::get_if<SummedProduct>(&value.operation)) {
        names_.push_back(emit_sums(*sums, id));
      } else {
        const auto& product = std::get<Product>(value.operation);
        names_.push_back(add(value, slots::Multiply{names_[product.left], names_[product.right]}, layouts_[id]));
      }
    }
    for (std::size_t o = 0; o < network_.outputs.size(); ++o) {
      const ValueId id = network_.outputs[o];
      add(network_.values[id], slots::Output{names_[id], labels_.outputs.at(o)},
          program_.instructions[names_[id]].layout);
    }
    return std::move(program_);
  }

 private:
  program::ValueId add(const Value& value, slots::Operation operation, Layout layout) {
    program_.instructions.push_back({std::move(operation), std::move(layout), value.node,
                                     fmt::format("{}: {} '{}'", labels_.model, value.op, value.node),
                                     value.range.bound(), -1, 0});
    return static_cast<program::ValueId>(program_.instructions.size() - 1);
  }

  // Returns the factors of elements that stay in place. None if the affine value moves elements.
  std::optional<layout::RepeatedReals> factor_of(const Affine& affine, ValueId id) const {
    if (affine.terms.size() != 1 || !affine.bias.all_equal(0)) return std::nullopt;
    const AffineTerm& term = affine.terms[0];
    if (!program_.value(names_[term.input]).layout.same_places(layouts_[id])) return std::nullopt;
    return term.op->diagonal();
  }

  program::ValueId emit_affine(const Affine& affine, ValueId id) {
    const Value& value = network_.values[id];
    if (const auto factor = factor_of(affine, id))
      return add(value, slots::MultiplyPlain{names_[affine.terms[0].input], *factor}, layouts_[id]);
    slots::Linear linear;
    for (const AffineTerm& term : affine.terms) {
      const program::ValueId input = names_[term.input];
      layout::LinearMap map{program_.instructions[input].layout, layouts_[id], term.op};
      PlannedMap planned = plan_(map, id);
      linear.terms.push_back({input, std::move(map), std::move(planned.schedule), planned.diagonals});
    }
    // Weights and factors of zero may leave some of several terms without work.
    const auto idle = [](const slots::LinearTerm& term) { return term.diagonals->products == 0; };
    if (!std::ranges::all_of(linear.terms, idle)) std::erase_if(linear.terms, idle);
    if (!affine.bias.all_equal(0))
      linear.bias = layout::RepeatedReals::of(affine.bias.expanded(layout::element_count(value.shape)));
    return add(value, std::move(linear), layouts_[id]);
  }

  // Gathers move no numbers. The sums of products over ciphertexts keep the slots of the pairs, and rotations add the
  // slots.
  program::ValueId emit_sums(const SummedProduct& sums, ValueId id) {
    const Value& value = network_.values[id];
    const SummedProduct::Pairs& pairs = sums.pairs;
    const auto gathered = [&](ValueId from, const std::vector<layout::Index>& strides, layout::Index offset) {
      return add(value, slots::Gather{{{names_[from], pairs.extents, strides, offset}}}, pairs.layout);
    };
    const program::ValueId left = gathered(sums.left, pairs.left_strides, pairs.left_offset);
    program::ValueId right = gathered(sums.right, pairs.right_strides, pairs.right_offset);
    if (sums.turn != 0) right = add(value, slots::Rotate{right, sums.turn}, pairs.layout);
    const bool relabelled = sums.terms == 1 && sums.steps.empty();
    program::ValueId made = add(value, slots::Multiply{left, right, sums.terms},
                                sums.steps.empty() && !relabelled ? layouts_[id] : without_terms(pairs.layout));
    for (std::size_t k = 0; k < sums.steps.size(); ++k)
      made = add(value, slots::RotateSum{made, {sums.steps[k]}},
                 k + 1 == sums.steps.size() ? layouts_[id] : without_terms(pairs.layout));
    if (relabelled) made = add(value, slots::Gather{{{made, {layouts_[id].ciphertexts()}, {1}}}}, layouts_[id]);
    return made;
  }

  // Returns the layout of sums over the last dimension, which is across ciphertexts (contraction_plan.h).
  static Layout without_terms(const Layout& pairs) {
    layout::Shape shape = pairs.shape();
    std::vector<layout::Digit> across = pairs.across();
    std::erase_if(across, [&](const layout::Digit& digit) { return digit.dim + 1 == static_cast<int>(shape.size()); });
    shape.back() = 1;
    return {std::move(shape), std::move(across), pairs.within(), pairs.fill()};
  }

  program::ValueId emit_function(const Function& function, ValueId id) {
    const Value& value = network_.values[id];
    const auto schedule = params::PolynomialSchedule::choose(static_cast<int>(function.coefficients.size()) - 1);
    std::vector<double> coefficients = function.coefficients;
    const bool guarded = layouts_[id].has_fill(layout::Fill::zero);
    const double at_zero = guarded ? approximate::evaluate(coefficients, 0) : 0;
    coefficients[0] -= at_zero;
    const program::ValueId made =
        add(value, slots::Polynomial{names_[function.input], std::move(coefficients), schedule}, layouts_[id]);
    return guarded ? add_at_zero(made, at_zero, id) : made;
  }

  program::ValueId emit_table(const Tabulated& table, ValueId id) {
    const Value& value = network_.values[id];
    std::vector<double> entries = table.entries;
    const bool guarded = layouts_[id].has_fill(layout::Fill::zero);
    const double at_zero = guarded ? params::look_up(table.form, params::table_series(table.form, entries), 0) : 0;
    for (double& entry : entries) entry -= at_zero;
    const auto schedule =
        params::plan_lookup(bootstraps_.literal, {.form = table.form, .entries = static_cast<int>(entries.size())});
    const program::ValueId made =
        add(value, slots::Lookup{{names_[table.input]}, {std::move(entries)}, schedule}, layouts_[id]);
    return guarded ? add_at_zero(made, at_zero, id) : made;
  }

  // Adds what a series without its value at zero lacks, to the elements alone.
  program::ValueId add_at_zero(program::ValueId made, double at_zero, ValueId id) {
    const Value& value = network_.values[id];
    double& bound = program_.instructions[made].bound;
    bound += bound > 0 ? std::abs(at_zero) : 0;
    return add(value, slots::AddPlain{made, layout::RepeatedReals(at_zero)}, layouts_[id]);
  }

  const Network& network_;
  const std::vector<Layout>& layouts_;
  const MapPlan& plan_;
  const ProgramNames& labels_;
  const BootstrapSchedules& bootstraps_;
  slots::Program program_;
  std::vector<program::ValueId>& names_;  // of the network's values
};

}  // namespace

slots::Program emit(const Network& network, const std::vector<Layout>& layouts, const MapPlan& plan,
                    const ProgramNames& names, const BootstrapSchedules& bootstraps,
                    std::vector<program::ValueId>& places) {
  return Emitter(network, layouts, plan, names, bootstraps, places).run();
}

}  // namespace tacit::graph::passes
