#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "graph/graph.h"
#include "graph/links.h"

namespace tacit::graph::passes {

/// An encrypted mask whose every number is 0 or one number that hides an element. An input makes it, element by
/// element.
struct HidingMask {
  std::size_t input = 0;        ///< position among the inputs of the graph
  std::vector<double> allowed;  ///< the numbers of the input that make such a mask, rising; no sample has others
  double hides = 0;             ///< the number that hides
  std::vector<double> shows{};  ///< the numbers of the input that make 0 of every element
};

/// True if a tensor follows from one input by operators that move elements, or that add constants to them and multiply
/// them.
bool follows_from_one_input(const Graph& graph, const Links& links, TensorId tensor);

/// The most numbers that an input may take to make a mask.
inline constexpr std::size_t kMostMaskNumbers = 8;

/// Returns the mask in a tensor of a graph, or none. The tensor must follow from one input by operators that move
/// elements, or that add constants to them and multiply them. Every number that the input has in any sample must give 0
/// or the same number of at most kHides. Other numbers of the input give wrong results, so that somebody must refuse
/// them.
std::optional<HidingMask> hiding_mask(const Graph& graph, const Links& links, TensorId mask,
                                      const std::vector<std::vector<Tensor>>& samples);

}  // namespace tacit::graph::passes
