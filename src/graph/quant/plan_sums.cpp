#include "graph/quant/plan_sums.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/passes/operator_rows.h"
#include "graph/quant/element_widths.h"
#include "graph/quant/row_ranges.h"
#include "graph/quant/weight_scan.h"

namespace tacit::graph::quant {
namespace {

/// The least width of a row, as a share of the width that its operands allow. A row that hardly varies over the samples
/// may vary more on other inputs. A row that does not vary is planned wider.
constexpr double kLeastMoved = 1.0 / 256, kLeastConstant = 1.0 / 16;

std::vector<double> least_widths(const passes::Network& network, const passes::Value& value,
                                 const passes::Affine& sum) {
  const std::vector<Range> seen = seen_ranges(value);
  std::vector<double> widths = possible_widths(network, sum, seen.size());
  for (std::size_t e = 0; e < widths.size(); ++e) widths[e] *= seen[e].width() > 0 ? kLeastMoved : kLeastConstant;
  return widths;
}

}  // namespace

SumPlan plan_sum(const passes::Network& network, passes::ValueId id, const Precision& precision, bool in_boxes,
                 double room) {
  const passes::Value& value = network.values[id];
  const auto& sum = std::get<passes::Affine>(value.operation);
  SumPlan plan;
  plan.rows = row_ranges(value, precision.margin, least_widths(network, value, sum));
  if (in_boxes) centre_constants(value.element_ranges, precision.bits, plan.rows);
  std::vector<layout::LinearOperatorPtr> operators;
  for (const passes::AffineTerm& term : sum.terms) operators.push_back(term.op);
  plan.divisor = common_divisor(operators);
  double widest = 0;
  for (const Range& row : plan.rows) widest = std::max(widest, row.width());
  for (const Range& row : plan.rows) {
    const double own = room / row.width();
    plan.torus.push_back(plan.divisor ? std::ldexp(room / widest, std::ilogb(widest / row.width())) : own);
  }
  return plan;
}

std::vector<double> least_units(const layout::LinearOperator& op, const std::vector<double>& torus) {
  std::vector<double> units(static_cast<std::size_t>(layout::element_count(op.in_shape())),
                            std::numeric_limits<double>::infinity());
  passes::each_row(op, [&](layout::Index row, layout::RowEntries& entries) {
    for (std::size_t k = 0; k < entries.size(); ++k) {
      double& unit = units[static_cast<std::size_t>(entries.columns[k])];
      if (entries.weights[k] != 0) unit = std::min(unit, torus[static_cast<std::size_t>(row)]);
    }
  });
  return units;
}

}  // namespace tacit::graph::quant
