#pragma once

#include <optional>
#include <span>
#include <vector>

#include "graph/passes/network.h"

namespace tacit::graph::quant {

/// How the model rounds the elements of a network's values, by value. A value beyond the end is not rounded.
using ValueRoundings = std::vector<graph::Rounding>;

/// One element of a value as a function of one element of one private input: scalers, selections, concatenations and
/// functions of single elements lie between. Immutable.
class FeatureChain {
 public:
  /// None where the element depends on several elements, or on what trees, sums of several elements or refreshes make.
  /// The network must outlive the chain.
  static std::optional<FeatureChain> of(const passes::Network& network, const ValueRoundings& roundings,
                                        passes::ValueId value, layout::Index element);

  /// The private input; none where the element is a constant.
  std::optional<passes::ValueId> input() const { return input_; }
  /// Its element.
  layout::Index element() const { return element_; }
  /// True if the element is the input's, unchanged.
  bool is_identity() const { return steps_.size() == 1; }
  /// The format of the input's element: the values are numbers of it.
  graph::Rounding format() const { return steps_[0].rounding; }
  /// What the element is where the input's element has these values, by the arithmetic of the model.
  std::vector<double> operator()(std::span<const double> values) const;

 private:
  /// What makes a number from those of earlier steps.
  struct Step {
    struct Term {
      std::size_t step = 0;
      double weight = 1;
    };
    std::vector<Term> terms{};                         ///< of a sum, or the operands of another
    double bias = 0;                                   ///< of a sum
    const passes::ScalarFunction* function = nullptr;  ///< of the first term
    bool product = false;                              ///< of two terms
    graph::Rounding rounding = graph::Rounding::float64;
  };

  class Builder;
  std::vector<Step> steps_;  ///< the first is the input's element, the last the result
  std::optional<passes::ValueId> input_;
  layout::Index element_ = 0;
};

}  // namespace tacit::graph::quant
