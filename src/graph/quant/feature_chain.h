#pragma once

#include <optional>
#include <span>
#include <vector>

#include "graph/passes/network.h"

namespace tacit::graph::quant {

/// The model's rounding of the elements of a network's values, by value. A value beyond the end is not rounded.
using ValueRoundings = std::vector<graph::FloatFormat>;

/// Returns the roundings of the values of a network that are tensors of a graph.
ValueRoundings roundings_of(const passes::Network& network, const Graph& graph);

/// One element of a value as a function of one element of one private input. The operators between are scalers,
/// selections, concatenations and functions of single elements. Immutable.
class FeatureChain {
 public:
  /// Returns the chain of an element. None if the element depends on several elements of inputs, or on the results of
  /// trees or refreshes. The network must outlive the chain.
  static std::optional<FeatureChain> of(const passes::Network& network, const ValueRoundings& roundings,
                                        passes::ValueId value, layout::Index element);

  /// The private input. None if the element is a constant.
  std::optional<passes::ValueId> input() const { return input_; }
  /// The element of the private input.
  layout::Index element() const { return element_; }
  /// True if the element is the input's, unchanged.
  bool is_identity() const { return steps_.size() == 1; }
  /// The number format of the input's element. The values must be numbers of this format.
  graph::FloatFormat format() const { return steps_[0].rounding; }
  /// Returns the element for these values of the input's element, by the arithmetic of the model.
  std::vector<double> operator()(std::span<const double> values) const;

 private:
  /// Makes a number from the numbers of earlier steps.
  struct Step {
    struct Term {
      std::size_t step = 0;
      double weight = 1;
    };
    std::vector<Term> terms{};                         ///< terms of a sum, or the operands of another operator
    double bias = 0;                                   ///< bias of a sum
    const passes::ScalarFunction* function = nullptr;  ///< function of the first term, or null
    bool product = false;                              ///< true for a product of two terms
    graph::FloatFormat rounding = graph::FloatFormat::float64;
  };

  class Builder;
  std::vector<Step> steps_;  ///< the first is the input's element, the last the result
  std::optional<passes::ValueId> input_;
  layout::Index element_ = 0;
};

}  // namespace tacit::graph::quant
