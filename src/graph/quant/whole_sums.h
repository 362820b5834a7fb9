#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "graph/passes/network.h"

namespace tacit::graph::quant {

/// Sums of whole numbers with whole weights. They are placed on the torus unscaled, so that their results are exact. An
/// integer 1 of such an input or sum is an integer 1 of its program's value.
struct WholeSums {
  std::vector<int> steps;           ///< by value: step of its integers; -1: no such value
  std::vector<Range> inputs, sums;  ///< by value: range of all elements, with whole ends

  bool contains(passes::ValueId id) const { return id < steps.size() && steps[id] >= 0; }
};

/// Finds the whole sums of a network. Such a sum reads only whole inputs (`whole_inputs`, by position; absent: none),
/// has whole weights and constants, and no table reads it (`looked_up`, by value). An input is included if all its
/// readers are. Inputs may reach `input_range`, or else their range over the samples, wider by half its width on either
/// side. Sums may reach the bounds that follow from these inputs.
WholeSums whole_sums(const passes::Network& network, const std::vector<char>& whole_inputs,
                     const std::vector<char>& looked_up, const std::optional<std::pair<double, double>>& input_range);

/// Throws InputError if an output holds integers and would show other whole numbers. Either its steps (by output) are
/// larger than one, or more than a hundredth of the samples are off by more than kMostNoiseOfIntegers. `exact` and
/// `found` are the outputs of samples: [sample][output][element].
void require_whole(const passes::Network& network, const Graph& encrypted, const std::vector<double>& steps,
                   const std::vector<std::vector<std::vector<double>>>& exact,
                   const std::vector<std::vector<std::vector<double>>>& found);

}  // namespace tacit::graph::quant
