#pragma once

#include <optional>
#include <vector>

#include "graph/passes/network.h"
#include "graph/quant/quantise.h"

namespace tacit::graph::quant {

/// A sum as it is going to stand on the torus.
struct SumPlan {
  std::vector<Range> rows;        ///< intervals of its elements, as real numbers
  std::vector<double> torus;      ///< steps of the torus that a real 1 stands for, by element
  std::optional<double> divisor;  ///< that all its weights are whole multiples of, if there is one
};

/// Plans the sum that `id` is. Every row has a unit of its own: its interval fills the `room` of the torus, in steps.
/// The units of a sum with a divisor differ by powers of two, so that its integer weights stay whole multiples. Rows
/// that samples hardly move are planned wider, by what their operands' ranges allow. `in_boxes` says that a table of
/// `precision.bits` reads the sum: then what samples show as constant lies in the middle of a box.
SumPlan plan_sum(const passes::Network& network, passes::ValueId id, const Precision& precision, bool in_boxes,
                 double room);

/// For every column of a term the least unit of the rows that read it: infinity where none does.
std::vector<double> least_units(const layout::LinearOperator& op, const std::vector<double>& torus);

}  // namespace tacit::graph::quant
