#pragma once

#include <vector>

#include "graph/passes/network.h"

namespace tacit::graph::quant {

/// Where the elements of a network's values come from. A value depends on one integer tensor where every element is a
/// function of the same element of that tensor alone: then one table look-up makes it, however many operators lie
/// between. A value that mixes elements, or joins two tensors, is an integer tensor of its own. So are private inputs,
/// and what is only scaled of one.
class Provenance {
 public:
  explicit Provenance(const passes::Network& network);

  /// The integer tensor that a value's elements are functions of: the value itself where it is one.
  passes::ValueId source(passes::ValueId id) const { return source_[id]; }
  /// True if a table makes the value from its source.
  bool is_region(passes::ValueId id) const { return source_[id] != id; }

 private:
  std::vector<passes::ValueId> source_;
};

/// The operators that the table of a region stands for: its values from the source on, which is none of them, to `id`.
std::vector<passes::ValueId> values_of_region(const passes::Network& network, const Provenance& provenance,
                                              passes::ValueId id);

/// The value's numbers where its source has these: `points` holds `count` points of every element, element after
/// element. `id` is a region of `provenance`, or its own source.
std::vector<double> evaluate_region(const passes::Network& network, const Provenance& provenance, passes::ValueId id,
                                    const std::vector<double>& points, std::size_t count);

}  // namespace tacit::graph::quant
