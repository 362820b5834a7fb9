#include "graph/passes/normalise.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "graph/attribute.h"
#include "graph/passes/operator_rows.h"
#include "layout/operators/combined.h"
#include "layout/operators/movement.h"
#include "program/visit.h"

namespace tacit::graph::passes {
namespace {

struct Units {
  double factor = 1, offset = 0;  // stored = factor * original + offset
};

// Returns the power of two that brings a bound into (target / 2, target], or 1 if the bound is not known.
double factor_towards(const Range& range, double target) {
  const double bound = range.bound();
  return bound > 0 ? std::exp2(std::floor(std::log2(target / bound))) : 1.0;
}

Range in_units(const Range& range, const Units& units) {
  if (!range.known()) return range;
  return {units.factor * range.lowest + units.offset, units.factor * range.highest + units.offset};
}

// Returns the range of the encrypted numbers of an input whose elements have units.
Range encrypted_range(const Private& input, const Value& value) {
  Range result{0, 0};
  for (std::size_t e = 0; e < input.units.size(); ++e)
    result.include({input.units[e] * value.element_ranges[e].lowest, input.units[e] * value.element_ranges[e].highest});
  return result;
}

/// The interval of a value that a function or a table reads.
struct ReadInterval {
  double lowest, highest;
};

// Returns the two values that an operation multiplies, or none.
std::vector<ValueId> factors_of(const Value& value) {
  return program::holds_any<Product, Contraction>(value.operation) ? operands(value) : std::vector<ValueId>{};
}

class Normaliser {
 public:
  Normaliser(const Network& network, double output_bound, const StoredBounds& bounds)
      : network_(network), output_bound_(output_bound), bounds_(bounds) {
    const std::size_t count = network.values.size();
    mapped_.resize(count);
    multiplied_.resize(count, 0);
    in_parts_.resize(count, 0);
    output_.resize(count, 0);
    makes_output_.resize(count, 0);
    raised_.resize(count, 1);
    for (const Value& value : network.values) {
      if (const auto* function = std::get_if<Function>(&value.operation))
        mapped_[function->input] = ReadInterval{function->lowest, function->highest};
      if (const auto* table = std::get_if<Tabulated>(&value.operation))
        mapped_[table->input] = ReadInterval{table->lowest, table->highest};
      for (const ValueId factor : factors_of(value)) multiplied_[factor] = 1;
      if (const auto* product = std::get_if<PartsProduct>(&value.operation)) in_parts_[product->input] = 1;
    }
    for (const ValueId id : network.outputs) {
      output_[id] = 1;
      for (const ValueId factor : factors_of(network.values[id])) {
        const auto* contraction = std::get_if<Contraction>(&network.values[id].operation);
        const double terms = contraction ? static_cast<double>(contraction->inner) : 1;
        makes_output_[factor] = std::max(makes_output_[factor], terms);
      }
    }
  }

  Normalised run() {
    find_units();
    Normalised result;
    for (ValueId id = 0; id < network_.values.size(); ++id) {
      const Units units = units_[id];
      Value value = network_.values[id];
      value.range = in_units(value.range, units);
      if (const auto* input = std::get_if<Private>(&value.operation); input && !input->units.empty())
        value.range = encrypted_range(*input, value);
      value.element_ranges = {};  // of other units, and large
      value.reached = {};
      if (auto* affine = std::get_if<Affine>(&value.operation)) rewrite(*affine, value.shape, units);
      if (auto* product = std::get_if<PartsProduct>(&value.operation)) product->factor = 1;
      if (auto* function = std::get_if<Function>(&value.operation)) {
        function->lowest = -1;
        function->highest = 1;
        for (double& c : function->coefficients) c *= units.factor;
      }
      if (auto* table = std::get_if<Tabulated>(&value.operation)) {
        table->lowest = -1;
        table->highest = 1;
        for (double& entry : table->entries) entry *= units.factor;
      }
      result.network.add(std::move(value));
      result.factors.push_back(units.factor);
      result.offsets.push_back(units.offset);
    }
    result.network.outputs = network_.outputs;
    return result;
  }

 private:
  // A product can be far below the product of its operands' bounds, as that of exponentials and of the reciprocal of
  // their sum is. It would drown in noise. Operands that functions make are not refreshed, so that they may be larger.
  void find_units() {
    constexpr double kSmall = 0.25;
    for (ValueId id = 0; id < network_.values.size(); ++id) {
      units_.push_back(units_of(id));
      const std::vector<ValueId> factors = factors_of(network_.values[id]);
      const double bound = units_[id].factor * network_.values[id].range.bound();
      if (factors.empty() || output_[id] || !(bound > 0) || bound >= kSmall) continue;
      const int missing = static_cast<int>(std::floor(-std::log2(bound)));
      const bool left = can_be_raised(factors[0]), right = can_be_raised(factors[1]);
      if (!left && !right) continue;
      raise(factors[left ? 0 : 1], left && right ? missing / 2 : missing);
      if (left && right && factors[0] != factors[1]) raise(factors[1], missing - missing / 2);
      for (ValueId k = std::min(factors[0], factors[1]); k <= id; ++k) units_[k] = units_of(k);
    }
  }

