#include "graph/passes/network_levels.h"

#include <algorithm>

#include "params/schedule.h"

namespace tacit::graph::passes {

int depth_of_value(const Value& value) {
  if (const auto* function = std::get_if<Function>(&value.operation))
    return params::PolynomialSchedule::choose(static_cast<int>(function->coefficients.size()) - 1).depth;
  return std::holds_alternative<Private>(value.operation) || std::holds_alternative<Refresh>(value.operation) ? 0 : 1;
}

std::vector<int> levels_of(const Network& network) {
  std::vector<int> levels(network.values.size(), 0);
  for (std::size_t id = levels.size(); id-- > 0;) {
    const Value& value = network.values[id];
    const auto* refresh = std::get_if<Refresh>(&value.operation);
    const int needed = refresh ? refresh->from_level : levels[id] + depth_of_value(value);
    for (const ValueId operand : operands(value)) levels[operand] = std::max(levels[operand], needed);
  }
  return levels;
}

}  // namespace tacit::graph::passes
