#pragma once

#include <optional>
#include <vector>

#include "graph/passes/network.h"
#include "graph/quant/quantise.h"

namespace tacit::graph::quant {

/// The plan of a sum's place on the torus.
struct SumPlan {
  std::vector<Range> rows;        ///< intervals of its elements, as real numbers
  std::vector<double> torus;      ///< steps of the torus per real 1, by element
  std::optional<double> divisor;  ///< number of which all weights are whole multiples, if there is one
};

/// Plans the sum `id`. Every row has a separate unit: its interval fills the `room` of the torus, in steps. The units
/// of a sum with a divisor differ by powers of two, so that its integer weights stay whole multiples. Rows that hardly
/// vary over the samples are planned wider, by the widths that their operands' ranges allow. `in_boxes` is true if a
/// table of `precision.bits` reads the sum. Rows that are constant over the samples are then in the middle of a box.
SumPlan plan_sum(const passes::Network& network, passes::ValueId id, const Precision& precision, bool in_boxes,
                 double room);

/// Returns for every column of a term the least unit of the rows that read it. Infinity if no row reads it.
std::vector<double> least_units(const layout::LinearOperator& op, const std::vector<double>& torus);

}  // namespace tacit::graph::quant