  bool can_be_raised(ValueId id) const {
    return std::holds_alternative<Function>(network_.values[id].operation) && !mapped_[id] && !output_[id];
  }
  void raise(ValueId id, int powers) { raised_[id] *= std::exp2(powers); }

  Units units_of(ValueId id) const {
    const Value& value = network_.values[id];
    if (std::holds_alternative<Private>(value.operation)) return {};
    if (const std::vector<ValueId> factors = factors_of(value); !factors.empty())
      return {units_[factors[0]].factor * units_[factors[1]].factor, 0};
    if (const auto* product = std::get_if<PartsProduct>(&value.operation))
      return {std::pow(units_[product->input].factor, static_cast<double>(product->parts)) / product->factor, 0};
    if (in_parts_[id]) return {factor_towards(value.range, 1), 0};
    if (const auto& interval = mapped_[id])
      return {2 / (interval->highest - interval->lowest),
              -(interval->highest + interval->lowest) / (interval->highest - interval->lowest)};
    if (output_[id]) return {factor_towards(value.range, output_bound_), 0};
    if (multiplied_[id]) return {raised_[id] * factor_towards(value.range, product_operand_bound(id)), 0};
    return {factor_towards(value.range, bounds_.others), 0};
  }

  // Returns the bound of an operand. A product that is an output must not exceed the bound of outputs.
  double product_operand_bound(ValueId id) const {
    return makes_output_[id] > 0 ? std::min(bounds_.operands, std::sqrt(output_bound_ / makes_output_[id]))
                                 : bounds_.operands;
  }

  void rewrite(Affine& affine, const Shape& shape, const Units& units) const {
    for (AffineTerm& term : affine.terms) {
      const Units& from = units_[term.input];
      if (from.offset != 0) {
        const std::vector<double> offsets(static_cast<std::size_t>(element_count(term.op->in_shape())),
                                          from.offset / from.factor);
        std::vector<double> shift = apply(*term.op, offsets);
        for (double& s : shift) s = -s;
        affine.bias = affine.bias.plus(layout::RepeatedReals::of(shift), element_count(shape));
      }
      term.op = layout::scaled(term.op, layout::RepeatedReals(units.factor / from.factor));
    }
    affine.bias = affine.bias.times(layout::RepeatedReals(units.factor), element_count(shape))
                      .plus(layout::RepeatedReals(units.offset), element_count(shape));
  }

  const Network& network_;
  double output_bound_;
  StoredBounds bounds_;
  std::vector<std::optional<ReadInterval>> mapped_;  // by value: the interval of the function or table that reads it
  std::vector<char> multiplied_, output_;
  std::vector<char> in_parts_;        // by value: its parts are multiplied
  std::vector<double> makes_output_;  // for operands of products that are outputs: the products that one sum takes
  std::vector<double> raised_;        // powers of two by which functions that make small products exceed their bound
  std::vector<Units> units_;
};

}  // namespace

Network isolate_function_inputs(const Network& network) {
  Network result;
  const std::vector<int> uses = network.uses();
  std::vector<ValueId> names;
  for (const Value& original : network.values) {
    Value value = renamed(original, names);
    const auto isolate = [&](auto& reader) {
      const ValueId source = operands(original)[0];
      Value own = result.values[reader.input];
      if (!std::holds_alternative<Affine>(own.operation)) {
        own.operation = Affine{{{reader.input, std::make_shared<layout::Identity>(own.shape)}}};
        own.node = value.node;
        own.op = value.op;
        reader.input = result.add(std::move(own));
      } else if (uses[source] > 1) {
        reader.input = result.add(std::move(own));
      }
    };
    if (auto* function = std::get_if<Function>(&value.operation)) isolate(*function);
    if (auto* table = std::get_if<Tabulated>(&value.operation)) isolate(*table);
    names.push_back(result.add(std::move(value)));
  }
  for (const ValueId id : network.outputs) result.outputs.push_back(names[id]);
  return without_unread(result);
}

Normalised normalise(const Network& network, double output_bound, const StoredBounds& bounds) {
  return Normaliser(network, output_bound, bounds).run();
}

}  // namespace tacit::graph::passes
