#include "graph/passes/fit_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "params/schedule.h"

namespace tacit::graph::passes {

std::vector<Approximation> fit_functions(Network& network, int max_degree) {
  std::vector<Approximation> done;
  for (Value& value : network.values) {
    auto* function = std::get_if<Function>(&value.operation);
    if (!function) continue;
    const approximate::Samples samples = [function](std::span<const double> points) {
      return function->function(points);
    };
    std::vector<double> grid(257);
    for (std::size_t i = 0; i < grid.size(); ++i)
      grid[i] = function->lowest + (function->highest - function->lowest) * static_cast<double>(i) / 256;
    double largest = 0;
    for (const double y : samples(grid)) largest = std::max(largest, std::abs(y));
    const std::string what = fmt::format("node '{}' ({})", value.node, value.op);
    const approximate::Fit fit =
        approximate::fit(samples, function->lowest, function->highest,
                         std::max(largest, 1e-12) * kSmoothTolerance, max_degree, function->histogram, what);
    function->coefficients = fit.coefficients;
    done.push_back({value.node, value.op, static_cast<int>(fit.coefficients.size()) - 1, function->lowest,
                    function->highest, fit.max_error});
  }
  return done;
}

int depth_of(const Network& network) {
  std::vector<int> depths;
  int deepest = 0;
  for (const Value& value : network.values) {
    int depth = 0;
    for (const ValueId id : operands(value)) depth = std::max(depth, depths[id]);
    if (const auto* function = std::get_if<Function>(&value.operation))
      depth += params::PolynomialSchedule::choose(static_cast<int>(function->coefficients.size()) - 1).depth;
    else if (!std::holds_alternative<Private>(value.operation))
      depth += 1;
    depths.push_back(depth);
    deepest = std::max(deepest, depth);
  }
  return deepest;
}

}  // namespace tacit::graph::passes
