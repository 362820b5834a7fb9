#include "graph/passes/fit_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "graph/passes/emit.h"

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
        approximate::fit(samples, function->lowest, function->highest, std::max(largest, 1e-12) * kSmoothTolerance,
                         max_degree, function->histogram, what);
    if (fit.max_error > kLargestError * largest)
      throw base::InputError(fmt::format(
          "{}: the polynomial of degree {} on [{:.3g}, {:.3g}] is off by {:.3g} where the function's largest "
          "value is {:.3g}: a jump or a very steep slope has no encrypted form; use a smoother function, "
          "a smaller range or a higher degree",
          what, fit.coefficients.size() - 1, function->lowest, function->highest, fit.max_error, largest));
    function->coefficients = fit.coefficients;
    done.push_back({value.node, value.op, static_cast<int>(fit.coefficients.size()) - 1, function->lowest,
                    function->highest, fit.max_error});
  }
  return done;
}

int depth_of(const Network& network) {
  const std::vector<int> levels = levels_of(network);
  return levels.empty() ? 0 : *std::max_element(levels.begin(), levels.end());
}

}  // namespace tacit::graph::passes
