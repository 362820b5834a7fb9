#include "graph/quant/feature_chain.h"

#include <algorithm>
#include <map>
#include <utility>

#include "graph/passes/clear_network.h"
#include "graph/reference/rounding.h"

namespace tacit::graph::quant {

using layout::Index;
using passes::ValueId;

ValueRoundings roundings_of(const passes::Network& network, const Graph& graph) {
  ValueRoundings roundings;
  for (const passes::Value& value : network.values)
    roundings.push_back(value.tensor < graph.tensors.size() ? graph.tensors[value.tensor].rounding
                                                            : graph::FloatFormat::float64);
  return roundings;
}

/// Follows an element back to the input. An operand is added before the step that reads it.
class FeatureChain::Builder {
 public:
  Builder(const passes::Network& network, const ValueRoundings& roundings) : network_(network), roundings_(roundings) {
    chain_.steps_.emplace_back();  // the input's element
  }

  std::optional<FeatureChain> build(ValueId value, Index element) {
    const std::optional<std::size_t> last = step_of(value, element);
    if (!last) return std::nullopt;
    if (*last + 1 != chain_.steps_.size()) chain_.steps_.push_back({{{*last, 1}}});
    return std::move(chain_);
  }

 private:
  static constexpr std::size_t kMostSteps = 64;

  std::optional<std::size_t> step_of(ValueId id, Index element) {
    const passes::Value& value = network_.values[id];
    if (const auto* input = std::get_if<passes::Private>(&value.operation)) {
      if (!input->units.empty()) return std::nullopt;
      if (chain_.input_ && (*chain_.input_ != id || chain_.element_ != element)) return std::nullopt;
      chain_.input_ = id;
      chain_.element_ = element;
      if (id < roundings_.size()) chain_.steps_[0].rounding = roundings_[id];
      return 0;
    }
    if (const auto found = known_.find({id, element}); found != known_.end()) return found->second;
    Step step;
    const auto add_term = [&](ValueId operand, Index at, double weight) {
      const std::optional<std::size_t> of = step_of(operand, at);
      if (of) step.terms.push_back({*of, weight});
      return of.has_value();
    };
    if (const auto* affine = std::get_if<passes::Affine>(&value.operation)) {
      step.bias = affine->bias[element];
      layout::RowEntries entries;
      for (const passes::AffineTerm& term : affine->terms) {
        entries.clear();
        term.op->append_row(element, entries);
        entries.merge();
        for (std::size_t k = 0; k < entries.size(); ++k)
          if (!add_term(term.input, entries.columns[k], entries.weights[k])) return std::nullopt;
      }
    } else if (const auto* function = std::get_if<passes::Function>(&value.operation)) {
      step.function = &function->function;
      if (!add_term(function->input, element, 1)) return std::nullopt;
    } else if (const auto* product = std::get_if<passes::Product>(&value.operation)) {
      step.product = true;
      if (!add_term(product->left, element, 1) || !add_term(product->right, element, 1)) return std::nullopt;
    } else {
      return std::nullopt;
    }
    if (id < roundings_.size()) step.rounding = roundings_[id];
    if (chain_.steps_.size() == kMostSteps) return std::nullopt;
    // A step that only passes an element on is that element, because its numbers are already rounded.
    const bool passes_on =
        step.function == nullptr && !step.product && step.bias == 0 && step.terms.size() == 1 &&
        step.terms[0].weight == 1 &&
        (step.rounding == graph::FloatFormat::float64 || step.rounding == chain_.steps_[step.terms[0].step].rounding);
    std::size_t made = 0;
    if (passes_on) {
      made = step.terms[0].step;
    } else {
      chain_.steps_.push_back(std::move(step));
      made = chain_.steps_.size() - 1;
    }
    known_[{id, element}] = made;
    return made;
  }

  const passes::Network& network_;
  const ValueRoundings& roundings_;
  FeatureChain chain_;
  std::map<std::pair<ValueId, Index>, std::size_t> known_;
};

std::optional<FeatureChain> FeatureChain::of(const passes::Network& network, const ValueRoundings& roundings,
                                             ValueId value, Index element) {
  return Builder(network, roundings).build(value, element);
}

std::vector<double> FeatureChain::operator()(std::span<const double> values) const {
  std::vector<std::vector<double>> made(steps_.size());
  made[0].assign(values.begin(), values.end());
  for (std::size_t s = 1; s < steps_.size(); ++s) {
    const Step& step = steps_[s];
    std::vector<double> numbers(values.size(), step.bias);
    if (step.function != nullptr) {
      numbers = made[step.terms[0].step];
      passes::apply_in_place(*step.function, numbers);
    } else if (step.product) {
      for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = made[step.terms[0].step][i] * made[step.terms[1].step][i];
    } else {
      for (const Step::Term& term : step.terms)
        for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] += term.weight * made[term.step][i];
    }
    if (step.rounding != graph::FloatFormat::float64)
      for (double& number : numbers) number = reference::round_to(step.rounding, number);
    made[s] = std::move(numbers);
  }
  return std::move(made.back());
}

}  // namespace tacit::graph::quant
