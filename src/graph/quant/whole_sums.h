#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "graph/passes/network.h"

namespace tacit::graph::quant {

/// Sums of whole numbers with whole weights, which stand on the torus as they are: their results are exact. An integer
/// 1 of such an input or sum is an integer 1 of its program's value.
struct WholeSums {
  std::vector<int> steps;           ///< by value; -1: not such a value
  std::vector<Range> inputs, sums;  ///< by value, of all elements: whole ends

  bool contains(passes::ValueId id) const { return id < steps.size() && steps[id] >= 0; }
};

/// Finds the sums that read whole inputs alone (`whole_inputs`, by position; absent: none) with whole weights and
/// constants, and that no table reads (`looked_up`, by value). An input belongs to them if all that reads it does.
/// Inputs may reach the range that samples showed, wider by half its width on either side, or `input_range`; sums may
/// reach what such inputs lead to.
WholeSums whole_sums(const passes::Network& network, const std::vector<char>& whole_inputs,
                     const std::vector<char>& looked_up, const std::optional<std::pair<double, double>>& input_range);

/// Throws InputError where an output holds integers and would show other whole numbers: its steps (by output) are
/// larger than one, or more than a hundredth of the samples come back farther than kMostNoiseOfIntegers from theirs.
/// `exact` and `found` are the outputs of samples: [sample][output][element].
void require_whole(const passes::Network& network, const Graph& encrypted, const std::vector<double>& steps,
                   const std::vector<std::vector<std::vector<double>>>& exact,
                   const std::vector<std::vector<std::vector<double>>>& found);

}  // namespace tacit::graph::quant
