#pragma once

#include <vector>

#include "graph/passes/network.h"

namespace tacit::graph::quant {

/// The origins of the elements of a network's values. If every element of a value is a function of the same element of
/// one integer tensor, the value depends on that tensor. One table look-up then makes it, however many operators are
/// between. A value that mixes elements, or joins two tensors, is a separate integer tensor. Private inputs, and values
/// that only scale one integer tensor, are separate too.
class Provenance {
 public:
  explicit Provenance(const passes::Network& network);

  /// Returns the integer tensor of whose elements the value's elements are functions. It may be the value itself.
  passes::ValueId source(passes::ValueId id) const { return source_[id]; }
  /// True if a table makes the value from its source.
  bool is_region(passes::ValueId id) const { return source_[id] != id; }

 private:
  std::vector<passes::ValueId> source_;
};

/// Returns the operators that the table of a region computes: the values after the source up to `id`. The source is not
/// among them.
std::vector<passes::ValueId> values_of_region(const passes::Network& network, const Provenance& provenance,
                                              passes::ValueId id);

/// Returns the value's numbers for these numbers of its source. `points` holds `count` points of every element, one
/// element after the other. `id` is a region of `provenance`, or its own source.
std::vector<double> evaluate_region(const passes::Network& network, const Provenance& provenance, passes::ValueId id,
                                    const std::vector<double>& points, std::size_t count);

}  // namespace tacit::graph::quant
